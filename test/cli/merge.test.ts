import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { gitIn } from "../workspaces/kit.ts";
import { agentFile, cadre, type Place, place, start } from "./command-line.ts";
import { hasScript, onTerminal } from "./on-terminal.ts";

const MODE = "permission_mode: acceptEdits\nworkspace: { mode: worktree }\n";
const FILES = {
  "a.txt": "one\n",
  ".cadre/agents/writer.md": agentFile("writer", '  - { write: a.txt, content: "two\\n" }\n  - answer: written', MODE),
  ".cadre/agents/copier.md": agentFile(
    "copier",
    '  - { write: b.txt, content: "b\\n" }\n  - answer: written',
    "permission_mode: acceptEdits\n",
  ),
  ".cadre/agents/sly.md": agentFile(
    "sly",
    '  - { write: ".npmrc", content: "x" }\n  - answer: tried',
    "permission_mode: acceptEdits\nworkspace: { mode: worktree }\npolicy: { fs: { write: [., .npmrc] } }\n",
  ),
  ".cadre/agents/escapes.md": agentFile(
    "escapes",
    '  - { write: "a\\u001b[2Jb.txt", content: "\\u001b[31mred\\n" }\n  - answer: w',
    MODE,
  ),
  ".cadre/agents/slow.md": agentFile(
    "slow",
    "  - say: here\n  - pause_ms: 60000\n  - answer: late",
    "workspace: { allow_writes: true }\n",
  ),
};

/** A trusted project in a repository, and a user whose word counts without a terminal. */
async function repository(
  files: Readonly<Record<string, string>> = FILES,
): Promise<Place & { git: ReturnType<typeof gitIn> }> {
  const where = await place(files);
  const git = gitIn(where.project);
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(where.project, ".git/info/exclude"), ".cadre\n");
  git("add", "a.txt");
  git("commit", "--quiet", "--message=first");
  mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
  writeFileSync(join(where.userHome, ".cadre/config.yml"), "security: { person_without_terminal: true }\n");
  return { ...where, git };
}

const text = ({ project }: Place, path: string): string => readFileSync(join(project, path), "utf8");
const dataOf = (stdout: string) => (JSON.parse(stdout) as { data: Record<string, unknown> }).data;

/** What others than their workers have done with the tasks, as the log has it. */
async function controlOf({ project, userHome }: Place): Promise<unknown[]> {
  await using library = await openCadre({ cwd: project, userHome, env: {} });
  const { tasks } = await library.call("task.list", {});
  const pages = await Promise.all(tasks.map(({ id }) => library.call("task.events", { task: id, stream: "control" })));
  return pages.flatMap(({ events }) => events.map(({ event }) => event));
}

/** Each starts a dozen processes, and other tests run beside it. */
const LIMIT = { timeout: 60_000 };

describe("cadre merge", LIMIT, () => {
  test("shows what was changed, merges it, and leaves nothing behind", async () => {
    const where = await repository();
    expect((await cadre(where, "run", "writer", "write")).exit).toBe(0);
    expect(text(where, "a.txt")).toBe("one\n");
    expect((await cadre(where, "show", "@last")).stdout).toMatch(
      /kept +cadre\/writer-1: 1 file, \+1 -1 \(cadre merge\)/,
    );
    expect((await cadre(where, "merge", "--list")).stdout).toMatch(/^writer#1 +worktree +committed +cadre\/writer-1$/m);
    const dry = await cadre(where, "merge", "--dry", "writer#1");
    expect(dry).toMatchObject({ exit: 0, stdout: "It would merge into main without a conflict.\n" });
    expect(text(where, "a.txt")).toBe("one\n");
    const merged = await cadre(where, "merge", "writer#1");
    expect(merged.exit).toBe(0);
    expect(merged.stderr).toContain("M a.txt  +1 -1");
    expect(merged.stderr).toContain("-one\n+two\n");
    expect(merged.stdout).toMatch(/^Merged into main: [0-9a-f]{40}\n$/);
    expect(text(where, "a.txt")).toBe("two\n");
    expect((await cadre(where, "merge", "--list")).stdout).toBe("Nothing is kept.\n");
    expect(where.git("branch", "--list", "cadre/*")).toBe("");
    expect((await cadre(where, "show", "writer#1")).stdout).toMatch(/kept .*\(merged by \S+\)/);
    expect(await controlOf(where)).toMatchObject([
      { type: "workspace.merged", into: "main", commit: expect.any(String) },
    ]);
    expect(await cadre(where, "merge", "writer#1")).toMatchObject({ exit: 0, stdout: "There is nothing to merge.\n" });
  });

  test("names conflicts, and what is in the way, and merges nothing", async () => {
    const where = await repository();
    await cadre(where, "run", "writer", "write");
    writeFileSync(join(where.project, "a.txt"), "mine\n");
    const dirty = await cadre(where, "merge", "@last", "--json");
    expect(dirty.exit).toBe(4);
    expect(dataOf(dirty.stdout)).toMatchObject({ answer: { kind: "in-the-way", paths: ["a.txt"] } });
    where.git("commit", "--quiet", "--all", "--message=mine");
    const conflict = await cadre(where, "merge", "@last");
    expect(conflict).toMatchObject({
      exit: 4,
      stdout: "These were changed on both sides, so nothing was merged:\n  a.txt\n",
    });
    expect(text(where, "a.txt")).toBe("mine\n");
    expect((await cadre(where, "merge", "--delete", "@last")).exit).toBe(0);
    expect(await controlOf(where)).toMatchObject([{ type: "workspace.discarded" }]);
    expect((await cadre(where, "merge", "--list", "--json")).stdout).toContain('"data": []');
  });

  test("that is killed once git has done it is in the log at the next look", async () => {
    const where = await repository();
    await cadre(where, "run", "writer", "write");
    const bin = join(where.userHome, "bin");
    mkdirSync(bin);
    const real = String(spawnSync("sh", ["-c", "command -v git"]).stdout).trim();
    const script = `#!/bin/sh\n'${real}' "$@" || exit\n[ "$1 $4" = "update-ref HEAD" ] && kill -9 $PPID\nexit 0\n`;
    writeFileSync(join(bin, "git"), script, { mode: 0o755 });
    const env = { ...where.env, PATH: `${bin}:${where.env["PATH"] ?? ""}` };
    expect((await cadre({ ...where, env }, "merge", "writer#1")).exit).toBe(null);
    expect(text(where, "a.txt")).toBe("two\n");
    expect(await controlOf(where)).toEqual([]);
    expect((await cadre(where, "merge", "--list")).stdout).toBe("Nothing is kept.\n");
    const commit = where.git("rev-parse", "HEAD").trim();
    expect(await controlOf(where)).toMatchObject([{ type: "workspace.merged", into: "main", commit }]);
    expect((await cadre(where, "show", "writer#1")).stdout).toMatch(/kept .*\(merged by \S+\)/);
  });

  test("throws away also what git knows nothing of any more, and says so", async () => {
    const where = await repository();
    await cadre(where, "run", "writer", "write");
    const worktrees = join(where.project, ".git/worktrees");
    for (const name of readdirSync(worktrees)) rmSync(join(worktrees, name), { recursive: true });
    const merge = await cadre(where, "merge", "writer#1");
    expect(merge).toMatchObject({ exit: 3, stderr: expect.stringContaining("cadre merge --delete") });
    const gone = await cadre(where, "merge", "--delete", "writer#1");
    expect(gone).toMatchObject({ exit: 0, stderr: expect.stringContaining("are gone") });
    expect((await cadre(where, "merge", "--list")).stdout).toBe("Nothing is kept.\n");
  });

  test("with --dry throws nothing away", async () => {
    const where = await repository();
    await cadre(where, "run", "writer", "write");
    const { exit, stdout } = await cadre(where, "merge", "--dry", "--delete", "--yes", "@last");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "All of this would be thrown away.\n" });
    expect((await cadre(where, "merge", "--list")).stdout).toContain("writer#1");
    expect(await controlOf(where)).toEqual([]);
  });

  test.runIf(hasScript)("asks on a terminal, with --json as well", async () => {
    const where = await repository();
    await cadre(where, "run", "writer", "write");
    const merge = onTerminal(where, "merge", "--json", "@last");
    await merge.until("Merge this?");
    merge.type("n\n");
    const { exit, stdout } = await merge.done;
    expect(exit).toBe(2);
    expect(stdout).toContain("M a.txt  +1 -1");
    expect(text(where, "a.txt")).toBe("one\n");
  });

  test("takes files that decide what other programs run only when that is said", async () => {
    const where = await repository();
    await cadre(where, "run", "sly", "write");
    const first = await cadre(where, "merge", "@last");
    expect(first).toMatchObject({ exit: 2, stderr: expect.stringContaining("--include-protected") });
    expect(existsSync(join(where.project, ".npmrc"))).toBe(false);
    expect((await cadre(where, "merge", "--include-protected", "@last")).exit).toBe(0);
    expect(text(where, ".npmrc")).toBe("x");
  });

  test("brings a private copy in, where there is no repository", async () => {
    const where = await place({ ...FILES });
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre/config.yml"), "security: { person_without_terminal: true }\n");
    const refused = await cadre(where, "run", "writer", "write");
    expect(refused).toMatchObject({ exit: 4, stderr: expect.stringContaining("--workspace sandbox") });
    expect((await cadre(where, "run", "copier", "write", "--workspace", "sandbox")).exit).toBe(0);
    expect(existsSync(join(where.project, "b.txt"))).toBe(false);
    expect(await cadre(where, "merge", "@last")).toMatchObject({
      exit: 0,
      stdout: "Its changes are in the project, not committed.\n",
    });
    expect(text(where, "b.txt")).toBe("b\n");
  });

  test("lets nothing of a change talk to the terminal", async () => {
    const where = await repository();
    await cadre(where, "run", "escapes", "write");
    const { stderr, stdout } = await cadre(where, "merge", "--dry", "@last");
    expect(stderr).toContain("\\u001b[31mred");
    // oxlint-disable-next-line eslint/no-control-regex -- that is the point
    expect(`${stderr}${stdout}`).not.toMatch(/\u001b/);
  });

  test("is a person's, and not for what still runs", async () => {
    const where = await repository();
    await cadre(where, "run", "writer", "write");
    writeFileSync(join(where.userHome, ".cadre/config.yml"), "");
    expect(await cadre(where, "merge", "@last")).toMatchObject({ exit: 4, stderr: expect.stringContaining("person") });
    // Only to look is nobody's alone.
    expect(await cadre(where, "merge", "--dry", "@last")).toMatchObject({ exit: 0 });
    expect(await controlOf(where)).toEqual([]);
    const inside = { ...where, env: { ...where.env, CADRE_ATTEMPT: "1" } };
    expect((await cadre(inside, "merge", "@last")).exit).not.toBe(0);
    expect(text(where, "a.txt")).toBe("one\n");
    writeFileSync(join(where.userHome, ".cadre/config.yml"), "security: { person_without_terminal: true }\n");
    const running = start(where, "run", "slow", "wait", "--workspace", "worktree");
    await running.until("here");
    expect(await cadre(where, "merge", "slow#1")).toMatchObject({
      exit: 4,
      stderr: expect.stringMatching(/is (running|waiting)/),
    });
    running.kill("SIGKILL");
    await running.done;
  });
});

test("a task that would write where another does waits, and says for whom", LIMIT, async () => {
  const where = await repository();
  const first = start(where, "run", "slow", "wait");
  await first.until("here");
  const second = start(where, "run", "slow", "wait too");
  await expect
    .poll(async () => (await cadre(where, "status")).stdout, { timeout: 20_000 })
    .toContain("pending (behind slow#1)");
  expect((await cadre(where, "show", "slow#2")).stdout).toContain("slow#1 writes where this would");
  await cadre(where, "stop", "slow#1");
  await second.until("here");
  await cadre(where, "stop", "slow#2");
  await Promise.all([first.done, second.done]);
});
