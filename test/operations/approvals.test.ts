import { describe, expect, test } from "vitest";
import { call } from "../../src/operations/index.ts";
import type { Setting, SettingChange } from "../../src/ports/index.ts";
import { BASELINE } from "../../src/domain/policy.ts";
import type { Answer } from "../../src/schema/index.ts";
import { registryOf, type Script, scriptedBackend, startEngine, type TestEngine } from "../../src/testing/index.ts";
import { openQuestions } from "../engine/kit.ts";
import { contextOf } from "./kit.ts";

const spawns: Script = async (_attempt, scope) => {
  const permission = await scope.permit({
    tool: "Task",
    effect: "delegate",
    agent: "worker",
    input: { agent: "worker", prompt: "Work." },
  });
  return { kind: "answered", answer: permission.decision.rule };
};

const runs =
  (...lines: (string[] | null)[]): Script =>
  async (_attempt, scope) => {
    const said: string[] = [];
    for (const commands of lines) {
      const { decision } = await scope.permit({ tool: "Bash", effect: "exec", commands, input: { command: "x" } });
      said.push(decision.rule);
    }
    return { kind: "answered", answer: said.join("\n") };
  };

function startWith(script: Script, tools: string[]): Promise<TestEngine> {
  const worker = { name: "worker", description: "Works.", backend: "scripted", prompt: "Work." };
  const lead = { ...worker, name: "lead", tools };
  return startEngine({
    registry: registryOf(lead, worker),
    backends: [scriptedBackend([script])],
    baseline: { ...BASELINE, spawn: "ask" },
  });
}

/** The user's settings, as far as they are about what is allowed. */
function settings(value: string[] = [], source: Setting["source"] = "default") {
  const changes: SettingChange[] = [];
  const config = {
    list: async () => ({ settings: [], warnings: [] }),
    get: async (key: string): Promise<Setting> => ({ key, value, source, where: null, fallback: [], summary: "" }),
    set: async (change: SettingChange) => {
      changes.push(change);
      return { file: "config.yml" };
    },
  };
  return { changes, config };
}

async function answer(engine: TestEngine, given: ReturnType<typeof settings>, said: Answer) {
  const task = await engine.start({ agent: "lead" });
  engine.work();
  await engine.until(task.id, "waiting");
  const [question] = await openQuestions(engine, task.id);
  if (question === undefined) throw new Error("nothing was asked");
  const context = contextOf(engine, {}, { config: given.config });
  return { task, question, answered: call("approval.answer", { approval: question.id, answer: said }, context) };
}

const ALWAYS: Answer = { verdict: "allow", scope: "always" };

describe("before an agent starts another one", () => {
  test("a person is asked, with what it is to do", async () => {
    await using engine = await startWith(spawns, ["Task"]);
    const { task, question, answered } = await answer(engine, settings(), { verdict: "allow", scope: "once" });
    expect(question).toMatchObject({
      kind: "spawn",
      title: "lead wants to start worker",
      body: JSON.stringify({ agent: "worker", prompt: "Work." }, null, 2),
      grants: ["Task(worker)"],
    });
    await answered;
    const { outcome } = await engine.until(task.id, "completed");
    expect(outcome).toMatchObject({ answer: "require_approval.subagents: allowed by a person" });
  });

  test("nobody is asked about one that its definition names", async () => {
    await using engine = await startWith(spawns, ["Task(worker)"]);
    const { outcome } = await engine.run({ agent: "lead" });
    expect(outcome).toMatchObject({ answer: "grant Task(worker)" });
  });

  test("a definition that names another one is asked all the same", async () => {
    await using engine = await startWith(spawns, ["Task", "Task(tester)"]);
    const { question, answered } = await answer(engine, settings(), { verdict: "deny" });
    expect(question.kind).toBe("spawn");
    await answered;
  });
});

describe("always", () => {
  test("is a rule of the user's own, added to those that are there, and holds for the rest of the task", async () => {
    await using engine = await startWith(runs(["npm test"], ["npm test"]), ["Bash"]);
    const given = settings(["Edit"], "user");
    const { task, answered } = await answer(engine, given, ALWAYS);
    await answered;
    const { outcome } = await engine.until(task.id, "completed");
    expect(given.changes).toEqual([{ key: "permissions.allow", value: ["Edit", "Bash(npm test)"], scope: "user" }]);
    expect(outcome).toMatchObject({
      answer: "mode default: allowed by a person\nmode default: allowed for this task",
    });
  });

  test("is not written twice", async () => {
    await using engine = await startWith(runs(["npm test"]), ["Bash"]);
    const given = settings(["Bash(npm test)"], "user");
    await (
      await answer(engine, given, ALWAYS)
    ).answered;
    expect(given.changes).toEqual([]);
  });

  test("is refused where no rule says exactly what is asked; the question stays open", async () => {
    await using engine = await startWith(runs(null), ["Bash"]);
    const given = settings();
    const { task, answered } = await answer(engine, given, ALWAYS);
    await expect(answered).rejects.toThrow("cannot be allowed for good");
    expect(given.changes).toEqual([]);
    expect(await openQuestions(engine, task.id)).toHaveLength(1);
  });

  test("makes no rule where it comes too late", async () => {
    await using engine = await startWith(runs(["npm test"]), ["Bash"]);
    const given = settings();
    const { task, question, answered } = await answer(engine, given, { verdict: "deny" });
    await answered;
    await engine.until(task.id, "completed");
    const late = call(
      "approval.answer",
      { approval: question.id, answer: ALWAYS },
      contextOf(engine, {}, { config: given.config }),
    );
    await expect(late).rejects.toThrow(`${task.id} is completed: it cannot be answered`);
    expect(given.changes).toEqual([]);
  });

  test("is refused where the environment would outrank it", async () => {
    await using engine = await startWith(runs(["npm test"]), ["Bash"]);
    const { answered } = await answer(engine, settings(["Edit"], "environment"), ALWAYS);
    await expect(answered).rejects.toThrow("a variable of the environment");
  });
});
