// What a CLI can do wrong: junk, silence, lies, floods. None of it passes for an answer, and none of it is kept in memory.
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { codex } from "../../../src/backends/codex/codex.ts";
import { gemini } from "../../../src/backends/gemini/gemini.ts";
import { eventually } from "../../custody/kit.ts";
import { factsOf } from "../../engine/kit.ts";
import { transcript, withStub } from "./kit.ts";

const text = (words: string) =>
  JSON.stringify({ type: "item.completed", item: { type: "agent_message", text: words } });
const DONE = JSON.stringify({ type: "turn.completed", usage: { input_tokens: 5, output_tokens: 1 } });
const THREAD = JSON.stringify({ type: "thread.started", thread_id: "t-1" });

describe("a CLI that misbehaves", () => {
  it("says junk between its events: they are counted, and the answer stands", async () => {
    await using world = await withStub(codex, [
      { says: ["Welcome!", THREAD, "{half", "[1]", "null", text("fine"), DONE] },
    ]);
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "fine" });
    expect(factsOf(await world.engine.log(id), "note.taken")).toMatchObject([
      { text: "4 lines from codex were no events of its protocol" },
    ]);
  });

  it("says events of an unknown shape", async () => {
    const odd = [
      { type: "item.completed" },
      { type: "item.completed", item: 5 },
      { type: 7 },
      { type: "turn.completed", usage: "much" },
    ];
    await using world = await withStub(codex, [
      { says: [...odd.map((one) => JSON.stringify(one)), text("fine"), DONE] },
    ]);
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({
      status: "completed",
      answer: "fine",
    });
  });

  it.each([
    ["exits with 0 and without its last event", { says: [THREAD, text("nearly")] }, "no_completion"],
    ["exits with 0 and without an answer", { says: [THREAD, DONE] }, "no_completion"],
    ["exits with 0 and an answer of blanks", { says: [THREAD, text(" \n"), DONE] }, "no_completion"],
    ["exits with 0 and words of an error on stderr", { stderr: "Error: invalid api key\n" }, "no_completion"],
    ["exits with 1 and such words", { stderr: "Error: invalid api key\n", code: 1 }, "backend_unavailable"],
    ["exits with 1 and words on a quota", { stderr: "quota exceeded\n", code: 1 }, "rate_limited"],
    ["exits with 3 and says nothing", { code: 3 }, "backend_error"],
  ] as const)("%s", async (_name, play, reason) => {
    await using world = await withStub(codex, [play]);
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({ status: "failed", reason });
  });

  it("exits with 7 after its answer: the answer counts", async () => {
    await using world = await withStub(codex, [{ says: [THREAD, text("fine"), DONE], code: 7 }]);
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({
      status: "completed",
      answer: "fine",
    });
  });

  it("answers without a word of what it used: that counts as everything", async () => {
    const says = transcript(gemini, "text").map((line) => line.replace(/,"stats":\{.*\}\}$/, "}"));
    expect(says.at(-1)).toMatch(/"type":"result"(?!.*stats)/);
    await using world = await withStub(gemini, [{ says }], { agent: { max_tokens: 1_000 } });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(factsOf(await world.engine.log(id), "budget.settled").at(-1)?.spent.tokens).toBe(1_000);
  });

  it.each([
    [
      { max_tokens: 1_000 },
      { spent: { tokens: 994 }, isBound: true },
      { spent: { tokens: 1_000 }, areTokensKnown: true },
    ],
    [{}, { spent: { microUsd: null, tokens: 0 } }, { isCostKnown: false, areTokensKnown: false }],
  ])(
    "tells what its first start took, and not what the second did, of %j: no part of it counts as all",
    async (agent, settled, task) => {
      const cut = { says: [THREAD, text("again")], code: 137 };
      await using world = await withStub(codex, [{ says: [THREAD, text("fine"), DONE] }, cut], {
        agent,
        gates: () => [
          { name: "never", check: async () => ({ passed: false, reason: "gate_failed", feedback: "again" }) },
        ],
      });
      const ended = await world.engine.run({ agent: "worker" });
      expect(world.started()).toHaveLength(2);
      expect(factsOf(await world.engine.log(ended.id), "budget.settled").at(-1)).toMatchObject(settled);
      expect(ended).toMatchObject(task);
    },
  );

  it("has two results: the last one counts", async () => {
    const lines = transcript(claude, "text");
    const result = lines.findLast((line) => line.includes('"type":"result"')) ?? "";
    const first = result.replace("forty-two", "started it in the background");
    const says = lines.flatMap((line) => (line === result ? [first, result] : [line]));
    await using world = await withStub(claude, [{ says, isDialogue: true }]);
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({
      status: "completed",
      answer: "forty-two",
    });
  });

  it("calls an error a success: what counts is is_error", async () => {
    const says = transcript(claude, "error-400");
    expect(says.join("\n")).toContain('"subtype":"success"');
    await using world = await withStub(claude, [{ says, isDialogue: true }]);
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({
      status: "failed",
      reason: "backend_error",
    });
  });

  it("does not take our hook: it is never told its task", async () => {
    const refusal = {
      type: "control_response",
      response: { subtype: "error", request_id: "cadre-hooks", error: "no hooks here" },
    };
    await using world = await withStub(claude, [{ says: [JSON.stringify(refusal)], isDialogue: true }]);
    const { outcome } = await world.engine.run({ agent: "worker", prompt: "the SECRET plan" });
    expect(outcome).toMatchObject({ status: "failed", reason: "backend_error" });
    expect(world.started()[0]?.heard.join("\n")).not.toContain("SECRET");
  });

  it("floods: fifty megabytes pass, and a line of more than sixteen is left out", async () => {
    const junk = JSON.stringify({ type: "noise", text: "x".repeat(1024 * 1024) });
    const long = JSON.stringify({ type: "noise", text: "y".repeat(17 * 1024 * 1024) });
    await using world = await withStub(codex, [{ says: [junk, long, text("fine"), DONE], repeats: 50 }]);
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "fine" });
    const log = await world.engine.log(id);
    expect(JSON.stringify(factsOf(log, "note.taken"))).toContain("was left out");
    expect(JSON.stringify(log).length).toBeLessThan(20_000);
  });

  it("gives a megabyte as its answer: it is cut to what the task allows", async () => {
    await using world = await withStub(codex, [{ says: [THREAD, text("z".repeat(1024 * 1024)), DONE] }], {
      agent: { max_output_kb: 8 },
    });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", truncated: true });
    expect(outcome?.answer).toHaveLength(8 * 1024);
    expect(factsOf(await world.engine.log(id), "message.said")[0]?.text).toHaveLength(8 * 1024);
  });

  it.each([claude, codex, gemini])("$name does not end when it is asked to: it is ended", async (cli) => {
    await using world = await withStub(cli, [{ isDeaf: true }]);
    const { id } = await world.engine.start({ agent: "worker" });
    world.engine.work();
    await eventually("it is up", () => world.started().length > 0);
    await world.engine.engine.stop(id, "ada");
    await eventually("it ends", async () => {
      await world.engine.world.clock.advance(world.engine.engine.parts.settings.stopGraceMs);
      return (await world.engine.show(id)).outcome !== null;
    });
    expect((await world.engine.show(id)).outcome).toMatchObject({ status: "cancelled", how: "forced" });
  });
});
