import { describe, expect, test } from "vitest";
import { openEngine } from "../../src/engine/index.ts";
import { admissionRefused } from "../../src/errors/index.ts";
import type { Custody, Workspaces } from "../../src/ports/index.ts";
import type { LivePart } from "../../src/schema/index.ts";
import { answers, hangs, memoryWorkspaces, type Script, testWorld, untilStopped } from "../../src/testing/index.ts";
import { allTasks, factsOf, obeys, typesOf, wholeLog, withWorker } from "./kit.ts";

describe("attempt: the order of things", () => {
  test("the attempt is in the log, and its place prepared, before the backend runs", async () => {
    const world = testWorld();
    let before: string[] = [];
    const looks: Script = async ({ task }) => {
      before = typesOf(await world.store.read({ stream: `task:${task.id}`, after: 0, limit: 100 }));
      return { kind: "answered", answer: "looked" };
    };
    await using engine = await withWorker([looks], { world });
    const task = await engine.run({ agent: "worker" });
    expect(before).toEqual(["task.admitted", "attempt.started", "attempt.prepared"]);
    expect(typesOf(await engine.log(task.id))).toEqual([...before, "attempt.ended", "task.ended"]);
  });

  test("the log says where the attempt works and how it is confined", async () => {
    await using engine = await withWorker([answers("done")]);
    const task = await engine.run({ agent: "worker" });
    const confinement = { commands: "policy", fileTools: "policy" };
    expect(factsOf(await engine.log(task.id), "attempt.prepared")).toEqual([
      { type: "attempt.prepared", workspace: "/memory", confinement, custody: null, narrowed: [] },
    ]);
    expect(task.attempts).toMatchObject([{ attempt: 1, workspace: "/memory", confinement, end: "completed" }]);
  });

  test("the backend is given the task, its attempt, its workspace and its confinement", async () => {
    let given: Parameters<Script>[0] | undefined;
    const keeps: Script = async (attempt) => {
      given = attempt;
      return { kind: "answered", answer: await attempt.workspace.files.read("a.txt") };
    };
    await using engine = await withWorker([keeps], { workspaces: memoryWorkspaces({ "a.txt": "from the workspace" }) });
    const task = await engine.run({ agent: "worker", prompt: "read it" });
    expect(given).toMatchObject({ attempt: 1, task: { id: task.id, spec: { prompt: "read it" } }, history: [] });
    expect(given?.confinement.label).toEqual({ commands: "policy", fileTools: "policy" });
    expect(task.outcome).toMatchObject({ answer: "from the workspace" });
  });

  test("turns, notes and what is said appear in the log and in the view", async () => {
    const talks: Script = async (_attempt, scope) => {
      await scope.append({ type: "turn.started", turn: 1 }, { type: "message.said", text: "let me see" });
      await scope.append({ type: "note.taken", level: "warning", text: "it is slow" }, { type: "turn.ended", turn: 1 });
      await scope.append({ type: "turn.started", turn: 2 }, { type: "message.said", text: "I see" });
      return { kind: "answered", answer: "seen" };
    };
    await using engine = await withWorker([talks]);
    const task = await engine.run({ agent: "worker" });
    expect(task).toMatchObject({ turns: 2, lastSaid: "I see" });
    expect(factsOf(await engine.log(task.id), "note.taken")).toEqual([
      { type: "note.taken", level: "warning", text: "it is slow" },
    ]);
  });
});

describe("attempt: the token", () => {
  test("the backend's token is the one whose hash is in the log, and is itself nowhere", async () => {
    const tokens: string[] = [];
    const keeps: Script = async ({ token }) => {
      tokens.push(token);
      throw new Error("try again");
    };
    await using engine = await withWorker([keeps, keeps], { agent: { retry: { attempts: 2, on: ["crashed"] } } });
    const task = await engine.run({ agent: "worker" });
    expect(task.attempts.map(({ tokenSha256 }) => tokenSha256)).toEqual(
      tokens.map((token) => engine.world.mint.sha256(token)),
    );
    expect(new Set(tokens).size, "every attempt has its own").toBe(2);
    const everything = JSON.stringify([await wholeLog(engine.world), await allTasks(engine.world)]);
    for (const token of tokens) expect(everything).not.toContain(token);
  });
});

describe("attempt: what came before", () => {
  test("an attempt in a session that goes on is given what was said before, and not its own prompt", async () => {
    const histories: unknown[] = [];
    const remembers =
      (answer: string): Script =>
      async ({ history }) => {
        histories.push(history);
        return { kind: "answered", answer };
      };
    await using engine = await withWorker([remembers("Paris"), remembers("2 million")]);
    const first = await engine.run({ agent: "worker", prompt: "capital of France?" });
    const second = await engine.run({ agent: "worker", prompt: "how many live there?", session: first.spec.session });
    const said = [
      { role: "user", content: "capital of France?", task: first.id },
      { role: "assistant", content: "Paris", task: first.id },
    ];
    expect(histories).toEqual([[], said]);
    expect((await engine.world.store.session(first.spec.session))?.messages).toEqual([
      ...said,
      { role: "user", content: "how many live there?", task: second.id },
      { role: "assistant", content: "2 million", task: second.id },
    ]);
  });
});

describe("attempt: live parts", () => {
  test("they are shown while it runs, in order, and are never in the log", async () => {
    const shown: [string, LivePart | "over"][] = [];
    const streams: Script = async (_attempt, scope) => {
      scope.live({ type: "text-delta", text: "wonder" });
      scope.live({ type: "text-delta", text: "ful" });
      scope.live({ type: "output-delta", call: "call_1", text: "zebra" });
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([streams], {
      live: { write: (task, part) => void shown.push([task, part]), over: (task) => void shown.push([task, "over"]) },
    });
    const task = await engine.run({ agent: "worker" });
    expect(shown).toEqual([
      [task.id, { type: "text-delta", text: "wonder" }],
      [task.id, { type: "text-delta", text: "ful" }],
      // What might have been the beginning of a secret, until nothing more came.
      [task.id, { type: "output-delta", call: "call_1", text: "zebr" }],
      [task.id, { type: "output-delta", call: "call_1", text: "a" }],
      [task.id, "over"],
    ]);
    const log = JSON.stringify(await wholeLog(engine.world));
    expect(log).not.toContain("wonder");
    expect(log).not.toContain("zebra");
  });
});

describe("attempt: its workspace is released", () => {
  const scripts: [how: string, script: Script, status: string][] = [
    ["after an answer", answers("done"), "completed"],
    ["after a failure", async () => ({ kind: "failed", reason: "refused", message: "no" }), "failed"],
    ["after a crash", () => Promise.reject(new Error("bang")), "failed"],
    [
      "after a crash before anything was awaited",
      () => {
        throw new Error("bang");
      },
      "failed",
    ],
    ["after a stop that it obeys", untilStopped(), "cancelled"],
    ["after a stop that it ignores", hangs(), "cancelled"],
  ];

  test.each(scripts)("%s", async (_, script, status) => {
    const workspaces = memoryWorkspaces();
    await using engine = await withWorker([script], { workspaces });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.settle();
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(2000);
    expect((await engine.show(task.id)).status).toBe(status);
    expect(workspaces.open).toBe(0);
  });

  test("only when the backend has wound up", async () => {
    const workspaces = memoryWorkspaces();
    let openAtEnd: number | undefined;
    const cleansUp: Script = async (attempt, scope) => {
      try {
        return await obeys(attempt, scope);
      } finally {
        await engine.world.clock.sleep(500, new AbortController().signal);
        openAtEnd = workspaces.open;
      }
    };
    await using engine = await withWorker([cleansUp], { workspaces });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(1000);
    await engine.until(task.id, "cancelled");
    expect(openAtEnd).toBe(1);
    expect(workspaces.open).toBe(0);
  });

  test("only when all that it started has been ended", async () => {
    const order: string[] = [];
    const memory = memoryWorkspaces();
    const custody: Custody = {
      tier: "tracked",
      open: ({ attempt }) => ({
        spawn: () => {
          throw new Error("nothing is started here");
        },
        endAll: async () => void order.push(`end all of attempt ${attempt}`),
      }),
      sweep: async () => 0,
    };
    const workspaces: Workspaces = {
      modes: memory.modes,
      prepare: async (task, attempt) => ({
        ...(await memory.prepare(task, attempt)),
        release: async () => (order.push("release"), null),
      }),
    };
    const capabilities = { processes: true };
    await using engine = await withWorker([() => Promise.reject(new Error("bang"))], {
      custody,
      workspaces,
      capabilities,
    });
    const task = await engine.run({ agent: "worker" });
    expect(order).toEqual(["end all of attempt 1", "release"]);
    expect(task.attempts, "and how it was kept is said").toMatchObject([{ custody: "tracked" }]);
  });

  test("also when it could not be confined", async () => {
    const workspaces = memoryWorkspaces();
    await using engine = await withWorker([], { workspaces });
    const unconfinable = { prepare: () => Promise.reject(new Error("no sandbox on this machine")) };
    const second = await openEngine({ ...engine.engine.parts, confinement: unconfinable });
    const task = await engine.start({ agent: "worker" });
    await second.work({ dispatch: ["auto"], until: "idle" });
    await second.close();
    expect((await engine.show(task.id)).outcome).toMatchObject({
      reason: "crashed",
      message: "no sandbox on this machine",
    });
    expect(workspaces.open).toBe(0);
  });
});

describe("attempt: a workspace that cannot be had", () => {
  test("a workspace that refuses the task fails it, and the backend is not started", async () => {
    const full = {
      ...memoryWorkspaces(),
      prepare: () => Promise.reject(admissionRefused("workspace", "the disk is full")),
    };
    await using engine = await withWorker([], { workspaces: full });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "refused", message: "the disk is full" });
    expect(typesOf(await engine.log(task.id))).toEqual([
      "task.admitted",
      "attempt.started",
      "attempt.ended",
      "task.ended",
    ]);
  });

  test("a workspace that breaks has crashed the attempt", async () => {
    const broken = { ...memoryWorkspaces(), prepare: () => Promise.reject(new Error("EIO")) };
    await using engine = await withWorker([], { workspaces: broken });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "crashed", message: "EIO" });
  });
});
