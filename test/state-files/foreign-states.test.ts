import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ForeignOptions, readForeignStates } from "../../src/stores/state-files/index.ts";
import { admitted, claimed, completed, running } from "../../src/testing/store-contract/given.ts";
import { dropped, shell, shown, type Shown, taskId, temporaryFolder } from "./kit.ts";

const read = (files: Shown, rest: Partial<ForeignOptions> = {}) =>
  readForeignStates(files.store, { ...files, ...rest });
const start = (id: string, rest = {}) => ({
  kind: "start",
  id,
  agent: "coder-agent",
  prompt: "Write a function",
  createdAt: Date.parse("2025-07-26T00:00:00Z"),
  ...rest,
});

describe("a pending file that nobody knows", () => {
  test.each([".cadre", ".gemini/agents"])("is a wish to start a task under its own id, in %s", async (home) => {
    const files = shown({ home });
    files.write("tasks/task_1699893721.json", dropped("task_1699893721"));
    expect(await read(files)).toEqual({ wishes: [start("task_1699893721")], problems: [] });
  });

  test("cannot say where its plan and its log are", async () => {
    const files = shown();
    const paths = { planFile: "../../.bashrc", logFile: "/etc/passwd" };
    files.write("tasks/task_1.json", dropped("task_1", paths));
    expect(await read(files)).toEqual({ wishes: [start("task_1")], problems: [] });
  });

  test("waits its turn: the oldest comes first", async () => {
    const files = shown();
    for (const [id, year] of [
      ["task_a", 2025],
      ["task_b", 2023],
      ["task_c", 2024],
    ] as const) {
      files.write(`tasks/${id}.json`, dropped(id, { createdAt: `${year}-01-01T00:00:00Z` }));
    }
    const { wishes } = await read(files);
    expect(wishes.map((wish) => (wish.kind === "start" ? wish.id : null))).toEqual(["task_b", "task_c", "task_a"]);
  });

  test("is ours once it was admitted, and then says nothing any more", async () => {
    const files = shown();
    files.write("tasks/task_1.json", dropped("task_1", { agent: "worker", prompt: "do it" }));
    await admitted(files.bare, {}, { id: taskId("1") });
    expect(await read(files)).toEqual({ wishes: [], problems: [] });
    await claimed(files.store);
    expect(files.json("tasks/task_1.json")["status"]).toBe("running");
    expect(await read(files)).toEqual({ wishes: [], problems: [] });
  });
});

describe("the file of a task that was edited", () => {
  const edit = (files: Shown, id: string, change: Record<string, unknown>) =>
    files.write(`tasks/${id}.json`, { ...files.json(`tasks/${id}.json`), ...change });

  test("to cancelled is a wish to stop it", async () => {
    const files = shown();
    const { id } = await admitted(files.store);
    const hold = await running(files.store);
    edit(files, id, { status: "cancelled" });
    edit(files, hold.task, { status: "cancelled", cadre: undefined });
    const { wishes, problems } = await read(files);
    expect(problems).toEqual([]);
    expect(new Set(wishes)).toEqual(
      new Set([
        { kind: "stop", task: id },
        { kind: "stop", task: hold.task },
      ]),
    );
  });

  test("to cancelled says nothing new once the task was asked to stop", async () => {
    const files = shown();
    const { task } = await running(files.store);
    edit(files, task, { status: "cancelled" });
    await files.store.command(task, { type: "stop", by: "tester" });
    expect(await read(files)).toEqual({ wishes: [], problems: [] });
  });

  test("is not one that is only old: a task that was stopped and queued again is not stopped twice", async () => {
    const files = shown();
    const { id } = await admitted(files.store);
    await files.store.command(id, { type: "stop", by: "tester" });
    await files.bare.command(id, { type: "requeue", because: "retry", by: "tester" });
    expect(files.json(`tasks/${id}.json`)["status"]).toBe("cancelled");
    expect(await read(files)).toEqual({ wishes: [], problems: [] });
  });

  test("in any other way is a problem", async () => {
    const files = shown();
    const { id } = await admitted(files.store);
    edit(files, id, { status: "completed", result: "I am done" });
    const hold = await running(files.store);
    await files.store.append(hold, [{ type: "task.ended", outcome: completed }]);
    edit(files, hold.task, { status: "cancelled" });
    const { wishes, problems } = await read(files);
    expect(wishes).toEqual([]);
    expect(problems.toSorted()).toEqual(
      [
        `.cadre/tasks/${id}.json was edited (status is "completed", result is "I am done"): the log wins`,
        `.cadre/tasks/${hold.task}.json was edited (status is "cancelled"): the log wins`,
      ].toSorted(),
    );
  });
});

describe("a file that is neither ours nor a wish is a problem and nothing else:", () => {
  const wrong: [name: string, file: string, content: string | Record<string, unknown>, why: string][] = [
    ["broken JSON", "task_1.json", '{"taskId": "task_1"', "is not JSON"],
    ["not text", "task_1.json", "\u0000", "is not JSON"],
    ["not an object", "task_1.json", '"task_1"', "is not a state file"],
    ["no status", "task_1.json", { taskId: "task_1" }, "is not a state file"],
    ["no agent", "task_1.json", dropped("task_1", { agent: undefined }), "cannot be started"],
    ["an agent that is a path", "task_1.json", dropped("task_1", { agent: "../x" }), "cannot be started"],
    ["an empty prompt", "task_1.json", dropped("task_1", { prompt: "" }), "cannot be started"],
    ["a prompt that is no text", "task_1.json", dropped("task_1", { prompt: ["x"] }), "cannot be started"],
    ["a time that is none", "task_1.json", dropped("task_1", { createdAt: "soon" }), "cannot be started"],
    ["too large", "task_1.json", dropped("task_1", { prompt: "x".repeat(1_048_576) }), "is larger than 1 MB"],
    ["another task's name", "task_1.json", dropped("task_2"), 'says that it is the task "task_2"'],
    ["an id that leads elsewhere", "task_1.json", dropped("../../x"), 'says that it is the task "../../x"'],
    ["a name that is no id", "notes.json", dropped("notes"), "is not named after a task"],
    ["a name with a space", "task_1 copy.json", dropped("task_1 copy"), "is not named after a task"],
    ["an unknown status", "task_1.json", dropped("task_1", { status: "queued" }), 'has an unknown status: "queued"'],
    [
      "a task that runs elsewhere",
      "task_1.json",
      dropped("task_1", { status: "running" }),
      'is "running" and not ours: only a pending one',
    ],
    ["a stamp", "task_1.json", dropped("task_1", { cadre: { store: "x" } }), "was written for a task that this store"],
  ];
  test.each(wrong)("%s", async (_name, file, content, why) => {
    const files = shown();
    files.write(`tasks/${file}`, content);
    const { wishes, problems } = await read(files);
    expect(wishes).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`.cadre/tasks/${file} ${why}`);
  });

  test("deeply nested JSON", async () => {
    const files = shown();
    files.write(
      "tasks/task_1.json",
      `{"taskId":"task_1","status":"pending","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    );
    const { wishes, problems } = await read(files);
    expect(wishes.length + problems.length).toBe(1);
  });

  test("a link", async () => {
    const files = shown();
    const elsewhere = join(temporaryFolder(), "task_1.json");
    writeFileSync(elsewhere, JSON.stringify(dropped("task_1")));
    mkdirSync(files.path("tasks"), { recursive: true });
    symlinkSync(elsewhere, files.path("tasks/task_1.json"));
    const { wishes, problems } = await read(files);
    expect(wishes).toEqual([]);
    expect(problems[0]).toContain("is a symbolic link");
  });

  test("a folder, and a named pipe, which holds nobody up", async () => {
    const files = shown();
    mkdirSync(files.path("tasks/task_1.json"), { recursive: true });
    shell('mkfifo "$0"', files.path("tasks/task_2.json"));
    const { wishes, problems } = await read(files);
    expect(wishes).toEqual([]);
    expect(problems).toHaveLength(2);
    for (const problem of problems) expect(problem).toContain("is not a regular file");
  });

  test("a name that would break a line", async () => {
    const files = shown();
    files.write("tasks/task_1\n\u001b[31m.json", dropped("task_1"));
    const { problems } = await read(files);
    expect(problems[0]).toContain("task_1\\n\\u001b[31m.json is not named after a task");
  });
});

test("a file of another user is a problem", async () => {
  const files = shown();
  files.write("tasks/task_1.json", dropped("task_1"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(files.path("tasks/task_1.json"), 65_534, 65_534);
  const { wishes, problems } = await read(files);
  // Only root can give a file away.
  expect([wishes.length, problems.length]).toEqual(isRoot ? [0, 1] : [1, 0]);
  expect(problems.every((problem) => problem.includes("belongs to another user"))).toBe(true);
});

test("a folder of tasks that is a link is not looked into", async () => {
  const files = shown();
  files.write("other/task_1.json", dropped("task_1"));
  symlinkSync(files.path("other"), files.path("tasks"));
  const { wishes, problems } = await read(files);
  expect(wishes).toEqual([]);
  expect(problems[0]).toContain("is a link or a file, not a folder");
});

test("where there is no folder there is no wish", async () => {
  expect(await read(shown())).toEqual({ wishes: [], problems: [] });
});

test("temporary and other files are nobody's business", async () => {
  const files = shown();
  files.write("tasks/.task_1.json.abc.tmp", dropped("task_1"));
  files.write("tasks/README.md", "hello");
  expect(await read(files)).toEqual({ wishes: [], problems: [] });
});

describe("in a repository", () => {
  const git = (files: Shown, ...args: string[]) => {
    const { status, stderr } = spawnSync("git", args, { cwd: files.layout.project, encoding: "utf8" });
    expect(status, stderr).toBe(0);
  };

  test("a file that git tracks is no wish, and one that it does not is", async () => {
    const files = shown();
    files.write("tasks/task_1.json", dropped("task_1"));
    files.write("tasks/task_2.json", dropped("task_2"));
    git(files, "init", "-q");
    git(files, "add", "-f", ".cadre/tasks/task_1.json");
    expect(await read(files)).toEqual({
      wishes: [start("task_2")],
      problems: [".cadre/tasks/task_1.json is tracked by git"],
    });
  });

  test("nor is the edit of a tracked one a wish to stop", async () => {
    const files = shown();
    const { id } = await admitted(files.store);
    files.write(`tasks/${id}.json`, { ...files.json(`tasks/${id}.json`), status: "cancelled" });
    git(files, "init", "-q");
    git(files, "add", "-f", `.cadre/tasks/${id}.json`);
    expect(await read(files)).toEqual({ wishes: [], problems: [`.cadre/tasks/${id}.json is tracked by git`] });
  });

  test("that git cannot read, nothing is a wish; once it can, it is", async () => {
    const files = shown();
    const seen = new Map<string, string>();
    files.write("tasks/task_1.json", dropped("task_1"));
    mkdirSync(join(files.layout.project, ".git"));
    const { wishes, problems } = await read(files, { seen });
    expect(wishes).toEqual([]);
    expect(problems[0]).toContain("may be tracked by git");
    git(files, "init", "-q");
    expect((await read(files, { seen })).wishes).toEqual([start("task_1")]);
  });

  test("no program that its settings name is run", async () => {
    const files = shown();
    files.write("tasks/task_1.json", dropped("task_1"));
    git(files, "init", "-q");
    const trap = join(files.layout.project, "trap.sh");
    writeFileSync(trap, `#!/bin/sh\ntouch "${files.path("sprung")}"\n`, { mode: 0o755 });
    git(files, "config", "core.fsmonitor", trap);
    git(files, "config", "core.pager", trap);
    expect((await read(files)).wishes).toHaveLength(1);
    expect(files.has("sprung")).toBe(false);
  });

  test("variables of the surroundings do not lead git elsewhere", async () => {
    const files = shown();
    files.write("tasks/task_1.json", dropped("task_1"));
    git(files, "init", "-q");
    git(files, "add", "-f", ".cadre/tasks/task_1.json");
    process.env["GIT_INDEX_FILE"] = join(temporaryFolder(), "empty");
    try {
      expect((await read(files)).wishes).toEqual([]);
    } finally {
      delete process.env["GIT_INDEX_FILE"];
    }
  });
});

describe("looking again with the same memory", () => {
  test("tells each wish and each problem once, and again only when its file has changed", async () => {
    const files = shown();
    const seen = new Map<string, string>();
    files.write("tasks/task_1.json", dropped("task_1"));
    files.write("tasks/task_2.json", "broken");
    const first = await read(files, { seen });
    expect([first.wishes.length, first.problems.length]).toEqual([1, 1]);
    expect(await read(files, { seen })).toEqual({ wishes: [], problems: [] });
    files.write("tasks/task_2.json", dropped("task_2"));
    expect((await read(files, { seen })).wishes).toEqual([start("task_2")]);
  });

  test("forgets files that are gone", async () => {
    const files = shown();
    const seen = new Map<string, string>();
    files.write("tasks/task_1.json", dropped("task_1"));
    await read(files, { seen });
    rmSync(files.path("tasks/task_1.json"));
    await read(files, { seen });
    expect(seen.size).toBe(0);
  });

  test("keeps no wish back that a failure in the middle has hidden", async () => {
    const files = shown();
    const seen = new Map<string, string>();
    files.write("tasks/task_1.json", dropped("task_1"));
    const failing = { ...files.store, id: "x", task: () => Promise.reject(new Error("the store is gone")) };
    const { wishes, problems } = await readForeignStates(failing, { ...files, seen });
    expect([wishes, problems]).toEqual([[], ["the store is gone"]]);
    expect((await read(files, { seen })).wishes).toHaveLength(1);
  });

  test("leaves a file that is just being written for the next time", async () => {
    const files = shown();
    const seen = new Map<string, string>();
    files.write("tasks/task_1.json", '{"taskId": "ta');
    const now = files.clock.now() / 1000;
    utimesSync(files.path("tasks/task_1.json"), now, now);
    expect(await read(files, { seen })).toEqual({ wishes: [], problems: [] });
    await files.clock.advance(3000);
    expect((await read(files, { seen })).problems).toHaveLength(1);
  });

  test("takes a file that was renamed into place", async () => {
    const files = shown();
    const seen = new Map<string, string>();
    files.write("tasks/task_1.json", "broken");
    await read(files, { seen });
    files.write("tasks/next", dropped("task_1"));
    renameSync(files.path("tasks/next"), files.path("tasks/task_1.json"));
    expect((await read(files, { seen })).wishes).toHaveLength(1);
  });
});

test("our own file of more than a megabyte is no problem", async () => {
  const files = shown();
  await admitted(files.store, { prompt: "x".repeat(1_200_000) });
  expect(await read(files)).toEqual({ wishes: [], problems: [] });
});
