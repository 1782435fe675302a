// Real repositories, and tasks as far as a workspace looks at them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { MergeAnswer, MergeWish, TakenWork, TellTaken, WorkShelf } from "../../src/ports/index.ts";
import type { SessionId } from "../../src/schema/index.ts";
import { workShelf } from "../../src/workspaces/merge/work-shelf.ts";
import { OwnTrees } from "../../src/workspaces/trees/own-trees.ts";
import { WISH } from "./tree-tasks.ts";

export { taskWith, WISH } from "./tree-tasks.ts";

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-trees-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const PERSON = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com" };
const env = {
  ...PERSON,
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  PATH: process.env["PATH"] ?? "",
};

/** git, as somebody uses it who has nothing to do with Cadre. */
export const gitIn =
  (folder: string) =>
  (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

export interface TestProject {
  readonly project: string;
  readonly home: string;
  readonly userHome: string;
  readonly git: (...args: readonly string[]) => string;
}

/** A project with these files in its first commit. */
export function repository(files: Readonly<Record<string, string | Uint8Array>> = { "a.txt": "one\n" }): TestProject {
  const base = temporaryFolder();
  const project = join(base, "project");
  mkdirSync(project);
  const git = gitIn(project);
  git("init", "--quiet", "--initial-branch=main");
  write(project, { ".gitignore": "ignored/\n", ...files });
  git("add", "--all");
  git("commit", "--quiet", "--message=first");
  return { project, home: join(project, ".cadre"), userHome: base, git };
}

/** As an operation uses it, with what it is told in a list instead of the log. */
export interface TestShelf extends Omit<WorkShelf, "merge" | "discard" | "settle"> {
  readonly told: TakenWork[];
  merge(session: SessionId, wish: MergeWish): Promise<MergeAnswer>;
  discard(session: SessionId): Promise<void>;
  settle(): Promise<void>;
}

export function treesIn({ project, home, userHome }: TestProject) {
  const trees = new OwnTrees({ project, home });
  const real = workShelf({ trees, homes: [".cadre"], userHome });
  const told: TakenWork[] = [];
  const tell: TellTaken = async (taken) => void told.push(taken);
  const shelf: TestShelf = {
    ...real,
    told,
    merge: (session, wish) => real.merge(session, wish, tell),
    discard: (session) => real.discard(session, WISH, tell),
    settle: () => real.settle(tell),
  };
  return { trees, shelf, real };
}
