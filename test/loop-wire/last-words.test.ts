// Last words that are none, or half of some, and turns that are not over: in every wire format.
import { describe, expect, test } from "vitest";
import { callTool, say, type WireAnswer, type WireScript } from "../models/wire/index.ts";
import { factsIn, FORMATS, openWired } from "./kit.ts";

const agents = [
  { name: "agent", description: "does what it is told" },
  { name: "counter", description: "counts", output: { name: "report", schema: { type: "integer" } } },
];
const files = { "README.md": "# Doors\n" };
const limits = { maxTurns: 1 };

const isLast = (tools: readonly { readonly name: string }[]) => !tools.some(({ name }) => name === "Read");

const endingWith =
  (last: WireAnswer): WireScript =>
  ({ said }) =>
    isLast(said.tools) ? last : { parts: [callTool("Read", { file_path: "README.md" })] };

describe.each(FORMATS)("$format", (line) => {
  test("a refusal is no answer", async () => {
    const last: WireAnswer = { parts: [{ text: "I cannot help with that." }], stop: "refused" };
    await using wired = await openWired(line, endingWith(last), { agents, files });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it.", limits });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "refused", message: "I cannot help with that." });
    expect(wired.server.requests).toHaveLength(2);
  });

  test("an answer that is cut off is kept, and is said to be cut", async () => {
    const last: WireAnswer = { parts: [{ text: "The answer is th" }], stop: "length" };
    await using wired = await openWired(line, endingWith(last), { agents, files });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it.", limits });
    expect(task.outcome).toMatchObject({
      status: "completed",
      answer: "The answer is th",
      recovered: { limit: "max_turns" },
      truncated: true,
    });
  });

  test("an output that is cut off is none; one that came whole is not cut", async () => {
    const run = async (last: WireAnswer) => {
      await using wired = await openWired(line, endingWith(last), { agents, files });
      return (await wired.cadre.run({ agent: "counter", prompt: "Count.", limits })).outcome;
    };
    expect(await run({ parts: [{ call: "complete_task", raw: '{"report": ' }], stop: "length" })).toMatchObject({
      status: "failed",
      reason: "max_turns",
    });
    expect(await run({ parts: [callTool("complete_task", { report: 3 })], stop: "length" })).toMatchObject({
      status: "completed",
      output: 3,
      truncated: false,
    });
  });
});

describe.each(FORMATS.filter(({ format }) => format === "anthropic" || format === "chat"))("$format", (line) => {
  const FULL: WireAnswer = { parts: [{ text: "Half an ans" }], because: "model_context_window_exceeded" };

  test("a window that was full in the middle of a reply is made room in", async () => {
    let isFull = true;
    const script: WireScript = ({ said }, n) => {
      if (said.system.startsWith("You sum up")) return say("It has read the README.");
      if (n < 3) return { parts: [callTool("Read", { file_path: "README.md" })] };
      if (!isFull) return say("done");
      isFull = false;
      return FULL;
    };
    await using wired = await openWired(line, script, { agents, files });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done", recovered: null });
    expect(factsIn(await wired.log(task), "history.compacted")).toMatchObject([{ summary: "It has read the README." }]);
  });

  test("one that stays full ends the task, and not by the number of its turns", async () => {
    await using wired = await openWired(line, () => FULL, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it." });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "backend_error" });
    expect(wired.server.requests.length).toBeLessThanOrEqual(2);
  });
});

test.each(FORMATS.filter(({ format }) => format === "anthropic"))(
  "$format: a turn that pauses goes on",
  async (line) => {
    const script: WireScript = [
      { parts: [{ text: "Let me see. " }], because: "pause_turn" },
      say("It is in the cellar."),
    ];
    await using wired = await openWired(line, script, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Where is the key?" });
    const answer = "Let me see. It is in the cellar.";
    expect(task).toMatchObject({ turns: 2, outcome: { status: "completed", answer } });
    expect(JSON.stringify(wired.server.requests[1]?.said.texts)).toContain("Let me see.");
  },
);
