// Commands in the background, and the end of the time, with real programs and a real clock.
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
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

test("a command in the background has an id that TaskOutput and TaskStop take", async () => {
  let id = "";
  const script: WireScript = ({ said }, n) => {
    const results = JSON.stringify(said.results);
    if (n === 0) return { parts: [callTool("Bash", { command: "echo begun; sleep 1000", run_in_background: true })] };
    if (n === 1) {
      id = /bash_\d+/.exec(results)?.[0] ?? "";
      return { parts: [callTool("TaskOutput", { task_id: id, timeout: 300 })] };
    }
    return n === 2 ? { parts: [callTool("TaskStop", { task_id: id })] } : say("done");
  };
  await using wired = await openWired(line, script, { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Build." });
  expect(task.outcome).toMatchObject({ status: "completed", answer: "done" });
  const [, output, stopped] = factsIn(await wired.log(task), "tool.returned").map((event) => event.output);
  expect(output).toMatch(/Command: echo begun; sleep 1000\nTask ID: bash_1\nStatus: still running[\s\S]*begun/);
  expect(stopped).toMatch(/Status: killed\nExit: \w+/);
});

test("a command that runs when the time is up is ended, and the agent has its last words", async () => {
  const script: WireScript = ({ said }) =>
    said.results.length === 0 ? { parts: [callTool("Bash", { command: "sleep 1000" })] } : say("It took too long.");
  await using wired = await openWired(line, script, { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Build.", limits: { timeoutMs: 1_500 } });
  expect(task.outcome).toMatchObject({ answer: "It took too long.", recovered: { limit: "timeout" } });
  const [returned] = factsIn(await wired.log(task), "tool.returned");
  expect(returned).toMatchObject({ ok: false });
});

test("a model that speaks when the time is up is broken off, and asked for its last words", async () => {
  const script: WireScript = (_request, n) =>
    n === 0 ? { parts: [{ text: "Let me think about" }], hold: new Promise(() => undefined) } : say("So far: a door.");
  await using wired = await openWired(line, script, { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Think.", limits: { timeoutMs: 1_500 } });
  expect(task.outcome).toMatchObject({ answer: "So far: a door.", recovered: { limit: "timeout" } });
  expect(wired.server.abandoned).toBe(1);
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
