// An agent that judges the answer of a backend which takes the whole budget: it works on what that has left.
import { expect, test } from "vitest";
import { agentGate } from "../../src/gates/completion/agent-gate.ts";
import type { Cost } from "../../src/schema/index.ts";
import { registryOf, type Script, scriptedBackend, startEngine } from "../../src/testing/index.ts";
import { byAgent, factsOf } from "./kit.ts";

const tokens = (count: number): Cost => ({ microUsd: 0, tokens: count });

/** `spent`: all that the backend has taken by its first answer, and by its second. */
function withJudge(spent: readonly (Cost | undefined)[], verdicts: readonly string[]) {
  const heard: string[] = [];
  const said = [...verdicts];
  const judges: Script = async (_attempt, scope) => {
    const call = await scope.reserve(tokens(10));
    if (call === false) return { kind: "failed", reason: "budget", message: "there is no room for the call" };
    await scope.append({ type: "settle", reservation: call, spent: tokens(10) });
    return { kind: "answered", answer: said.shift() ?? "" };
  };
  const close = async () => void heard.push("closed");
  const works: Script = async () => ({
    kind: "answered",
    answer: "one",
    spent: spent[0],
    revise: async () => {
      heard.push("revised");
      return { kind: "answered", answer: "two", spent: spent[1], close };
    },
    close,
  });
  const engine = startEngine({
    gates: ({ spec }) => (spec.depth === 0 ? [agentGate("judge", "judge", async () => "")] : []),
    registry: registryOf(
      { name: "worker", description: "Works.", backend: "cli", max_tokens: 100, tools: ["Task"] },
      { name: "judge", description: "Judges.", backend: "loop" },
    ),
    backends: [
      scriptedBackend(byAgent({ judge: judges }), { name: "loop" }),
      scriptedBackend([works], { name: "cli", capabilities: { usage: "at-end" } }),
    ],
  });
  return { engine, heard };
}

test("it has what is left when the answer is there", async () => {
  await using engine = await withJudge([tokens(20)], ["VERDICT: pass"]).engine;
  const task = await engine.run({ agent: "worker" });
  expect(task).toMatchObject({ outcome: { status: "completed", answer: "one" }, spent: tokens(20) });
});

test("a backend that is sent back has what is left then, and pays for what it took since", async () => {
  await using engine = await withJudge([tokens(20), tokens(35)], ["VERDICT: fail", "VERDICT: pass"]).engine;
  const task = await engine.run({ agent: "worker" });
  expect(task).toMatchObject({ outcome: { status: "completed", answer: "two" }, spent: tokens(35), bound: tokens(0) });
  const log = await engine.log(task.id);
  const wholes = factsOf(log, "budget.settled").map(({ reserved, spent }) => [reserved.tokens, spent.tokens]);
  expect(wholes).toEqual([
    [100, 20],
    [70, 15],
  ]);
});

test("a backend is not sent back to work on nothing, and lets go of what it kept for that", async () => {
  const { engine: starting, heard } = withJudge([tokens(90), tokens(99)], ["VERDICT: fail"]);
  await using engine = await starting;
  const task = await engine.run({ agent: "worker" });
  expect(task).toMatchObject({ outcome: { status: "failed", reason: "gate_failed" }, spent: tokens(90) });
  expect(heard).toEqual(["closed"]);
});

test("of a backend that says nothing all counts, so nobody is there to judge it", async () => {
  await using engine = await withJudge([undefined, undefined], ["VERDICT: pass"]).engine;
  const task = await engine.run({ agent: "worker" });
  expect(task).toMatchObject({ outcome: { status: "failed", reason: "gate_failed" }, bound: tokens(100) });
});
