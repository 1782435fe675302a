import { describe, expect, test } from "vitest";
import type { Permission, Store, ToolCall } from "../../src/ports/index.ts";
import { registryOf, type Script, startEngine, testWorld, memoryWorkspaces } from "../../src/testing/index.ts";
import { answerNext, factsOf, openQuestions, typesOf, withWorker } from "./kit.ts";

const read: ToolCall = { tool: "Read", effect: "read", path: "src/a.ts", input: { path: "src/a.ts" } };
const write: ToolCall = { tool: "Write", effect: "write", path: "src/a.ts", input: { path: "src/a.ts", content: "x" } };
const edit: ToolCall = { ...write, tool: "Edit" };

/** Puts the calls to the policy, one after the other, and goes on whatever is said. */
function permits(calls: readonly ToolCall[]): { script: Script; given: Permission[] } {
  const given: Permission[] = [];
  return {
    given,
    script: async (_attempt, scope) => {
      for (const call of calls) given.push(await scope.permit(call));
      return { kind: "answered", answer: "went on" };
    },
  };
}

const mayWrite = { workspace: { allow_writes: true } };

/** What a call waits for before it may be made, as the store is asked for it. */
async function waitsFor(call: ToolCall): Promise<"effect" | undefined> {
  const world = testWorld();
  let before: "effect" | undefined;
  const append: Store["append"] = (hold, entries, given) => {
    if (entries.some(({ type }) => type === "tool.called")) before = given;
    return world.store.append(hold, entries, given);
  };
  const store = new Proxy(world.store, {
    get(target, name) {
      const member: unknown = name === "append" ? append : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const { script } = permits([call]);
  const agent = { permission_mode: "acceptEdits", ...mayWrite } as const;
  await using engine = await withWorker([script], { world: { ...world, store }, agent });
  await engine.run({ agent: "worker" });
  return before;
}

describe("attempt: permit", () => {
  test("a line that is not understood is asked about each time, whatever was allowed for the task", async () => {
    const line = (text: string): ToolCall => ({
      tool: "Bash",
      effect: "exec",
      commands: null,
      input: { command: text },
    });
    const { script, given } = permits([line("eval $a"), line("eval $b")]);
    await using engine = await withWorker([script], { agent: mayWrite });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, task.id, { verdict: "allow", scope: "task" });
    expect(await openQuestions(engine, task.id)).toHaveLength(1);
    await answerNext(engine, task.id, { verdict: "deny" });
    await engine.until(task.id, "completed");
    expect(given.map(({ kind }) => kind)).toEqual(["allowed", "refused"]);
  });

  test("what changes something is on the disk before it is done, whatever it calls itself", async () => {
    expect(await waitsFor(write)).toBe("effect");
    expect(await waitsFor(read)).toBeUndefined();
    const note = { tool: "Note", effect: "none", input: {} } as const;
    expect(await waitsFor(note)).toBeUndefined();
    expect(await waitsFor({ ...note, leavesTraces: true })).toBe("effect");
    expect(await waitsFor({ ...read, leavesTraces: true })).toBe("effect");
  });

  test("an allowed call is in the log before its tool can run", async () => {
    const world = testWorld();
    let before: string[] = [];
    const uses: Script = async ({ task }, scope) => {
      const permission = await scope.permit(read);
      before = typesOf(await world.store.read({ stream: `task:${task.id}`, after: 0, limit: 100 }));
      await scope.append({ type: "tool.returned", call: permission.call, ok: true, output: "text", truncated: false });
      return { kind: "answered", answer: permission.kind };
    };
    await using engine = await withWorker([uses], { world });
    const task = await engine.run({ agent: "worker" });
    expect(before.at(-1)).toBe("tool.called");
    expect(task).toMatchObject({ outcome: { answer: "allowed" }, calls: { made: 1, refused: 0 } });
    const [called] = factsOf(await engine.log(task.id), "tool.called");
    expect(called).toMatchObject({
      tool: "Read",
      effect: "read",
      input: { path: "src/a.ts" },
      decision: { verdict: "allow" },
    });
    expect(factsOf(await engine.log(task.id), "tool.returned")).toMatchObject([{ call: called?.call, ok: true }]);
  });

  test("a refused call is in the log with its rule, and the agent goes on", async () => {
    const { script, given } = permits([write, read]);
    await using engine = await withWorker([script], { agent: { permission_mode: "plan" } });
    const task = await engine.run({ agent: "worker" });
    expect(given.map(({ kind }) => kind)).toEqual(["refused", "allowed"]);
    expect(task).toMatchObject({ status: "completed", calls: { made: 1, refused: 1 } });
    const [refused] = factsOf(await engine.log(task.id), "tool.refused");
    expect(refused).toMatchObject({
      tool: "Write",
      decision: { verdict: "deny", rule: expect.stringContaining("fs.write") },
    });
    expect(given[0]).toEqual({ kind: "refused", call: refused?.call, decision: refused?.decision });
  });

  test("a call is asked about where the policy says so, with its exact input", async () => {
    const { script, given } = permits([write]);
    await using engine = await withWorker([script], { agent: mayWrite });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "waiting");
    const [question] = await openQuestions(engine, task.id);
    const body = JSON.stringify(write.input, null, 2);
    expect(question).toMatchObject({
      kind: "tool",
      title: "worker wants to use Write",
      body,
      sha256: engine.world.mint.sha256(body),
    });
    expect(typesOf(await engine.log(task.id))).not.toContain("tool.called");
    await answerNext(engine, task.id, { verdict: "allow", scope: "once" });
    await engine.until(task.id, "completed");
    expect(given).toMatchObject([{ kind: "allowed", decision: { rule: "mode default: allowed by a person" } }]);
  });

  test("a tool that is allowed once is asked about again", async () => {
    const { script, given } = permits([write, write]);
    await using engine = await withWorker([script], { agent: mayWrite });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, task.id, { verdict: "allow", scope: "once" });
    await answerNext(engine, task.id, { verdict: "deny" });
    await engine.until(task.id, "completed");
    expect(given.map(({ kind }) => kind)).toEqual(["allowed", "refused"]);
  });

  test("a tool that is allowed for the task is not asked about again, and another tool is", async () => {
    const { script, given } = permits([write, write, edit, write]);
    await using engine = await withWorker([script], { agent: mayWrite });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, task.id, { verdict: "allow", scope: "task" });
    const [next] = await openQuestions(engine, task.id);
    expect(next?.title).toBe("worker wants to use Edit");
    await answerNext(engine, task.id, { verdict: "deny" });
    const view = await engine.until(task.id, "completed");
    expect(view.approvals).toHaveLength(2);
    expect(given.map(({ kind }) => kind)).toEqual(["allowed", "allowed", "refused", "allowed"]);
  });

  test("a tool that is allowed for one task is asked about in the next", async () => {
    const first = permits([write]);
    const second = permits([write]);
    await using engine = await withWorker([first.script, second.script], { agent: mayWrite });
    engine.work();
    const task = await engine.start({ agent: "worker" });
    await answerNext(engine, task.id, { verdict: "allow", scope: "task" });
    await engine.until(task.id, "completed");
    const next = await engine.start({ agent: "worker" });
    expect(await openQuestions(engine, next.id)).toHaveLength(1);
  });

  test("a denial is told to the agent with its note", async () => {
    const { script, given } = permits([write]);
    await using engine = await withWorker([script], { agent: mayWrite });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, task.id, { verdict: "deny", note: "use the other file" });
    await engine.until(task.id, "completed");
    expect(given).toMatchObject([
      { kind: "refused", decision: { verdict: "deny", rule: "mode default: use the other file" } },
    ]);
  });

  test("words are no permission", async () => {
    const { script, given } = permits([write]);
    await using engine = await withWorker([script], { agent: mayWrite });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, task.id, { verdict: "text", text: "sure, go ahead" });
    await engine.until(task.id, "completed");
    expect(given).toMatchObject([{ kind: "refused" }]);
  });

  test("a refused or failed call of a tape is told to the agent, and what was refused is not done", async () => {
    const workspaces = memoryWorkspaces({ "a.txt": "old" });
    await using engine = await startEngine({
      workspaces,
      registry: registryOf({
        name: "worker",
        description: "Works.",
        tools: ["Read"],
        permission_mode: "auto",
        workspace: { allow_writes: true },
        tape: [{ write: "a.txt", content: "new" }, { read: "missing.txt" }, { answer: "done" }],
      }),
    });
    const task = await engine.run({ agent: "worker" });
    expect(task).toMatchObject({ status: "completed", calls: { made: 1, refused: 1 } });
    expect(workspaces.files.get("a.txt")).toBe("old");
    const log = await engine.log(task.id);
    expect(factsOf(log, "tool.refused")).toMatchObject([
      { decision: { rule: "agent worker: Write is not among its tools" } },
    ]);
    expect(factsOf(log, "tool.returned")).toMatchObject([{ ok: false, output: "missing.txt does not exist" }]);
  });
});
