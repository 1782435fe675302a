// Where a task is to work, as admission decides it.
import { describe, expect, test } from "vitest";
import type { Workspaces } from "../../src/ports/index.ts";
import type { AgentDefinition } from "../../src/schema/index.ts";
import { memoryWorkspaces, registryOf, scriptedBackend, startEngine, untilStopped } from "../../src/testing/index.ts";
import type * as z from "zod";

type Agent = Partial<z.input<typeof AgentDefinition>>;

const ALL = ["shared", "worktree", "sandbox", "custom"] as const;

const agent = (name: string, more: Agent) => ({
  name,
  description: `${name} for tests`,
  backend: "scripted",
  capabilities: ["primary" as const, "subtask" as const],
  ...more,
});

const WRITING = { allow_writes: true } as const;

function engineWith(agents: readonly ReturnType<typeof agent>[], obstacle?: Workspaces["obstacle"], settings = {}) {
  const memory = memoryWorkspaces({}, ALL);
  const workspaces: Workspaces = {
    modes: memory.modes,
    prepare: (task, attempt) => memory.prepare(task, attempt),
    ...(obstacle === undefined ? {} : { obstacle }),
  };
  const backends = [scriptedBackend(Array.from({ length: 9 }, () => untilStopped()))];
  return startEngine({ registry: registryOf(...agents), workspaces, backends, settings });
}

const person = (mode: (typeof ALL)[number]) => ({ mode, mayWiden: true });
const model = (mode: (typeof ALL)[number]) => ({ mode, mayWiden: false });

describe("a wish for another workspace", () => {
  test("by a person opens the tree for writing; by anybody else it gives no rights", async () => {
    await using engine = await engineWith([agent("reader", {})]);
    const own = (scopes: readonly string[]) => scopes.filter((scope) => !scope.startsWith("/cadre-home"));
    const byPerson = await engine.start({ agent: "reader", workspace: person("worktree") });
    expect(byPerson.spec.workspace.mode).toBe("worktree");
    expect(own(byPerson.spec.policy.fs.write)).toEqual(["."]);
    const byModel = await engine.start({ agent: "reader", workspace: model("worktree") });
    expect(byModel.spec.workspace.mode).toBe("worktree");
    expect(own(byModel.spec.policy.fs.write)).toEqual([]);
  });

  test("back into the project is a person's", async () => {
    await using engine = await engineWith([agent("apart", { workspace: { mode: "worktree", ...WRITING } })]);
    expect((await engine.start({ agent: "apart", workspace: person("shared") })).spec.workspace.mode).toBe("shared");
    await expect(engine.start({ agent: "apart", workspace: model("shared") })).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "workspace" },
    });
    await expect(engine.start({ agent: "apart", workspace: person("custom") })).rejects.toMatchObject({
      code: "admission.refused",
    });
  });

  test("is refused with what stands in its way", async () => {
    await using engine = await engineWith([agent("a", {})], async ({ mode }) =>
      mode === "worktree" ? { message: "there is no repository", hint: "Make one." } : null,
    );
    await expect(engine.start({ agent: "a", workspace: person("worktree") })).rejects.toMatchObject({
      message: "there is no repository",
      hint: "Make one.",
    });
    await engine.start({ agent: "a", workspace: person("sandbox") });
  });
});

test.each(["worktree", "sandbox"] as const)("a definition with the mode %s may write in its tree", async (mode) => {
  await using engine = await engineWith([agent("writer", { workspace: { mode } })]);
  const { spec } = await engine.start({ agent: "writer" });
  expect(spec.policy.fs.write).toContain(".");
  expect(spec.writes).toEqual({ place: spec.session, scopes: ["."] });
});

describe("a child", () => {
  const lead = (workspace: Agent["workspace"]) =>
    agent("lead", { workspace, tools: ["Task", "Write"], permission_mode: "acceptEdits" });

  test("that would share the project shares the tree of its parent instead", async () => {
    await using engine = await engineWith([lead({ mode: "worktree" }), agent("helper", { workspace: WRITING })]);
    const parent = await engine.start({ agent: "lead" });
    engine.work();
    await engine.until(parent.id, "running");
    const [child] = await engine.engine.admit(
      [{ agent: "helper", prompt: "help", askable: "nobody", origin: { mouth: "test", by: "lead" } }],
      await engine.show(parent.id),
    );
    expect(child?.spec).toMatchObject({ workspace: { mode: "worktree" }, worksIn: parent.spec.session });
    expect(child?.spec.writes?.place).toBe(parent.spec.session);
    const [grandchild] = await engine.engine.admit(
      [{ agent: "helper", prompt: "help", askable: "nobody", origin: { mouth: "test", by: "helper" } }],
      await engine.until(child?.id ?? parent.id, "running"),
    );
    expect(grandchild?.spec.worksIn).toBe(parent.spec.session);
  });

  test("with a tree of its own has it, whatever its parent has", async () => {
    await using engine = await engineWith([
      lead({ mode: "worktree" }),
      agent("apart", { workspace: { mode: "sandbox" } }),
    ]);
    const parent = await engine.start({ agent: "lead" });
    engine.work();
    await engine.until(parent.id, "running");
    const [child] = await engine.engine.admit(
      [{ agent: "apart", prompt: "help", askable: "nobody", origin: { mouth: "test", by: "lead" } }],
      await engine.show(parent.id),
    );
    expect(child?.spec.workspace.mode).toBe("sandbox");
    expect(child?.spec.worksIn).toBeUndefined();
  });

  test("does not work in a folder of the user's that its parent does not work in", async () => {
    const custom = { mode: "custom", path: "/data", ...WRITING } as const;
    await using engine = await engineWith([lead(WRITING), agent("elsewhere", { workspace: custom })]);
    const parent = await engine.start({ agent: "lead" });
    engine.work();
    await engine.until(parent.id, "running");
    const admitted = engine.engine.admit(
      [{ agent: "elsewhere", prompt: "go", askable: "nobody", origin: { mouth: "test", by: "lead" } }],
      await engine.show(parent.id),
    );
    await expect(admitted).rejects.toMatchObject({ code: "admission.refused", facts: { why: "workspace" } });
  });
});

describe("two tasks that write in the project", () => {
  const agents = [
    agent("source", { workspace: WRITING, policy: { fs: { write: ["src"] } } }),
    agent("parser", { workspace: WRITING, policy: { fs: { write: ["src/parser"] } } }),
    agent("docs", { workspace: WRITING, policy: { fs: { write: ["docs"] } } }),
    agent("planner", { workspace: WRITING, permission_mode: "plan" }),
    agent("reader", {}),
  ];

  test("wait for each other where their scopes meet, and others do not", async () => {
    await using engine = await engineWith(agents);
    const first = await engine.start({ agent: "source" });
    engine.work();
    await engine.until(first.id, "running");
    const blocked = await engine.start({ agent: "parser" });
    for (const name of ["docs", "planner", "reader"]) {
      const free = await engine.start({ agent: name });
      await engine.until(free.id, "running");
    }
    const apart = await engine.start({ agent: "parser", workspace: person("worktree") });
    await engine.until(apart.id, "running");
    expect((await engine.show(blocked.id)).status).toBe("pending");
    await engine.world.store.command(first.id, { type: "stop", by: "tester" });
    await engine.until(blocked.id, "running");
  });

  test("are refused where the user wants to be told, and run together where they allow it", async () => {
    await using strict = await engineWith(agents, undefined, { collisions: "refuse" });
    const first = await strict.start({ agent: "source" });
    strict.work();
    await strict.until(first.id, "running");
    await expect(strict.start({ agent: "parser" })).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "collision" },
      message: "source#1 writes where this would",
    });
    await strict.start({ agent: "docs" });

    await using lax = await engineWith(agents, undefined, { collisions: "allow" });
    const one = await lax.start({ agent: "source" });
    const two = await lax.start({ agent: "parser" });
    lax.work();
    await lax.until(one.id, "running");
    await lax.until(two.id, "running");
  });
});
