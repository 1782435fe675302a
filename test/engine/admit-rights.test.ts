// Which backend, which rights, which limits: all fixed when a task is admitted.
import { describe, expect, test } from "vitest";
import { BASELINE } from "../../src/domain/policy.ts";
import type { Registry } from "../../src/ports/index.ts";
import { AgentDefinition, type TaskView } from "../../src/schema/index.ts";
import { answers, registryOf, scriptedBackend, startEngine, type TestEngine } from "../../src/testing/index.ts";
import { type Definition, withWorker } from "./kit.ts";

/** A lead that is at work, and what it can delegate to. */
async function withLead(lead: Partial<Definition>, child: Partial<Definition>): Promise<[TestEngine, TaskView]> {
  const engine = await startEngine({
    registry: registryOf(
      { name: "lead", description: "Leads.", tape: [{ hear: "go on" }, { answer: "done" }], ...lead },
      { name: "child", description: "Helps.", tape: [{ answer: "done" }], ...child },
    ),
  });
  const task = await engine.start({ agent: "lead" });
  engine.work({ root: task.id });
  return [engine, await engine.until(task.id, "waiting")];
}

const wish = { agent: "child", prompt: "help", dispatch: "manual", askable: "inbox" } as const;
const delegateTo = async (engine: TestEngine, parent: TaskView): Promise<TaskView | undefined> => {
  const [child] = await engine.engine.admit([{ ...wish, origin: { mouth: "agent", by: parent.id } }], parent);
  return child;
};

describe("admit: the backend", () => {
  test("a backend that this build does not have is refused, and those it has are named", async () => {
    await using engine = await withWorker([]);
    await expect(engine.start({ agent: "worker", backend: "abacus" })).rejects.toMatchObject({
      code: "backend.not-found",
      message: 'there is no backend called "abacus"',
      hint: "This build has: tape, scripted",
    });
    expect(await engine.world.store.head()).toBe(0);
  });

  test("an agent that names no backend and has no tape is refused", async () => {
    await using engine = await startEngine({ registry: registryOf({ name: "bare", description: "Nothing." }) });
    await expect(engine.start({ agent: "bare" })).rejects.toMatchObject({ code: "backend.not-found" });
  });

  test("an agent's list of backends is kept in its order, without those that are not there", async () => {
    const backends = [scriptedBackend([], { name: "one" }), scriptedBackend([], { name: "two" })];
    const registry = registryOf({ name: "worker", description: "Works.", backend: ["two", "abacus", "one"] });
    await using engine = await startEngine({ registry, backends });
    const task = await engine.start({ agent: "worker" });
    expect(task.spec.backends).toEqual(["two", "one"]);
    expect(task.backend).toBe("two");
  });

  test("the caller's choice of backend goes before the agent's", async () => {
    const backends = [scriptedBackend([], { name: "one" }), scriptedBackend([answers("by two")], { name: "two" })];
    const registry = registryOf({ name: "worker", description: "Works.", backend: "one" });
    await using engine = await startEngine({ registry, backends });
    expect((await engine.run({ agent: "worker", backend: "two" })).outcome).toMatchObject({ answer: "by two" });
  });

  test("an agent with a list of tools is refused by a backend that cannot be held to one", async () => {
    const options = { agent: { tools: ["Read"] }, capabilities: { toolFilter: false } };
    await using engine = await withWorker([], options);
    await expect(engine.start({ agent: "worker" })).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "tools" },
      message: expect.stringContaining('"scripted"'),
    });
    expect(await engine.world.store.head()).toBe(0);
  });
});

describe("admit: the workspace", () => {
  test.each(["worktree", "sandbox", "custom"] as const)(
    "a workspace of the mode %s is refused where there is none, never replaced by a wider one",
    async (mode) => {
      await using engine = await withWorker([], { agent: { workspace: { mode } } });
      await expect(engine.start({ agent: "worker" })).rejects.toMatchObject({
        code: "admission.refused",
        facts: { why: "workspace" },
        message: expect.stringContaining(mode),
      });
      expect(await engine.world.store.head()).toBe(0);
    },
  );
});

/** A task's own files, as a test engine has them. */
const own = (task: TaskView | undefined): string[] => [
  `/cadre-home/plans/${task?.id}_plan.md`,
  "/cadre-home/workspace",
];

describe("admit: intersect policy", () => {
  test("a child's rights are what it asks for, less what its parent may not", async () => {
    const [engine, parent] = await withLead(
      {
        permission_mode: "acceptEdits",
        tools: ["Read", "Write"],
        workspace: { allow_writes: true },
        policy: { fs: { read: ["src", "docs"], write: ["src"] }, env: { allow: ["PATH", "LANG"] } },
      },
      {
        permission_mode: "auto",
        tools: { mode: "denylist", deny: ["Write"] },
        policy: { fs: { read: ["."], write: ["src/domain", "docs"] }, network: true, env: { allow: ["HOME", "LANG"] } },
      },
    );
    await using _engine = engine;
    const child = await delegateTo(engine, parent);
    expect(child?.spec.policy).toEqual({
      modes: ["acceptEdits", "auto"],
      tools: [
        { from: "agent lead", allow: ["Read", "Write"], ask: [], deny: [] },
        { from: "agent child", allow: null, ask: [], deny: expect.arrayContaining(["Write", "Task"]) },
      ],
      fs: { read: ["src", "docs", ...own(child)], write: ["src/domain", ...own(child)] },
      network: false,
      env: { allow: ["LANG"] },
      grants: own(child).flatMap((scope) => [
        `Write(${scope})`,
        `Write(${scope}/**)`,
        `Edit(${scope})`,
        `Edit(${scope}/**)`,
      ]),
      spawn: "allow",
    });
  });

  test("no agent gets more than the user's own settings allow", async () => {
    const baseline = { ...BASELINE, modes: ["denyUnasked" as const], fs: { read: ["src"], write: [] } };
    const agent: Partial<Definition> = { permission_mode: "auto", policy: { fs: { write: ["."] }, network: true } };
    await using engine = await withWorker([], { baseline, agent });
    const task = await engine.start({ agent: "worker" });
    expect(task.spec.policy).toMatchObject({
      modes: ["denyUnasked", "auto"],
      fs: { read: ["src", ...own(task)], write: own(task) },
      network: false,
    });
  });

  test("an agent that says nothing may read, and write nothing but its own plan and the folder for it", async () => {
    await using engine = await withWorker([]);
    const task = await engine.start({ agent: "worker" });
    const fs = { read: [".", ...own(task)], write: own(task) };
    expect(task.spec.policy).toMatchObject({ modes: ["default"], fs, network: false });
  });
});

describe("admit: limits", () => {
  const settings = { timeoutMs: 60_000, maxRuntimeMins: 5, maxTurns: 9, maxOutputKb: 3 };

  test("settings stand where neither the agent nor the caller says anything", async () => {
    await using engine = await withWorker([], { settings });
    const { spec } = await engine.start({ agent: "worker" });
    const budget = { microUsd: null, tokens: null };
    expect(spec.limits).toEqual({ timeoutMs: 60_000, maxTurns: 9, maxOutputKb: 3, budget });
  });

  test("the agent goes before the settings, and the caller before the agent", async () => {
    const agent = { timeout_mins: 2, max_turns: 4, max_output_kb: 1 };
    await using engine = await withWorker([], { settings, agent });
    const byAgent = await engine.start({ agent: "worker" });
    expect(byAgent.spec.limits).toMatchObject({ timeoutMs: 120_000, maxTurns: 4, maxOutputKb: 1 });
    const byCaller = await engine.start({ agent: "worker", limits: { timeoutMs: 180_000, maxTurns: 6 } });
    expect(byCaller.spec.limits).toMatchObject({ timeoutMs: 180_000, maxTurns: 6, maxOutputKb: 1 });
  });

  test("nobody gets more than the longest runtime", async () => {
    await using engine = await withWorker([], { settings, agent: { timeout_mins: 90 } });
    expect((await engine.start({ agent: "worker" })).spec.limits.timeoutMs).toBe(300_000);
    const asked = await engine.start({ agent: "worker", limits: { timeoutMs: 3_600_000 } });
    expect(asked.spec.limits.timeoutMs).toBe(300_000);
  });

  test("a caller can lower an agent's budget and cannot raise it", async () => {
    await using engine = await withWorker([], { agent: { budget_usd: 0.5, max_tokens: 1000 } });
    const lower = await engine.start({ agent: "worker", limits: { budgetUsd: 0.25, maxTokens: 10 } });
    expect(lower.spec.limits.budget).toEqual({ microUsd: 250_000, tokens: 10 });
    const higher = await engine.start({ agent: "worker", limits: { budgetUsd: 5, maxTokens: 5000 } });
    expect(higher.spec.limits.budget).toEqual({ microUsd: 500_000, tokens: 1000 });
  });
});

describe("admit: the definition", () => {
  test("a task keeps its agent as it was when the task was admitted", async () => {
    const versions = ["first", "second"].map((answer) => ({
      definition: AgentDefinition.parse({ name: "worker", description: "Works.", tape: [{ answer }] }),
      source: "code",
      trusted: true,
    }));
    let version = 0;
    const registry: Registry = {
      list: async () => ({ agents: versions.slice(version, version + 1), problems: [] }),
      find: async () => versions[version],
    };
    await using engine = await startEngine({ registry });
    const before = await engine.start({ agent: "worker" });
    version = 1;
    const after = await engine.run({ agent: "worker" });
    expect((await engine.show(before.id)).outcome).toMatchObject({ answer: "first" });
    expect(after.outcome).toMatchObject({ answer: "second" });
  });
});
