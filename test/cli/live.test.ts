import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { liveProgress } from "../../src/cli/live/live-progress.ts";
import { openScreen } from "../../src/cli/live/screen.ts";
import { openOutput } from "../../src/cli/output.ts";
import { progress } from "../../src/cli/progress.ts";
import { markdownTable } from "../../src/cli/render/markdown.ts";
import { cutToWidth, widthOf } from "../../src/cli/render/width.ts";
import type { Envelope, TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine } from "../../src/testing/index.ts";
import { agentFile, cadre, place, start } from "./command-line.ts";
import { hasScript, onTerminal } from "./on-terminal.ts";
import { screenModel } from "./screen-model.ts";

/** What really happens when a lead delegates, from beginning to end. */
async function eventsOfATree(): Promise<readonly Envelope[]> {
  await using engine = await startEngine({
    registry: registryOf(
      {
        name: "lead",
        description: "leads",
        tape: [
          {
            together: [
              { delegate: "helper", prompt: "a" },
              { delegate: "bad", prompt: "b" },
            ],
          },
          { answer: "led" },
        ],
      },
      { name: "helper", description: "helps", tape: [{ say: "I look\u001b[2Jaround" }, { answer: "helped" }] },
      { name: "bad", description: "fails", tape: [{ fail: "refused", message: "no" }] },
    ),
  });
  await engine.run({ agent: "lead" });
  return engine.world.store.read({ after: 0, limit: 1000 });
}

const plainOutput = (streams: { write(text: string): unknown; isTTY?: boolean }) =>
  openOutput({ stdin: {}, stdout: { write: () => undefined }, stderr: streams, env: { NO_COLOR: "1" } }, false);

describe("live progress on a terminal", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function play(until: (envelope: Envelope) => boolean) {
    vi.useRealTimers();
    const events = await eventsOfATree();
    vi.useFakeTimers({ now: events[0]?.at ?? 0 });
    const terminal = screenModel(50);
    const show = liveProgress(plainOutput(terminal), [], terminal, {});
    const index = events.findIndex(until);
    for (const event of events.slice(0, index + 1)) show(event);
    vi.advanceTimersByTime(100);
    return { terminal, show, rest: events.slice(index + 1) };
  }

  test("has one line for each task that runs, children below their parents, and what each did last", async () => {
    const { terminal, show } = await play(({ event }) => event.type === "message.said");
    expect(terminal.lines()).toEqual([
      "◌ lead#1        0 s      waiting for child",
      "◐   helper#1    0 s      I look\\u001b[2Jaround",
      "◐   bad#1       0 s      started on tape",
    ]);
    expect(terminal.isCursorShown()).toBe(false);
    show.stop();
  });

  test("what has finished scrolls up, in order, and nothing else is left at the end", async () => {
    const { terminal, show, rest } = await play(({ event }) => event.type === "message.said");
    for (const event of rest) show(event);
    show.stop();
    expect(terminal.lines().toSorted()).toEqual(
      [
        "✗   bad#1       failed (refused): no after 0 ms",
        "✓   helper#1    completed (claimed) after 0 ms",
        "✓ lead#1        completed (claimed) after 0 ms",
      ].toSorted(),
    );
    expect(terminal.lines().at(-1)).toContain("lead#1");
    expect(terminal.isCursorShown()).toBe(true);
  });

  test("draws at most ten times a second, each time in one write, and not at all while nothing changes", async () => {
    const { terminal, show, rest } = await play(({ event }) => event.type === "task.admitted");
    const before = terminal.writes.length;
    for (const event of rest.slice(0, 6)) {
      show(event);
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(40);
    expect(terminal.writes.length - before).toBe(1);
    vi.advanceTimersByTime(850);
    expect(terminal.writes.length - before).toBeLessThanOrEqual(2);
    show.stop();
  });

  test("counts the seconds", async () => {
    const { terminal, show } = await play(({ event }) => event.type === "message.said");
    vi.advanceTimersByTime(65_000);
    expect(terminal.lines()[0]).toContain("1 min 5 s");
    show.stop();
  });

  test("steps aside for a question, and comes back below it", async () => {
    const { terminal, show } = await play(({ event }) => event.type === "message.said");
    const answer = Promise.withResolvers<string>();
    const asked = show.aside(async () => {
      terminal.write("Allow? ");
      return answer.promise;
    });
    vi.advanceTimersByTime(500);
    expect(terminal.lines()).toEqual(["Allow?"]);
    expect(terminal.isCursorShown()).toBe(true);
    terminal.write("y\n");
    answer.resolve("y");
    expect(await asked).toBe("y");
    vi.advanceTimersByTime(100);
    expect(terminal.lines().slice(0, 2)).toEqual(["Allow? y", "◌ lead#1        0 s      waiting for child"]);
    show.stop();
  });

  test("without a terminal, or with a dumb one, has exactly the plain lines", async () => {
    vi.useRealTimers();
    const events = await eventsOfATree();
    const written = (
      make: (terminal: { write(text: string): void; isTTY: boolean }) => (envelope: Envelope) => void,
      isTTY: boolean,
    ) => {
      let text = "";
      const show = make({ write: (piece) => void (text += piece), isTTY });
      for (const event of events) show(event);
      return text;
    };
    const plain = written((terminal) => progress(plainOutput(terminal)), false);
    expect(plain).toContain("lead#1");
    expect(written((terminal) => liveProgress(plainOutput(terminal), [], terminal, {}), false)).toBe(plain);
    const dumb = { TERM: "dumb" };
    expect(written((terminal) => liveProgress(plainOutput(terminal), [], terminal, dumb), true)).toBe(plain);
  });

  test("on a dumb one, holds its lines back while a question is open, and says them then", async () => {
    vi.useRealTimers();
    const events = await eventsOfATree();
    let text = "";
    const terminal = { write: (piece: string) => void (text += piece), isTTY: true };
    const show = liveProgress(plainOutput(terminal), [], terminal, { TERM: "dumb" });
    for (const event of events.slice(0, 5)) show(event);
    const before = text;
    await show.aside(async () => {
      terminal.write("Allow? ");
      for (const event of events.slice(5)) show(event);
      terminal.write("y\n");
    });
    expect(text.startsWith(`${before}Allow? y\nlead#1 `)).toBe(true);
    expect(text).toMatch(/lead#1 +completed/);
    show.stop();
  });
});

describe("the screen", () => {
  test("never draws more lines than the terminal has, nor wider ones", () => {
    const terminal = screenModel(20, 5);
    const screen = openScreen(terminal);
    screen.draw(Array.from({ length: 9 }, (_, index) => `line ${index} ${"x".repeat(50)}`));
    expect(terminal.lines()).toEqual([0, 1, 2].map((index) => `line ${index} xxxxxxxxxxx…`));
    screen.draw(["one"], ["above"]);
    expect(terminal.lines()).toEqual(["above", "one"]);
    screen.clear();
    expect(terminal.lines()).toEqual(["above"]);
  });

  test("goes up by what its lines take in a terminal that has become narrower", () => {
    const terminal = { ...screenModel(40), columns: 40 };
    const screen = openScreen(terminal);
    screen.draw(["x".repeat(30)]);
    terminal.columns = 12;
    screen.draw(["y"]);
    expect(terminal.writes.at(-1)?.startsWith("\u001b[3A")).toBe(true);
    screen.clear();
  });
});

test.each([
  ["short", 10, "short"],
  ["a bit too long", 8, "a bit t…"],
  ["日本語のテキスト", 8, "日本語…"],
  ["✅✅✅", 5, "✅✅…"],
  ["\u001b[31mred and long\u001b[39m", 6, "\u001b[31mred a\u001b[0m…"],
])("%j is cut to %i columns", (text, width, cut) => {
  expect(cutToWidth(text, width)).toBe(cut);
  expect(widthOf(cutToWidth(text, width))).toBeLessThanOrEqual(width);
});

describe("status --format markdown", () => {
  const HEAD = "| Task ID | Agent | Status | Created At | Prompt |\n| --- | --- | --- | --- | --- |";

  test("has the table's columns, and nothing in a prompt breaks a cell", async () => {
    await using engine = await startEngine({
      registry: registryOf({ name: "a", description: "d", tape: [{ answer: "x" }] }),
    });
    const rowOf = async (prompt: string): Promise<string> => {
      const task: TaskView = await engine.start({ agent: "a", prompt });
      const [row = ""] = markdownTable([task], (status) => status)
        .split("\n")
        .slice(2);
      return row.replace(task.id, "ID").replace(new Date(task.createdAt).toISOString(), "AT");
    };
    expect(markdownTable([], (status) => status)).toBe(HEAD);
    expect(await rowOf("plain")).toBe("| ID | a | pending | AT | plain |");
    expect(await rowOf("a | b\n| c |\r\nd\u2028e")).toBe("| ID | a | pending | AT | a \\| b \\| c \\| d e |");
    expect(await rowOf("back\\| slash\\")).toBe("| ID | a | pending | AT | back\\\\\\| slash\\\\ |");
    expect(await rowOf("x".repeat(100))).toBe(`| ID | a | pending | AT | ${"x".repeat(57)}... |`);
  });

  test("is printed by the command", async () => {
    const where = await place({ ".cadre/agents/a.md": agentFile("a", "  - answer: ok") });
    await cadre(where, "start", "a", "one | two");
    const { stdout, exit } = await cadre(where, "status", "--format", "markdown");
    expect(stdout).toMatch(
      /^\| Task ID \| Agent \| Status \| Created At \| Prompt \|\n.*\n\| task_\w+ \| a \| pending \| \S+Z \| one \\\| two \|\n$/,
    );
    expect(exit).toBe(0);
  });
});

const AGENTS = {
  ".cadre/agents/quick.md": agentFile("quick", "  - say: hello\n  - pause_ms: 400\n  - answer: Done."),
  ".cadre/agents/slow.md": agentFile(
    "slow",
    `  - say: ${"very ".repeat(15)}long\n  - pause_ms: 60000\n  - answer: late`,
  ),
  "tasks.json": JSON.stringify([
    { agent: "quick", prompt: "one" },
    { agent: "quick", prompt: "two" },
  ]),
  "slow.json": JSON.stringify([{ agent: "slow", prompt: "one" }]),
};

describe.runIf(hasScript)("on a pseudo-terminal", () => {
  test("a batch is shown in place, and leaves plain lines and its table", async () => {
    const { exit, stdout } = await onTerminal(await place(AGENTS), "batch", "tasks.json").done;
    const screen = screenModel(60, 12);
    screen.write(stdout);
    // How wide the column is depends on how long they took.
    const timeless = (line: string) => line.replace(/(TIME|[\d.]+ m?s) +/, "T  ").replace(/[\d.]+ m?s$/, "T");
    const lines = screen.lines().map(timeless);
    expect([...lines.slice(0, 2).toSorted(), ...lines.slice(2)]).toEqual([
      "✓ quick#1       completed (claimed) after T",
      "✓ quick#2       completed (claimed) after T",
      "#  AGENT  STATUS       T  TASK  RESULT",
      "0  quick  ✓ completed  T  one   Done.",
      "1  quick  ✓ completed  T  two   Done.",
    ]);
    expect(stdout).toContain("◌ quick#1");
    expect(screen.isCursorShown()).toBe(true);
    expect(exit).toBe(0);
  });

  test("Ctrl-C stops it, and gives the cursor back", async () => {
    const run = onTerminal(await place(AGENTS), "batch", "slow.json");
    await run.until("very");
    run.type("\u0003");
    const { exit, stdout } = await run.done;
    expect(stdout.lastIndexOf("\u001b[?25h")).toBeGreaterThan(stdout.lastIndexOf("\u001b[?25l"));
    expect(stdout).toContain("stopped by");
    expect(exit).toBe(130);
  });

  test("status --watch shows each change in place until Ctrl-C", async () => {
    const where = await place(AGENTS);
    const watch = onTerminal(where, "status", "--watch");
    await watch.until("No tasks.");
    await cadre(where, "start", "quick", "see me");
    await watch.until("○ pending");
    await cadre(where, "work");
    await watch.until("✓ completed");
    watch.type("\u0003");
    const { exit, stdout } = await watch.done;
    const screen = screenModel(60, 12);
    screen.write(stdout);
    const lines = screen.lines().filter((line) => line !== "");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/quick#1 +✓ completed .* see me$/);
    expect(screen.isCursorShown()).toBe(true);
    expect(exit).toBe(0);
  });

  test("a person sets a setting", async () => {
    const where = await place();
    expect((await onTerminal(where, "config", "set", "subagents.max_concurrent", "4").done).exit).toBe(0);
    expect((await cadre(where, "config", "get", "subagents.max_concurrent")).stdout).toBe("4\n");
  });
});

describe("status --watch without a terminal", () => {
  test("prints each state below the last, until it is interrupted", async () => {
    const where = await place(AGENTS);
    const watch = start(where, "status", "--watch");
    await watch.until("No tasks.");
    await cadre(where, "start", "quick", "see me");
    await watch.until("○ pending");
    watch.kill("SIGINT");
    const { exit, stdout } = await watch.done;
    expect(stdout).toMatch(/^No tasks\.\n\nTASK .*\nquick#1 +○ pending .*\n$/);
    expect(exit).toBe(0);
  });

  test("is not for programs", async () => {
    const { exit, stderr } = await cadre(await place(), "status", "--watch", "--json");
    expect(stderr).toContain("--watch draws for people");
    expect(exit).toBe(2);
  });
});
