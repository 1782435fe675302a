// Paths, links and names, put to the file tools by an agent that may do all that a definition can allow.
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cadre as run } from "../cli/command-line.ts";
import { machines } from "../confinement/kit.ts";
import { attack, type Call, filesIn, FREE, lay, notRefused, openAt, type Scene, scene, SECRET } from "./kit.ts";

const LIMIT = { timeout: 60_000 };

const reads = (path: string): Call[] => [
  { call: "Read", input: { file_path: path } },
  { call: "Grep", input: { pattern: "secret", path, output_mode: "content" } },
  { call: "Glob", input: { pattern: "*", path } },
  { call: "List", input: { path } },
];
const writes = (path: string): Call[] => [
  { call: "Write", input: { file_path: path, content: "owned" } },
  { call: "Edit", input: { file_path: path, old_string: SECRET, new_string: "owned" } },
];
const tries = (paths: readonly string[]): Call[] => paths.flatMap((path) => [...reads(path), ...writes(path)]);

/** Whatever was tried: it came to nothing, told nothing, and left everything outside as it was. */
async function expectNoEscape(where: Scene, paths: readonly string[]): Promise<void> {
  const before = outsideOf(where);
  const control: Call = { call: "Write", input: { file_path: "ok.txt", content: "ok" } };
  const { went } = await attack(where, FREE, [...tries(paths), control]);
  expect(went.at(-1)?.how).toBe("done");
  expect(went.slice(0, -1).flatMap(({ how, call }) => (how === "done" ? [call] : []))).toEqual([]);
  expect(went.map(({ text }) => text).join("\n")).not.toContain(SECRET);
  expect(outsideOf(where)).toEqual(before);
}

const outsideOf = ({ outside, project, userHome }: Scene) =>
  filesIn(outside).filter(([path]) => !path.startsWith(project) && !path.startsWith(userHome));

test("case 8: no spelling of a path leads out of the project", LIMIT, async () => {
  const where = scene();
  lay(where.outside, { "project-evil/secret": SECRET });
  await expectNoEscape(where, [
    "../secret",
    "a/../../secret",
    "./.././secret",
    `${where.project}/../secret`,
    `${where.project}-evil/secret`,
    `${where.project}/../project-evil/secret`,
    `//${where.outside}/secret`,
    join(where.outside, "secret"),
    `/proc/self/root${where.outside}/secret`,
    `/proc/self/cwd/../${where.outside}/secret`,
    `/proc/${process.pid}/root${where.outside}/secret`,
    "/dev/fd/0",
    "/dev/stdin",
    "~/secret",
    "../secret\u200b",
    "a\u0000/../../secret",
  ]);
});

test("case 8: letters that only look like dots and slashes are letters, in the project", LIMIT, async () => {
  const where = scene();
  const names = ["..\\secret", "\u2024\u2024/secret", "..\u2215secret"];
  const { went } = await attack(where, FREE, names.flatMap(writes));
  expect(went.map(({ how }) => how)).toEqual(names.flatMap(() => ["done", "failed"]));
  for (const name of names) expect(readFileSync(join(where.project, name), "utf8")).toBe("owned");
  expect(readFileSync(join(where.outside, "secret"), "utf8")).toBe(SECRET);
});

test("case 8: a scope is not wider than its name: neither beside it, nor in another spelling", LIMIT, async () => {
  const where = scene({ "src/a.txt": "a", "src-evil/a.txt": SECRET, "SRC/a.txt": SECRET, "a/src/a.txt": SECRET });
  const agent = { ...FREE, policy: { fs: { read: ["src"], write: ["src"] } } };
  const paths = [
    "src-evil/a.txt",
    "SRC/a.txt",
    "a/src/a.txt",
    "src/../src-evil/a.txt",
    "sr\u0441/a.txt",
    "src/./../SRC/a.txt",
  ];
  const { went } = await attack(where, agent, [...tries(paths), { call: "Read", input: { file_path: "src/a.txt" } }]);
  expect(went.slice(0, -1).filter(({ how }) => how === "done")).toEqual([]);
  expect(went.at(-1)?.how).toBe("done");
  expect(filesIn(where.project).some(([, text]) => text === "owned")).toBe(false);
});

test(
  "case 9: no link of a project is followed: to a file, to a folder, to nowhere, hard ones included",
  LIMIT,
  async () => {
    const where = scene({ "real/in.txt": SECRET });
    symlinkSync("../secret", join(where.project, "file"));
    symlinkSync("..", join(where.project, "up"));
    symlinkSync(join(where.outside, "late"), join(where.project, "late"));
    symlinkSync("/proc/self/root", join(where.project, "root"));
    mkdirSync(join(where.project, "deep"));
    symlinkSync("../..", join(where.project, "deep/up"));
    await expectNoEscape(where, [
      "file",
      "up/secret",
      "up",
      "late",
      `root${where.outside}/secret`,
      "deep/up/secret",
      "deep/../up/secret",
    ]);
    linkSync(join(where.outside, "secret"), join(where.project, "twin"));
    const { went } = await attack(where, FREE, [...reads("twin").slice(0, 1), ...writes("twin")]);
    expect(went.slice(1).map(({ how }) => how)).toEqual(["failed", "failed"]);
    expect(readFileSync(join(where.outside, "secret"), "utf8")).toBe(SECRET);
  },
);

/** Uses everything that Cadre keeps files for, and gets as far as it can. */
async function useAll(where: Scene): Promise<void> {
  const calls: Call[] = [
    { call: "Write", input: { file_path: join(where.project, ".cadre/workspace/note.md"), content: "x" } },
    { call: "TodoWrite", input: { todos: [{ content: "x", status: "pending", activeForm: "x" }] } },
    { call: "Bash", input: { command: "echo x >made; echo evil >.npmrc" } },
  ];
  const tree = { ...FREE, workspace: { mode: "worktree" } };
  for (const agent of [FREE, tree]) await attack(where, agent, calls).catch(() => undefined);
  const cadre = await openAt(where).catch(() => null);
  await cadre?.call("memory.add", { content: "x" }).catch(() => undefined);
  await cadre?.call("agent.export", { agents: ["Explore"], to: "claude", allowLoss: true }).catch(() => undefined);
}

function repository({ project }: Scene): void {
  const git = (...args: readonly string[]) => spawnSync("git", ["-C", project, ...args], { env: GIT_ENV }).status;
  expect([git("init", "-q"), git("add", "a.txt"), git("commit", "-qm", "first")]).toEqual([0, 0, 0]);
}

const WHO = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@a", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@a" };
const GIT_ENV = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", ...WHO };

describe("case 9: a repository that ships Cadre's own folders as links", () => {
  const folders = ["tasks", "sessions", "logs", "plans", "workspace", "worktrees", "quarantine", "memory", "export"];

  test("all of them are used where they are none", LIMIT, async () => {
    const where = scene({ "a.txt": "a" });
    repository(where);
    await useAll(where);
    const used = new Set(
      filesIn(join(where.project, ".cadre")).map(([path]) => path.split("/.cadre/")[1]?.split("/")[0]),
    );
    const needed = folders.filter((name) => name !== "quarantine" || machines.length > 0);
    expect(needed.filter((name) => !used.has(name))).toEqual([]);
  });

  test.each([...folders, "cadre.db", "config.yml"])("%s: nothing is written where it leads", LIMIT, async (name) => {
    const where = scene({ "a.txt": "a" });
    repository(where);
    const target = join(where.outside, "elsewhere");
    mkdirSync(target);
    symlinkSync(target, join(where.project, ".cadre", name));
    // It may be refused, and it may go on without that folder. It may not write there.
    await useAll(where);
    expect(filesIn(target)).toEqual([]);
  });
});

test("case 9: AGENTS.md and agents that are links out of the project are not read", LIMIT, async () => {
  const where = scene();
  lay(where.outside, { "evil.md": "---\nname: evil\ndescription: d\ntape: [{ answer: owned }]\n---\n" });
  symlinkSync("../secret", join(where.project, "AGENTS.md"));
  mkdirSync(join(where.project, ".cadre/agents"));
  symlinkSync("../../../evil.md", join(where.project, ".cadre/agents/evil.md"));
  const cadre = await openAt(where, { trusted: [where.project] });
  const { agents } = await cadre.call("agent.list", {});
  expect(agents.map(({ definition }) => definition.name)).not.toContain("evil");
  await expect(cadre.run({ agent: "evil", prompt: "go" })).rejects.toMatchObject({ code: "agent.not-found" });
});

test("case 12: files that decide what runs later are not written, absent ones too, in any mode", LIMIT, async () => {
  const where = scene({ ".git/config": "[core]\n", "package.json": "{}" });
  const names = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/info/attributes",
    ".GIT/hooks/post-checkout",
    "sub/.git/config",
    ".gitattributes",
    ".gitmodules",
    ".npmrc",
    "packages/a/.npmrc",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".bashrc",
    ".envrc",
    ".husky/pre-commit",
    ".github/workflows/ci.yml",
    ".mcp.json",
    ".claude/settings.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cadre/config.yml",
    ".cadre/agents/evil.md",
    ".cadre/tools/evil.yml",
    "src/../.git/config",
  ];
  const calls = names.map((path): Call => ({ call: "Write", input: { file_path: path, content: "owned" } }));
  const { went } = await attack(where, FREE, calls);
  expect(notRefused(went)).toEqual([]);
  expect(filesIn(where.project).flatMap(([path, text]) => (text === "owned" ? [path] : []))).toEqual([]);
});

const LATER = [
  "package.json",
  "PACKAGE.json",
  "packages/a/package.json",
  "package-lock.json",
  "Makefile",
  "sub/justfile",
  "vitest.config.ts",
  "eslint.config.js",
  "setup.py",
  "AGENTS.md",
  "sub/agents.md",
  "test/conftest.py",
  "Dockerfile",
  "node_modules/tool/index.js",
  "node_modules/.bin/tool",
  ".venv/bin/activate",
  "src/../package.json",
];
const writing = (paths: readonly string[]): Call[] =>
  paths.map((path): Call => ({ call: "Write", input: { file_path: path, content: "owned" } }));
/** Not in Cadre's home: that is open, and must not be read beside it. */
const owned = ({ project }: Scene): string[] => {
  const { stdout } = spawnSync("grep", ["-rlx", "--exclude-dir=.cadre", "owned", "."], {
    cwd: project,
    encoding: "utf8",
  });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(2))
    .toSorted();
};

test(
  "case 12: what others run next is not written in the project, present or absent, unless it was meant",
  LIMIT,
  async () => {
    const files = { "package.json": "{}", "node_modules/tool/index.js": "", Makefile: "all:\n" };
    const where = scene(files);
    const edit: Call = { call: "Edit", input: { file_path: "package.json", old_string: "{}", new_string: "owned" } };
    const read: Call = { call: "Read", input: { file_path: "package.json" } };
    const { went } = await attack(where, FREE, [...writing(LATER), read, edit]);
    expect(notRefused(went.filter(({ call }) => call !== read))).toEqual([]);
    expect(went[0]?.text).toContain("policy.fs.write names it");
    expect(owned(where)).toEqual([]);
    const scratch = writing([".cadre/workspace/package.json"]); // nobody builds anything there
    expect((await attack(where, FREE, scratch)).went.map(({ how }) => how)).toEqual(["done"]);
    // Named by its scope, which a person has seen: that very file, and no other.
    const named = { ...FREE, policy: { fs: { read: ["."], write: [".", "sub/justfile"] } } };
    await attack(where, named, writing(LATER));
    expect(owned(where)).toEqual(["sub/justfile"]);
  },
);

test(
  "case 12: a person is shown the write to what others run, and says yes or no to just that one",
  LIMIT,
  async () => {
    const where = scene();
    const cadre = await openAt(where, {
      askable: "inbox",
      agents: [
        {
          name: "victim",
          description: "d",
          backend: "native",
          ...FREE,
          tape: [...writing(["Makefile", "justfile"]), { answer: "done" }],
        },
      ],
    });
    const { id } = await cadre.start({ agent: "victim", prompt: "go" });
    const working = cadre.work({});
    for (const verdict of ["allow", "deny"] as const) {
      const open = async () =>
        (await cadre.call("inbox.list", {})).items.flatMap(({ asked, isOpen }) =>
          isOpen && asked !== null ? [asked] : [],
        );
      await expect.poll(async () => (await open()).length, { timeout: 30_000, interval: 50 }).toBe(1);
      const [asked] = await open();
      if (asked === undefined) throw new Error("nothing was asked");
      expect(asked.body).toContain(verdict === "allow" ? "Makefile" : "justfile");
      expect(asked.title).toMatch(
        /^victim wants to use Write: whoever .* runs "(make|just)file", outside of any sandbox$/,
      );
      await cadre.call("approval.answer", {
        approval: asked.id,
        answer: verdict === "allow" ? { verdict, scope: "task" } : { verdict },
      });
    }
    await working;
    expect((await cadre.call("task.get", { task: id })).status).toBe("completed");
    expect(owned(where)).toEqual(["Makefile"]);
  },
);

test("case 12: in a tree of its own an agent writes it, and whoever merges is shown it first", LIMIT, async () => {
  const where = scene({ "a.txt": "a" });
  repository(where);
  const agent = { ...FREE, workspace: { mode: "worktree" } };
  const { went, cadre, task } = await attack(where, agent, writing(["package.json", "src/a.ts", ".npmrc"]));
  expect(went.map(({ how }) => how)).toEqual(["done", "done", "refused"]);
  expect(owned(where)).toEqual([]);
  expect(await cadre.call("workspace.diff", { task: task.id })).toMatchObject({
    runsLater: ["package.json"],
    protected: [],
  });
  const { stderr } = await run(where, "merge", "--dry", task.id);
  expect(stderr.trim().split("\n").slice(0, 2)).toEqual([
    expect.stringContaining("read these first"),
    "  package.json",
  ]);
});

test(
  "case 12, case 21: neither a child nor a changed file opens what its parent, or a person, has not",
  LIMIT,
  async () => {
    const where = scene();
    const wide = { fs: { read: ["."], write: [".", "package.json", ".vscode"] } };
    const tape = [...writing(["package.json", ".vscode/tasks.json", "fine.txt"]), { answer: "tried" }];
    const child = { name: "child", description: "d", backend: "native", ...FREE, policy: wide, tape };
    const lead = {
      ...FREE,
      tools: ["Task(child)", "*"],
      tape: [{ delegate: "child", prompt: "go" }, { answer: "led" }],
    };
    await attack(where, lead, [], { agents: [child] });
    expect(owned(where)).toEqual(["fine.txt"]);
    const file = (write: string) =>
      `---\nname: later\ndescription: d\nworkspace: { allow_writes: true }\npolicy: { fs: { write: ${write} } }\ntape: [{ answer: x }]\n---\n`;
    lay(where.project, { ".cadre/agents/later.md": file("['.']") });
    const cadre = await openAt(where);
    await cadre.call("trust.grant", {});
    lay(where.project, { ".cadre/agents/later.md": file("['.', package.json, .vscode]") });
    const { trusted, unseen = [] } = await cadre.call("agent.get", { agent: "later" });
    expect([trusted, unseen.join()]).toEqual([false, "writes: package.json, .vscode"]);
  },
);

test("case 13: what a model says is never an option of a program that a tool starts", LIMIT, async () => {
  const where = scene({ "--pre=touch owned": "secret", "-e": "secret", "evil.sh": "#!/bin/sh\ntouch owned\n" });
  const grep = (input: Record<string, string>): Call => ({ call: "Grep", input: { pattern: "secret", ...input } });
  const { went } = await attack(where, FREE, [
    grep({ pattern: "--pre=./evil.sh" }),
    grep({ pattern: "--pre", path: "./evil.sh" }),
    grep({ pattern: "-f../secret" }),
    grep({ path: "--pre=touch owned", output_mode: "content" }),
    grep({ glob: "--pre=./evil.sh" }),
    grep({ path: "-e", output_mode: "content" }),
    { call: "Glob", input: { pattern: "--files-from=../secret" } },
    { call: "Glob", input: { pattern: "-*" } },
  ]);
  expect(existsSync(join(where.project, "owned"))).toBe(false);
  expect(JSON.stringify(went)).not.toContain(SECRET);
  expect(went[3]).toMatchObject({ how: "done", text: expect.stringContaining("secret") });
  expect(went[5]).toMatchObject({ how: "done", text: expect.stringContaining("secret") });
});
