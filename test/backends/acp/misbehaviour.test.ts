import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../../../src/testing/index.ts";
import { eventually, temporaryFolder } from "../../custody/kit.ts";
import type { Gate } from "../../../src/ports/index.ts";
import { factsOf } from "../../engine/kit.ts";
import { ended, FREE, outcomeOf, said, withPeer } from "./kit.ts";
import type { Script, Step } from "./stub-agent.ts";

const failed = (reason: string, message: RegExp) => ({
  status: "failed",
  reason,
  message: expect.stringMatching(message) as string,
});

describe("a peer that misbehaves", () => {
  it.each<[string, Step[], object]>([
    ["exits", [{ say: "so far" }, { exit: 3 }], failed("backend_error", /exited with 3/)],
    ["exits well, without an answer", [{ exit: 0 }], failed("backend_error", /exited with 0 before it was done/)],
    ["writes a line of 50 MB", [{ line: 50_000_000 }], failed("backend_error", /a line of more than 16777216 bytes/)],
    [
      "writes nonsense for ever",
      Array.from({ length: 1_100 }, () => ({ raw: "?" })),
      failed("backend_error", /not the protocol/),
    ],
    [
      "answers with something else",
      [{ raw: '{"jsonrpc":"2.0","id":3,"result":42}' }, { hang: "for ever" }],
      failed("backend_error", /something else/),
    ],
    ["takes more turns than it may", turns(5), failed("max_turns", /not done after 3 turns/)],
  ])("%s: its task fails, and says how", async (_what, steps, outcome) => {
    expect(await outcomeOf(steps, { agent: { ...FREE, max_turns: 3 } })).toMatchObject(outcome);
  });

  it.each<[string, Step[]]>([
    [
      "a banner, half a message, a list, a number and an empty line",
      ["hello!", '{"jsonrpc":', "[]", "7", ""].map((raw) => ({ raw })),
    ],
    [
      "answers to nothing that was asked",
      [{ answer: 999 }, { answer: 0 }, { raw: '{"jsonrpc":"2.0","id":"x","result":{}}' }],
    ],
    ["updates of another session", [{ update: chunk("evil"), session: "other" }]],
    [
      "updates of no kind",
      [{ update: { sessionUpdate: "dance" } }, { update: {} }, { raw: '{"jsonrpc":"2.0","method":"session/update"}' }],
    ],
    [
      "methods that nobody knows",
      [
        { call: "craft/drainMidTurnQueue", params: {} },
        { call: "toString", params: {} },
      ],
    ],
    ["calls of another session", [{ call: "fs/read_text_file", params: { sessionId: "other", path: "/etc/passwd" } }]],
    [
      "calls without parameters",
      [
        { call: "fs/write_text_file", params: {} },
        { call: "terminal/output", params: {} },
      ],
    ],
    ["a tool call that is nested without end", [{ nest: 100_000 }]],
    [
      "tool calls that are told twice and in no order",
      [...told("completed"), ...told("pending"), ...told("completed")],
    ],
    ["another version of JSON-RPC", [{ raw: '{"jsonrpc":"1.0","method":"session/update","params":{}}' }]],
  ])("sends %s: that is contained, and its task goes on", async (_what, steps) => {
    const outcome = await outcomeOf([...steps, { say: "done" }], { agent: FREE });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
  });

  it("asks for something before it was asked anything: it gets nothing", async () => {
    const project = temporaryFolder();
    const target = join(project, "early");
    const record = join(project, "wire.jsonl");
    const before: Step[] = [{ call: "fs/write_text_file", params: { path: target, content: "x" } }];
    const outcome = await outcomeOf([{ say: "done" }], { project, agent: FREE }, { before, record });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
    expect(existsSync(target)).toBe(false);
    expect(readFileSync(record, "utf8")).toContain("there is no such session");
  });

  it("goes on after its answer: it gets nothing", async () => {
    const project = temporaryFolder();
    const [target, record] = [join(project, "late"), join(project, "wire.jsonl")];
    const after: Step[] = [{ call: "fs/write_text_file", params: { path: target, content: "x" } }];
    const hasAnswer = () => readFileSync(record, "utf8").includes("no prompt is being worked on");
    const gate: Gate = {
      name: "waits for what comes late",
      check: async () => {
        await eventually("it is refused", hasAnswer);
        return { passed: true, independent: false };
      },
    };
    const setup = { project, agent: FREE, engine: { gates: [gate] } };
    expect(await outcomeOf([{ say: "done" }], setup, { after, record })).toMatchObject({ status: "completed" });
    expect(existsSync(target)).toBe(false);
  });

  it("answers twice: the first answer holds, and what it says afterwards is not heard", async () => {
    const again: Step[] = [
      { say: "first" },
      { raw: '{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}' },
      { say: "late" },
      { stop: "refusal" },
    ];
    expect(await outcomeOf(again, {}, {})).toMatchObject({ status: "completed", answer: "first" });
  });

  it.each<[string, Script, object]>([
    ["speaks another version", { initialize: { protocolVersion: 2 } }, failed("backend_unavailable", /version 2/)],
    [
      "cannot be initialized",
      { failAt: { initialize: { code: -32603, message: "no" } } },
      failed("backend_error", /the peer says: no/),
    ],
    ["opens no session", { session: { sessionId: "" } }, failed("backend_error", /opened no session/)],
    [
      "wants a login",
      { wantsLogin: "Please log in" },
      failed("backend_unavailable", /wants a login: Please log in \(A key\)/),
    ],
    [
      "does not take the mode",
      { failAt: { "session/set_mode": { code: -32603, message: "stuck" } } },
      failed("backend_error", /stuck/),
    ],
  ])("%s: its task is not begun", async (_what, script, outcome) => {
    expect(await outcomeOf([{ say: "hm" }], {}, script)).toMatchObject({ ...outcome, answer: null });
  });

  it("does not answer at all: it is given up", async () => {
    const clock = fakeClock();
    await using world = await withPeer({ silentAt: "initialize" }, { options: { clock } });
    const { id } = await world.engine.start({ agent: "peer" });
    world.engine.work();
    await eventually("it is given up", async () => {
      await clock.advance(60_000);
      return (await world.engine.show(id)).outcome !== null;
    });
    const { outcome } = await world.engine.show(id);
    expect(outcome).toMatchObject(failed("backend_unavailable", /did not answer `initialize` within 60 s/));
  });

  it("is logged in where a key is all that it takes", async () => {
    const lookup = (name: string) => ({ PATH: process.env["PATH"], GEMINI_API_KEY: "k" })[name];
    const script = { wantsLogin: "Please", initialize: { authMethods: [{ id: "gemini-api-key", name: "Key" }] } };
    const setup = { agent: { backend: "acp-gemini" }, options: { lookup } };
    expect(await outcomeOf([{ say: "in" }], setup, script)).toMatchObject({ status: "completed", answer: "in" });
  });

  it("never ends: it is told to, has its moment, and is ended at the time limit", async () => {
    await using world = await withPeer({ prompts: [[{ say: "on and on" }, { hang: "for ever" }]], ignoresEnd: true });
    const { engine } = world;
    const { id } = await engine.start({ agent: "peer", limits: { timeoutMs: 60_000 } });
    engine.work();
    await eventually("it works", () => said(world.parts).includes("on and on"));
    await engine.world.clock.advance(60_000);
    await engine.world.clock.advance(engine.engine.parts.settings.stopGraceMs);
    expect((await ended(engine, id)).outcome).toMatchObject({ status: "failed", reason: "timeout", answer: null });
  });

  it("asks about more than can be shown: it is refused, and what it said before is not held for it", async () => {
    const big: Step = { big: 2_000_000, toolCallId: "b" };
    const ask: Step = { ask: { toolCallId: "b", title: "Edit", kind: "edit" } };
    await using world = await withPeer({ prompts: [[big, ask, { tell: "last" }]] }, { agent: FREE });
    const task = await world.engine.run({ agent: "peer" });
    expect(task.outcome).toMatchObject({ answer: expect.stringContaining('"no"') as string });
    const [refused] = factsOf(await world.engine.log(task.id), "tool.refused");
    expect(refused?.decision.rule).toBe("input: it is too large or too deep to be shown whole");
    expect(JSON.stringify(refused).length).toBeLessThan(1_000);
  });

  it("reports so many tool calls that not all are written down", async () => {
    const report: Step = {
      flood: 3_000,
      update: { sessionUpdate: "tool_call", toolCallId: "t%", title: "T", status: "completed" },
    };
    await using world = await withPeer(
      { prompts: [[report, { say: "done" }]] },
      { agent: { ...FREE, max_turns: 10_000 } },
    );
    const task = await world.engine.run({ agent: "peer" });
    expect(task.outcome).toMatchObject({ status: "completed" });
    expect(factsOf(await world.engine.log(task.id), "tool.reported").length).toBeLessThanOrEqual(2_000);
  });
});

const FLOOD = fileURLToPath(new URL("fixtures/flood.ts", import.meta.url));

it("100 000 updates and a line of 50 MB are not held in memory", () => {
  const small = "--max-old-space-size=64"; // what is thrown away is collected, and so not counted as held
  const text = execFileSync(process.execPath, [small, FLOOD], { encoding: "utf8", timeout: 90_000 });
  const { shown, grownBy, outcomes } = JSON.parse(text) as { shown: number; grownBy: number; outcomes: unknown };
  expect(shown).toBe(100_000 * 100);
  expect(outcomes).toEqual(["completed", "failed"]);
  expect(grownBy).toBeLessThan(100 * 1024 * 1024);
}, 100_000);

function chunk(text: string): object {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

function turns(count: number): Step[] {
  const one = (status: string, id: number): Step => ({
    update: {
      sessionUpdate: status === "pending" ? "tool_call" : "tool_call_update",
      toolCallId: `c${id}`,
      title: "T",
      status,
    },
  });
  const calls = Array.from({ length: count }, (_none, id) => [one("pending", id), one("completed", id)]).flat();
  return [...calls, { hang: "until cancelled" }];
}

function told(status: string): Step[] {
  return ["b", "a"].map((id) => ({ update: { sessionUpdate: "tool_call_update", toolCallId: id, status } }));
}
