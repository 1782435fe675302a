// A worktree of the project's repository, on a branch of its own. Once it is made, git is told where its own files
// are: the `.git` in the tree is the agent's to spoil.
import { existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { workspaceFailed } from "../../errors/index.ts";
import { Git } from "../../platform/git.ts";
import type { TaskView } from "../../schema/index.ts";
import type { Repository } from "./repository.ts";
import type { TreeRecord } from "./tree-record.ts";

export const worktreeGit = ({ gitDir }: TreeRecord, tree: string): Promise<Git> =>
  Git.open({ cwd: tree, gitDir, workTree: tree });

/** `agent-4`, as in `agent#4`; with the session where another store has one of that name. */
export async function branchFor({ git }: Repository, { spec, number }: TaskView): Promise<string> {
  const isThere = async (branch: string): Promise<boolean> =>
    (await git.run(["show-ref", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] })).code === 0;
  // Beside a branch that is called "cadre" git can have none below it.
  const name = `cadre${(await isThere("cadre")) ? "-" : "/"}${spec.definition.name}-${number}`;
  return (await isThere(name)) ? `${name}-${spec.session.slice(-8)}` : name;
}

/** Checked out at the record's base, or at its branch where that is there already. The git directory that it got. */
export async function addWorktree({ git }: Repository, { base, branch }: TreeRecord, tree: string): Promise<string> {
  const { code } = await git.run(["show-ref", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] });
  // Forced: a tree of that name that somebody has removed by hand is still on git's list.
  const add = ["worktree", "add", "--quiet", "--force"];
  await (code === 0
    ? git.run([...add, "--end-of-options", tree, branch])
    : git.run([...add, "--no-track", "-b", branch, "--end-of-options", tree, base]));
  return gitDirOf(tree);
}

/** As the file says that git has just written: nobody else was there yet. */
function gitDirOf(tree: string): string {
  const [, gitDir] = /^gitdir: (.+)\n$/s.exec(readFileSync(join(tree, ".git"), "utf8")) ?? [];
  if (gitDir === undefined) throw workspaceFailed(`git made no worktree in ${tree}`);
  return resolve(tree, gitDir);
}

/** Whether the tree and git's own files of it are there, and belong together. */
export function isWhole({ gitDir }: TreeRecord, tree: string): boolean {
  const info = lstatSync(tree, { throwIfNoEntry: false });
  if (info !== undefined && !info.isDirectory())
    throw workspaceFailed(`${tree} is a link or a file, not a folder`, { hint: "Move it away." });
  return info !== undefined && existsSync(join(gitDir, "HEAD"));
}

/** Of one that somebody has removed: what its branch has. Null: nothing. */
export async function committedOf({ git }: Repository, { gitDir, branch }: TreeRecord, tree: string) {
  if (existsSync(tree)) throw notKnown(tree, gitDir);
  const commit = await git.line(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] });
  return commit === "" ? null : { git, commit };
}

export const notKnown = (tree: string, gitDir: string) =>
  workspaceFailed(`git's own files of ${tree} are gone: ${gitDir}`, {
    hint: "The project was moved, perhaps. Take what you need from that folder; then throw it away: cadre merge --delete <task>",
  });

/** The tree, git's files of it, and the branch if it still is at this commit. All must be committed, or given up. */
export async function removeWorktree({ git }: Repository, { gitDir, branch }: TreeRecord, tree: string): Promise<void> {
  const tip = await git.line(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] });
  rmSync(tree, { recursive: true, force: true });
  // What git keeps of it, and nothing beside: `git worktree remove` would first ask the repositories in the tree.
  if (basename(dirname(gitDir)) === "worktrees") rmSync(gitDir, { recursive: true, force: true });
  if (tip !== "") await git.run(["update-ref", "-d", `refs/heads/${branch}`, tip]);
}

/** What was made half when its worker was killed: nobody has worked in it. Its branch is used again. */
export function removeHalfMade({ commonDir }: Repository, tree: string): void {
  rmSync(tree, { recursive: true, force: true });
  rmSync(join(commonDir, "worktrees", basename(tree)), { recursive: true, force: true });
}
