import { existsSync, lstatSync, mkdirSync, statSync, symlinkSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Hold, Store } from "../../src/ports/index.ts";
import { brandId, type SessionId, type TaskView } from "../../src/schema/index.ts";
import { repairStateFiles, withStateFiles } from "../../src/stores/state-files/index.ts";
import { admitted, claimed, completed, running } from "../../src/testing/store-contract/given.ts";
import { shown } from "./kit.ts";
import { freshFolder } from "../fresh-folder.ts";

const sessionOf = async (store: Store, { task }: Hold): Promise<SessionId> =>
  (await store.task(task))?.spec.session ?? brandId("sess", "none");

const OLD = Number.MAX_SAFE_INTEGER;

describe("a session's file", () => {
  test("has the conversation, how its latest task goes, and what it may do", async () => {
    const { store, clock, json } = shown();
    const hold = await running(store, { prompt: "find it" });
    const session = await sessionOf(store, hold);
    const file = `sessions/${session}.json`;
    const first = {
      session_id: session,
      agent_name: "worker",
      agent_cli: "tape",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
      status: "running",
      messages: [{ role: "user", content: "find it" }],
      parent: null,
      children: [],
      breadcrumbs: [],
      capability: "subtask",
      trigger: "test",
      workspace: { mode: "shared", path: null, allow_writes: false },
      permissions: expect.objectContaining({ modes: [], network: false, env: { allow: ["PATH", "HOME", "LANG"] } }),
      tasks: [hold.task],
      fork_of: null,
    };
    expect(json(file)).toEqual(first);
    await clock.advance(1000);
    const message = { role: "assistant", content: "found", task: hold.task } as const;
    await store.append(hold, [{ type: "message.kept", session, message }]);
    const kept = { messages: [...first.messages, { role: "assistant", content: "found" }] };
    expect(json(file)).toEqual({ ...first, ...kept, updated_at: "2026-01-01T00:00:01.000Z" });
    const outcome = { status: "failed", reason: "crashed", message: "m", answer: null } as const;
    await store.append(hold, [{ type: "task.ended", outcome }]);
    expect(json(file)).toMatchObject({ ...kept, status: "failed" });
    await admitted(store, { session, prompt: "more" }, { continues: true });
    expect(json(file)).toMatchObject({ status: "pending", messages: [{}, {}, { role: "user", content: "more" }] });
  });

  test("may be there a moment after its task: at the latest with what becomes of that, or when its store is closed", async () => {
    const { store: inner, bare, layout, clock, onProblem, json, has } = shown();
    await inner.close();
    const store = withStateFiles(bare, { layout, clock, onProblem, showAfterMs: 60_000 });
    const [first, second] = [await admitted(store), await admitted(store)];
    const fileOf = ({ spec }: TaskView) => `sessions/${spec.session}.json`;
    expect([first, second].map((task) => has(fileOf(task)))).toEqual([false, false]);
    const hold = await claimed(store);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    await store.shown();
    expect(json(fileOf(first))).toMatchObject({ status: "completed" });
    await store.close();
    expect(json(fileOf(second))).toMatchObject({ status: "pending" });
  });

  test("that is put off with its task, and spoken in meanwhile, is written once", async () => {
    const { store: inner, bare, layout, clock, onProblem, json } = shown();
    await inner.close();
    const store = withStateFiles(bare, { layout, clock, onProblem, showAfterMs: 60_000 });
    const hold = await running(store);
    const file = `${await sessionOf(store, hold)}.json`;
    await store.append(hold, [
      { type: "turn.started", turn: 1 },
      { type: "message.said", text: "I look." },
      { type: "turn.ended", turn: 1 },
    ]);
    mkdirSync(layout.folders.sessions, { recursive: true });
    const put: string[] = [];
    const [last, hasCome] = ["last.json", Promise.withResolvers<void>()];
    using watcher = new DisposableStack();
    watcher.adopt(
      watch(layout.folders.sessions, (_event, name) => {
        if (name === file) put.push(name);
        if (name === last) hasCome.resolve();
      }),
      (watching) => watching.close(),
    );
    await store.close();
    writeFileSync(join(layout.folders.sessions, last), "");
    await hasCome.promise;
    expect(put).toEqual([file]);
    expect(json(`sessions/${file}`)).toMatchObject({ messages: [{}, { role: "assistant", content: "I look." }] });
  });

  test("gets the breadcrumbs of children, in their parent's", async () => {
    const { store, json } = shown();
    const hold = await running(store);
    const session = await sessionOf(store, hold);
    const child = await running(store, { parent: hold.task, root: hold.task, depth: 1 });
    const childSession = await sessionOf(store, child);
    const breadcrumb = {
      task: child.task,
      session: childSession,
      agent: "worker",
      status: "completed",
      summary: "s",
    } as const;
    await store.append(child, [
      { type: "task.ended", outcome: completed },
      { type: "breadcrumb.left", session, breadcrumb },
    ]);
    expect(json(`sessions/${session}.json`)).toMatchObject({ breadcrumbs: [breadcrumb], children: [childSession] });
    expect(json(`sessions/${childSession}.json`)).toMatchObject({ parent: session, status: "completed" });
  });

  test("is written again after each turn, with what was said so far, until there is an answer", async () => {
    const { store, clock, json } = shown();
    const hold = await running(store, { prompt: "find it" });
    const session = await sessionOf(store, hold);
    const file = `sessions/${session}.json`;
    const user = { role: "user", content: "find it" };
    for (const [turn, text] of [
      [1, "I look."],
      [2, "Here it is."],
    ] as const) {
      await clock.advance(1000);
      await store.append(hold, [
        { type: "turn.started", turn },
        { type: "message.said", text },
        { type: "turn.ended", turn },
      ]);
      expect(json(file)).toMatchObject({
        updated_at: `2026-01-01T00:00:0${turn}.000Z`,
        messages: [user, { role: "assistant", content: text }],
      });
    }
    const message = { role: "assistant", content: "In src.", task: hold.task } as const;
    await store.append(hold, [
      { type: "task.ended", outcome: completed },
      { type: "message.kept", session, message },
    ]);
    expect(json(file)["messages"]).toEqual([user, { role: "assistant", content: "In src." }]);
  });

  test("is its owner's alone, and says where the agent works", async () => {
    const { store, layout, json, path } = shown();
    const hold = await running(store);
    const file = `sessions/${await sessionOf(store, hold)}.json`;
    const label = { commands: "policy", fileTools: "policy" } as const;
    const workspace = join(layout.project, "packages", "a");
    await store.append(hold, [
      { type: "attempt.prepared", workspace, confinement: label, custody: null, narrowed: [] },
      { type: "turn.ended", turn: 1 },
    ]);
    expect(json(file)).toMatchObject({ workspace: { path: "packages/a" } });
    expect(statSync(path(file)).mode & 0o777).toBe(0o600);
  });
});

describe("a session that has expired", () => {
  const ended = async (store: Store): Promise<SessionId> => {
    const hold = await running(store);
    const session = await sessionOf(store, hold);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    return session;
  };

  test("leaves no file and no home of a backend; what its links lead to stays", async () => {
    const { store, path, has, problems } = shown();
    const session = await ended(store);
    const outside = join(freshFolder("login"), "auth.json");
    writeFileSync(outside, "mine");
    const link = path(`sessions/${session}.home/codex/auth.json`);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(outside, link);
    symlinkSync(dirname(outside), path(`sessions/${session}.home/folder`));
    expect(await store.expireSession(session, "cadre", OLD)).toBe(true);
    expect([has(`sessions/${session}.json`), has(`sessions/${session}.home`)]).toEqual([false, false]);
    expect(existsSync(outside)).toBe(true);
    expect(problems).toEqual([]);
  });

  test("one that is in use keeps everything", async () => {
    const { store, path, has } = shown();
    const hold = await running(store);
    const session = await sessionOf(store, hold);
    mkdirSync(path(`sessions/${session}.home`));
    expect(await store.expireSession(session, "cadre", OLD)).toBe(false);
    expect([has(`sessions/${session}.json`), has(`sessions/${session}.home`)]).toEqual([true, true]);
  });

  test("a process that is killed before it has removed them leaves that to the next worker", async () => {
    const { store, bare, path, has, ...options } = shown();
    const [gone, stays] = [await ended(store), await ended(store)];
    mkdirSync(path(`sessions/${gone}.home`));
    await bare.expireSession(gone, "cadre", OLD);
    expect(has(`sessions/${gone}.json`)).toBe(true);
    await repairStateFiles(bare, options);
    expect([has(`sessions/${gone}.json`), has(`sessions/${gone}.home`)]).toEqual([false, false]);
    expect(has(`sessions/${stays}.json`)).toBe(true);
  });

  test("nothing is removed through a folder of sessions that is a link", async () => {
    const { store, bare, path, problems } = shown();
    const session = await ended(bare);
    const elsewhere = freshFolder("elsewhere");
    writeFileSync(join(elsewhere, `${session}.json`), "mine");
    mkdirSync(dirname(path("sessions")), { recursive: true });
    symlinkSync(elsewhere, path("sessions"));
    await store.expireSession(session, "cadre", OLD);
    expect(lstatSync(join(elsewhere, `${session}.json`)).isFile()).toBe(true);
    expect(problems.join("\n")).toContain("cannot be removed");
  });

  test("its file comes back with a task of its own that is tried again", async () => {
    const { store, json, has } = shown();
    const { id, spec } = await admitted(store);
    await store.command(id, { type: "stop", by: "tester" });
    await store.expireSession(spec.session, "cadre", OLD);
    expect(has(`sessions/${spec.session}.json`)).toBe(false);
    await store.command(id, { type: "requeue", because: "retry", by: "tester" });
    expect(json(`sessions/${spec.session}.json`)).toMatchObject({ status: "pending", messages: [] });
  });
});
