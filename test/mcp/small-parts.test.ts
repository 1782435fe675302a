import { describe, expect, test } from "vitest";
import { atMostEvery } from "../../src/mcp/at-most-every.ts";
import { openDesk } from "../../src/mcp/desk.ts";
import { boundsOf } from "../../src/mcp/hosts.ts";
import { pageOf } from "../../src/mcp/pages.ts";
import { costFields } from "../../src/mcp/show/task-fields.ts";
import { withAgents } from "../../src/mcp/tools/agent-lines.ts";
import { AgentDefinition } from "../../src/schema/index.ts";

const KNOWN = { bound: { microUsd: 0, tokens: 0 }, isCostKnown: true, areTokensKnown: true };

test.each([
  ["is known", {}, { tokens: 9, cost_usd: 2 }],
  ["is a bound", { bound: { microUsd: 2e6, tokens: 9 } }, { tokens: 9, cost_usd: 2, bound_tokens: 9, bound_usd: 2 }],
  [
    "is a bound in money alone",
    { bound: { microUsd: 2e6, tokens: 0 } },
    { tokens: 9, cost_usd: 2, bound_tokens: 0, bound_usd: 2 },
  ],
  [
    "has no price",
    { bound: { microUsd: 0, tokens: 9 }, isCostKnown: false },
    { tokens: 9, cost_usd: null, bound_tokens: 9, bound_usd: null },
  ],
  ["was counted in part", { areTokensKnown: false }, { tokens: null, least_tokens: 9, cost_usd: 2 }],
])("what a task has cost %s", (_, spent, fields) => {
  expect(costFields({ spent: { microUsd: 2e6, tokens: 9 }, ...KNOWN, ...spent })).toEqual(fields);
});

describe("how long a call waits", () => {
  const names = [
    undefined,
    "",
    "claude-ai",
    "Claude-Code",
    "codex-mcp-client",
    "gemini-cli-mcp-client",
    "opencode",
    "x",
  ];

  test.each(names)("%s: under 55 seconds by itself, and within the host's limit at the most", (name) => {
    const { waitMs, longestWaitMs } = boundsOf(name);
    expect(waitMs).toBeLessThan(55_000);
    expect(longestWaitMs).toBeGreaterThanOrEqual(waitMs);
    expect(longestWaitMs).toBeLessThan(600_000);
  });

  test.each([
    ["claude-code", 110_000],
    ["codex-mcp-client", 280_000],
    ["gemini-cli-mcp-client", 580_000],
    ["opencode", 50_000],
    ["somebody", 50_000],
  ])("%s can ask for %d", (name, most) => {
    expect(boundsOf(name).longestWaitMs).toBe(most);
  });

  test("as told, whoever calls", () => {
    expect(boundsOf("codex-mcp-client", 5)).toMatchObject({ waitMs: 5, longestWaitMs: 5 });
  });
});

describe("pages", () => {
  test("put together are the text, with no character cut in two", () => {
    const text = "a😀b😀😀c\u0000é".repeat(7);
    for (const size of [2, 3, 4, 5, 7, 1000]) {
      const parts: string[] = [];
      for (let cursor: number | null = 0; cursor !== null;) {
        const page = pageOf(text, cursor, size);
        expect(page.text.length).toBeLessThanOrEqual(size);
        expect(page.text.isWellFormed()).toBe(true);
        parts.push(page.text);
        cursor = page.next;
      }
      expect(parts.join("")).toBe(text);
    }
  });

  test("a cursor inside of a character or behind the end does no harm", () => {
    expect(pageOf("😀", 1, 10)).toEqual({ text: "😀", next: null, total: 2 });
    expect(pageOf("abc", 99, 10)).toEqual({ text: "", next: null, total: 3 });
  });
});

describe("at most every", () => {
  test("the first is at once, and what is asked meanwhile is done once, at the latest by a flush", async () => {
    let done = 0;
    const steady = atMostEvery(60_000, async () => void done++);
    await steady.ask();
    expect(done).toBe(1);
    await Promise.all([steady.ask(), steady.ask(), steady.ask()]);
    expect(done).toBe(1);
    await steady.flush();
    expect(done).toBe(2);
    await steady.flush();
    expect(done).toBe(2);
  });

  test("what was put off comes by itself", async () => {
    const second = Promise.withResolvers<void>();
    let done = 0;
    const steady = atMostEvery(20, async () => {
      if (++done === 2) second.resolve();
    });
    await steady.ask();
    await steady.ask();
    const held = setTimeout(() => second.reject(new Error("it never came")), 10_000); // its own timer holds nobody up
    await second.promise;
    clearTimeout(held);
    expect(done).toBe(2);
  });
});

test("a desk whose home cannot be opened wakes nobody, and says nothing of it again", async () => {
  const logged: string[] = [];
  const desk = openDesk(
    () => Promise.reject(new Error("no home")),
    (line) => void logged.push(line),
  );
  desk.wakeWorker();
  desk.wakeWorker(); // put off, and done when it closes
  await desk.close();
  expect(logged).toEqual([]);
});

describe("what a tool says of the agents", () => {
  const agent = (name: string, description: string) => AgentDefinition.parse({ name, description });

  test("fits into two kilobytes, and says how many it leaves out", () => {
    const many = Array.from({ length: 100 }, (_, index) => agent(`agent-${index}`, "does many things, ".repeat(20)));
    const text = withAgents("About.", many, "agents");
    expect(text.length).toBeLessThan(2_000);
    const listed = text.match(/^- agent-/gm)?.length ?? 0;
    expect(text).toContain(`- and ${100 - listed} more: see agents`);
  });

  test("is one line each, without what nobody sees", () => {
    const text = withAgents("About.", [agent("a", "reads\nfiles\u200b\u202e \u001b[2Jfast")], "agents");
    expect(text).toBe("About.\n\nAgents:\n- a: reads files [2Jfast");
  });

  test("says so where there is none", () => {
    expect(withAgents("About.", [], "agents")).toContain("No agent is there yet");
  });
});
