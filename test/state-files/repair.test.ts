import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/ports/index.ts";
import { repairStateFiles } from "../../src/stores/state-files/index.ts";
import { memoryStore } from "../../src/testing/index.ts";
import { admitted, claimed, completed, running, WORKER_A } from "../../src/testing/store-contract/given.ts";
import { dropped, shown, type Shown, taskId } from "./kit.ts";

const repair = (files: Shown, store: Store = files.bare) => repairStateFiles(store, files);
const end = { type: "task.ended", outcome: completed } as const;

describe("repair", () => {
  test("writes what a process that was killed after its commit did not", async () => {
    const files = shown();
    const hold = await running(files.bare);
    await files.bare.append(hold, [end]);
    const waiting = await admitted(files.bare);
    expect(await repair(files)).toEqual({ looked: 2, rewritten: 2 });
    expect(files.json(`tasks/${hold.task}.json`)).toMatchObject({ status: "completed", result: { answer: "done" } });
    expect(files.json(`tasks/${waiting.id}.json`)).toMatchObject({ status: "pending" });
    expect(files.has(`plans/${waiting.id}_plan.md`)).toBe(true);
    expect(files.json(`sessions/${waiting.spec.session}.json`)).toMatchObject({ status: "pending" });
    expect(files.problems).toEqual([]);
  });

  test("brings a file that is older than the store up to date, without a word", async () => {
    const files = shown();
    const hold = await running(files.store);
    await files.bare.append(hold, [end]);
    expect(files.json(`tasks/${hold.task}.json`)["status"]).toBe("running");
    expect(await repair(files)).toEqual({ looked: 1, rewritten: 1 });
    expect(files.json(`tasks/${hold.task}.json`)).toMatchObject({
      status: "completed",
      cadre: { position: (await files.bare.task(hold.task))?.position },
    });
    expect(files.problems).toEqual([]);
  });

  test("leaves alone what is as it should be", async () => {
    const files = shown();
    const hold = await running(files.store);
    await files.store.append(hold, [end]);
    const { session } = (await files.store.task(hold.task))?.spec ?? {};
    const inodes = () =>
      [`tasks/${hold.task}.json`, `sessions/${session}.json`].map((file) => lstatSync(files.path(file)).ino);
    const before = inodes();
    expect(await repair(files)).toEqual({ looked: 1, rewritten: 0 });
    expect(inodes()).toEqual(before);
  });

  test("overrules an edit, and says what it said", async () => {
    const files = shown();
    const { id } = await admitted(files.store);
    const file = `tasks/${id}.json`;
    files.write(file, { ...files.json(file), status: "completed", mine: "a note" });
    await repair(files);
    expect(files.json(file)).not.toHaveProperty("mine");
    expect(files.json(file)["status"]).toBe("pending");
    expect(files.problems).toEqual([
      `.cadre/${file} was edited (status is "completed", mine is "a note"): the log wins`,
    ]);
    await repair(files);
    expect(files.problems).toHaveLength(1);
  });

  test("knows an edit also in a file that is older than the store", async () => {
    const files = shown();
    const hold = await running(files.store);
    const file = `tasks/${hold.task}.json`;
    files.write(file, { ...files.json(file), prompt: "something else" });
    await files.bare.append(hold, [end]);
    await repair(files);
    expect(files.problems[0]).toContain('prompt is "something else"');
  });

  test("takes no offence at a file that was only laid out anew", async () => {
    const files = shown();
    const { id } = await admitted(files.store);
    files.write(`tasks/${id}.json`, JSON.stringify(files.json(`tasks/${id}.json`), null, 7));
    expect(await repair(files)).toEqual({ looked: 1, rewritten: 0 });
    expect(files.problems).toEqual([]);
  });

  test("writes over the file that started the task without a word, if that is all it is", async () => {
    const files = shown();
    files.write("tasks/task_1.json", dropped("task_1", { agent: "worker", prompt: "do it" }));
    await admitted(files.bare, {}, { id: taskId("1") });
    await repair(files);
    expect(files.json("tasks/task_1.json")).toHaveProperty("cadre");
    expect(files.problems).toEqual([]);
  });

  const broken: [name: string, breakIt: (files: Shown, file: string) => void, why: string][] = [
    ["cut off", ({ write }, file) => write(file, '{"taskId": "ta'), "is not JSON"],
    ["empty", ({ write }, file) => write(file, ""), "is not JSON"],
    ["not an object", ({ write }, file) => write(file, "[1]"), "is not a state file"],
    ["huge", ({ write }, file) => write(file, `{"x":"${"x".repeat(2_000_000)}"}`), "is too large"],
    [
      "a link",
      ({ path }, file) => {
        rmSync(path(file));
        symlinkSync("elsewhere", path(file));
      },
      "is a symbolic link",
    ],
    [
      "another store's",
      ({ write, json }, file) => write(file, { ...json(file), cadre: { store: "x", position: 1, sha256: "y" } }),
      "has lost its stamp",
    ],
  ];
  test.each(broken)("replaces a file that is %s, and says so", async (_name, breakIt, why) => {
    const files = shown();
    const { id } = await admitted(files.store);
    breakIt(files, `tasks/${id}.json`);
    expect(await repair(files)).toEqual({ looked: 1, rewritten: 1 });
    expect(files.json(`tasks/${id}.json`)["status"]).toBe("pending");
    expect(files.problems).toHaveLength(1);
    expect(files.problems[0]).toContain(`tasks/${id}.json ${why}`);
    expect(lstatSync(files.path(`tasks/${id}.json`)).isFile()).toBe(true);
  });

  test("tells a file that was made from a later log than there is", async () => {
    const files = shown();
    const { id, spec } = await admitted(files.store);
    await files.store.command(id, { type: "stop", by: "tester" });
    const restored = memoryStore(files.clock);
    await admitted(restored, spec, { id });
    await repair(files, restored);
    expect(files.json(`tasks/${id}.json`)["status"]).toBe("pending");
    expect(files.problems[0]).toContain("was written from another log");
  });

  test("does not make a plan anew that its agent has removed", async () => {
    const files = shown();
    const { id } = await admitted(files.store);
    rmSync(files.path(`plans/${id}_plan.md`));
    await repair(files);
    expect(files.has(`plans/${id}_plan.md`)).toBe(false);
  });

  test("repairs a session's file, once for all of its tasks", async () => {
    const files = shown();
    const hold = await running(files.bare);
    const { session } = (await files.bare.task(hold.task))?.spec ?? {};
    if (session === undefined) throw new Error("no session");
    await files.bare.append(hold, [end]);
    await admitted(files.bare, { session, prompt: "more" }, { continues: true });
    await repair(files);
    expect(files.json(`sessions/${session}.json`)).toMatchObject({
      status: "pending",
      messages: [{ content: "do it" }, { content: "more" }],
    });
    files.write(`sessions/${session}.json`, "broken");
    await repair(files);
    expect(files.json(`sessions/${session}.json`)).toMatchObject({ session_id: session });
  });

  test("removes what a killed process left half written, unless it is new", async () => {
    const files = shown();
    mkdirSync(files.path("tasks"), { recursive: true });
    const [old, fresh] = [files.path("tasks/.task_1.json.abc.tmp"), files.path("tasks/.task_2.json.abc.tmp")];
    const hourAgo = files.clock.now() / 1000 - 4000;
    for (const file of [old, fresh]) writeFileSync(file, "{");
    utimesSync(old, hourAgo, hourAgo);
    utimesSync(fresh, files.clock.now() / 1000, files.clock.now() / 1000);
    await repair(files);
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
  });

  test("looks at every one of many tasks, page by page", async () => {
    const files = shown();
    for (let n = 0; n < 350; n++) await admitted(files.bare);
    let largest = 0;
    const counted = new Proxy(files.bare, {
      get: (target, key) => {
        if (key === "tasks") {
          return async (query: Parameters<Store["tasks"]>[0]) => {
            const page = await target.tasks(query);
            largest = Math.max(largest, page.length);
            return page;
          };
        }
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    expect(await repair(files, counted)).toEqual({ looked: 350, rewritten: 350 });
    expect(largest).toBeLessThanOrEqual(100);
    expect(files.list("tasks")).toHaveLength(350);
  });

  test("does not fail where it cannot write, and says so once", async () => {
    const files = shown();
    for (let n = 0; n < 3; n++) await admitted(files.bare);
    mkdirSync(files.path("."), { recursive: true });
    writeFileSync(files.path("tasks"), "in the way");
    const { looked, rewritten } = await repair(files);
    expect([looked, rewritten]).toEqual([3, 0]);
    expect(files.problems.filter((message) => message.includes("cannot be written"))).toHaveLength(1);
  });

  test("never lets what it has read earlier win over what was written meanwhile", async () => {
    const files = shown();
    const hold = await running(files.store);
    const stale = await files.bare.tasks({ limit: 10 });
    await files.store.append(hold, [end]);
    const behind = new Proxy(files.bare, {
      get: (target, key) => {
        if (key === "tasks") return async () => stale;
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    await repair(files, behind);
    expect(files.json(`tasks/${hold.task}.json`)["status"]).toBe("completed");
    expect(files.problems).toEqual([]);
  });
});

test("a wish to stop a task that nobody has read yet is not written over while the task goes on", async () => {
  const files = shown();
  const { id } = await admitted(files.store);
  const file = `tasks/${id}.json`;
  files.write(file, { ...files.json(file), status: "cancelled" });
  const hold = await claimed(files.store);
  expect(files.json(file)["status"]).toBe("cancelled");
  await files.store.command(id, { type: "stop", by: "tester" });
  await files.store.append(hold, [{ type: "attempt.suspended", on: "timer" }]);
  expect(files.json(file)["status"]).toBe("waiting");
  files.write(file, { ...files.json(file), status: "cancelled" });
  await files.store.interrupt(WORKER_A.id, "killed");
  await files.store.command(id, { type: "stop", by: "tester" });
  expect(files.json(file)).toMatchObject({ status: "cancelled", result: { status: "cancelled" } });
});

test("a home that others may look into stays as it is: only what is ours is closed to them", async () => {
  const files = shown();
  mkdirSync(files.path("."), { recursive: true });
  chmodSync(files.path("."), 0o755);
  await admitted(files.store);
  expect(lstatSync(files.path(".")).mode & 0o777).toBe(0o755);
});
