// A branch into the branch that is checked out in the project. All of it or nothing: the result is made as a commit
// first; then the files are changed where nothing stands in the way; then the branch is moved.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { workspaceFailed } from "../../errors/index.ts";
import { asText } from "../../platform/git.ts";
import type { MergeAnswer, MergeWish } from "../../ports/index.ts";
import { CADRE, type Identity, identityVariables } from "../trees/commit-tree.ts";
import { currentBranch, type Repository } from "../trees/repository.ts";
import { inTheWay, mergeTrees, pathsBetween } from "./merge-trees.ts";

const UNFINISHED = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"] as const;

export interface Side {
  readonly branch: string;
  readonly commit: string;
}

/** What is made before the project is touched: whoever is killed after that has left this behind. */
export type BeforeMerge = (made: { readonly commit: string | null; readonly into: string | null }) => void;

export interface MergeParts {
  readonly wish: MergeWish;
  readonly person: Identity | null;
  /** A merge that was begun, and perhaps not ended: its own commit, and that which it takes over. */
  readonly begun: { readonly commit: string | null; readonly of: string } | null;
  readonly before: BeforeMerge;
}

export async function mergeWorktree(repository: Repository, theirs: Side, parts: MergeParts): Promise<MergeAnswer> {
  const {
    wish: { squash, dry, task },
    person,
    begun,
    before,
  } = parts;
  const { git, head } = repository;
  const into = await currentBranch(repository);
  checkIdle(repository, into);
  const { code } = await git.run(["merge-base", "--is-ancestor", theirs.commit, head], { codes: [0, 1] });
  if (code === 0) return { kind: "nothing" };
  const laidOut = begun?.commit ?? null;
  if (!dry && laidOut !== null && (await isLaidOut(repository, laidOut))) {
    await git.run(["update-ref", "-m", `cadre merge ${theirs.branch}`, "HEAD", laidOut, head]);
    if (begun?.of === theirs.commit) return { kind: "merged", commit: laidOut, into, left: null };
    // Somebody has gone on since: the rest is a merge of its own.
    return mergeWorktree({ ...repository, head: laidOut }, theirs, { ...parts, begun: null });
  }
  const merged = await mergeTrees(git, head, theirs.commit);
  if (merged.kind === "conflicts") return merged;
  const changed = await pathsBetween(git, head, merged.tree);
  if (changed.length === 0 && squash) return { kind: "nothing" }; // it was taken over before
  const paths = await inTheWay(git, head, changed);
  if (paths.length > 0) return { kind: "in-the-way", paths };
  if (dry) return { kind: "merged", commit: null, into, left: null };
  const parents = squash ? [head] : [head, theirs.commit];
  const commit = await git.line(["commit-tree", ...parents.flatMap((one) => ["-p", one]), "-F", "-", merged.tree], {
    input: Buffer.from(`${squash ? "Take over" : "Merge"} ${theirs.branch}\n\nCadre-Task: ${task}\n`, "utf8").toString(
      "latin1",
    ),
    env: identityVariables(person ?? CADRE),
  });
  before({ commit, into });
  await git.run(["read-tree", "-m", "-u", head, commit]);
  try {
    await git.run(["update-ref", "-m", `cadre merge ${theirs.branch}`, "HEAD", commit, head]);
  } catch (error) {
    await git.run(["read-tree", "-m", "-u", commit, head]); // somebody has moved the branch meanwhile
    throw error;
  }
  return { kind: "merged", commit, into, left: null };
}

/** Files and index are as this commit has them, which is made on top of the last one: only the branch is to be moved. */
async function isLaidOut({ git, head }: Repository, commit: string): Promise<boolean> {
  const [parent, tree] = await Promise.all(
    [`${commit}^1`, `${commit}^{tree}`].map((name) =>
      git.line(["rev-parse", "--verify", "--quiet", "--end-of-options", name], { codes: [0, 1, 128] }),
    ),
  );
  if (parent !== head || tree === undefined || tree === "") return false;
  await git.run(["update-index", "-q", "--refresh", "--ignore-submodules"], { codes: [0, 1] });
  const changed = await pathsBetween(git, head, commit);
  const dirty = new Set((await git.names(["diff-files", "-z", "--name-only", "--ignore-submodules=all"])).map(asText));
  return (await git.line(["write-tree"])) === tree && !changed.some((path) => dirty.has(path));
}

/** Whether the branch that it was to be merged into has this commit. */
export async function hasCommit({ git }: Repository, commit: string, branch: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", "--end-of-options", commit, `refs/heads/${branch}`];
  return (await git.run(args, { codes: [0, 1, 128] })).code === 0;
}

function checkIdle({ gitDir, top }: Repository, branch: string | null): void {
  if (branch === null)
    throw workspaceFailed(`no branch is checked out in ${top}`, { hint: "Check one out first: git switch <branch>" });
  if (UNFINISHED.some((name) => existsSync(join(gitDir, name))))
    throw workspaceFailed(`a merge, rebase or the like is under way in ${top}`, {
      hint: "Finish it, or give it up, first: git status",
    });
}
