// Commands in the background, and the end of the time, with real programs and a real clock.
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { spentWithChildren } from "../../src/cli/spent-below.ts";
import { callTool, say, type WireScript } from "../models/wire/index.ts";
import { factsIn, FORMATS, openWired } from "./kit.ts";

const agents = [
  {
    name: "agent",
    description: "does what it is told",
    permission_mode: "auto" as const,
    workspace: { mode: "shared" as const, allow_writes: true },
  },
];
const [anthropic] = FORMATS;
if (anthropic === undefined) throw new Error("there are formats");
const line = anthropic;
/** By a real clock: until then it has to have begun, on a machine that does other things, too. */
const TIME_MS = 4_000;

test("a command in the background has an id that TaskOutput and TaskStop take", async () => {
  let id = "";
  let isStopped = false;
  const script: WireScript = ({ said }, n) => {
    const last = said.results.at(-1)?.text ?? "";
    if (n === 0) return { parts: [callTool("Bash", { command: "echo begun; sleep 1000", run_in_background: true })] };
    if (n === 1) id = /bash_\d+/.exec(last)?.[0] ?? "";
    if (isStopped) return say("done");
    // Until it has begun, however long its start takes.
    if (n < 20 && !/still running[\s\S]*begun/.test(last))
      return { parts: [callTool("TaskOutput", { task_id: id, timeout: 300 })] };
    isStopped = true;
    return { parts: [callTool("TaskStop", { task_id: id })] };
  };
  await using wired = await openWired(line, script, { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Build." });
  expect(task.outcome).toMatchObject({ status: "completed", answer: "done" });
  const [output, stopped] = factsIn(await wired.log(task), "tool.returned")
    .map((event) => event.output)
    .slice(-2);
  expect(output).toMatch(/Command: echo begun; sleep 1000\nTask ID: bash_1\nStatus: still running[\s\S]*begun/);
  expect(stopped).toMatch(/Status: killed\nExit: \w+/);
});

test("a command that runs when the time is up is ended, and the agent has its last words", async () => {
  const script: WireScript = ({ said }) =>
    said.results.length === 0 ? { parts: [callTool("Bash", { command: "sleep 1000" })] } : say("It took too long.");
  await using wired = await openWired(line, script, { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Build.", limits: { timeoutMs: TIME_MS } });
  expect(task.outcome).toMatchObject({ answer: "It took too long.", recovered: { limit: "timeout" } });
  const [returned] = factsIn(await wired.log(task), "tool.returned");
  expect(returned).toMatchObject({ ok: false });
});

test("a model that speaks when the time is up is broken off, and asked for its last words", async () => {
  const script: WireScript = (_request, n) =>
    n === 0 ? { parts: [{ text: "Let me think about" }], hold: new Promise(() => undefined) } : say("So far: a door.");
  await using wired = await openWired(line, script, { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Think.", limits: { timeoutMs: TIME_MS } });
  expect(task.outcome).toMatchObject({ answer: "So far: a door.", recovered: { limit: "timeout" } });
  await expect.poll(() => wired.server.abandoned).toBe(1);
});

test("what lets a command in as the agent's own is in its environment, and nowhere in the log or on disk", async () => {
  const script: WireScript = ({ said }) =>
    said.results.length === 0
      ? { parts: [callTool("Bash", { command: "env; echo length=${#CADRE_TOKEN}" })] }
      : say("done");
  await using wired = await openWired(line, script, { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Look." });
  const [returned] = factsIn(await wired.log(task), "tool.returned");
  expect(returned?.output).toMatch(/CADRE_TOKEN=\{\{secret:CADRE_TOKEN\}\}\n/);
  expect(Number(/^length=(\d+)$/m.exec(returned?.output ?? "")?.[1])).toBeGreaterThan(20);
  expect(wired.onDisk()).not.toMatch(/CADRE_TOKEN=[\w-]{20,}/);
  expect(JSON.stringify(wired.server.requests)).not.toMatch(/CADRE_TOKEN=[\w-]{20,}/);
});

test("Review runs only commands that are proven to read, and nothing else is asked for or done", async () => {
  const commands = ["cat door.ts", "touch made", "cat door.ts > copied", "ls; rm door.ts", "$(echo touch) made"];
  const script: WireScript = ({ said }) =>
    said.results.length === 0 ? { parts: commands.map((command) => callTool("Bash", { command })) } : say("Reviewed.");
  await using wired = await openWired(line, script, { files: { "door.ts": "creak\n" } });
  const task = await wired.cadre.run({ agent: "Review", prompt: "Review it." });
  expect(task.outcome).toMatchObject({ status: "completed", answer: "Reviewed." });
  expect(task.approvals).toEqual([]);
  const log = await wired.log(task);
  expect(factsIn(log, "tool.called").map(({ input }) => input)).toEqual([{ command: "cat door.ts" }]);
  expect(factsIn(log, "tool.refused")).toHaveLength(4);
  expect(readdirSync(wired.project).toSorted()).toEqual([".cadre", "door.ts"]);
});

test("what a tree has cost is told of its root, and of a part of it", async () => {
  const below = ["lead", "middle", "leaf"];
  const tree = below.map((name) => ({ name, description: name, tools: ["Task"], permission_mode: "auto" as const }));
  const script: WireScript = ({ said }) => {
    const next = below[below.findIndex((name) => said.system.includes(`## Agent Type: ${name}`)) + 1];
    if (next === undefined || said.results.length > 0) return { ...say("done"), usage: { input: 100, output: 10 } };
    const calls = [1, 2].map((n) => callTool("Task", { subagent_type: next, prompt: "go" }, `call_${n}`));
    return { parts: calls, usage: { input: 100, output: 10 } };
  };
  const userFiles = { ".cadre/config.yml": "security: { require_approval: { subagents: false } }\n" };
  await using wired = await openWired(line, script, { agents: tree, userFiles });
  const task = await wired.cadre.run({ agent: "lead", prompt: "Go." });
  expect(await spentWithChildren(wired.cadre, task)).toMatchObject({
    spent: { tokens: 110 * (2 + 4 + 4), microUsd: 10 * (task.spent.microUsd / 2) },
    isCostKnown: true,
  });
  const { tasks } = await wired.cadre.call("task.list", {});
  const middle = tasks.find(({ spec }) => spec.definition.name === "middle");
  const leaf = tasks.find(({ spec }) => spec.definition.name === "leaf");
  if (middle === undefined || leaf === undefined) throw new Error("they were not started");
  expect(await spentWithChildren(wired.cadre, middle)).toMatchObject({ spent: { tokens: 110 * 4 } });
  expect(await spentWithChildren(wired.cadre, leaf)).toBeNull();
});
