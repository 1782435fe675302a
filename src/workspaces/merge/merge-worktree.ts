// A branch into the branch that is checked out in the project. All of it or nothing: the result is made as a commit
// first; then the files are changed where nothing stands in the way; then the branch is moved.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { workspaceFailed } from "../../errors/index.ts";
import type { MergeAnswer, MergeWish } from "../../ports/index.ts";
import { CADRE, type Identity, identityVariables } from "../trees/commit-tree.ts";
import { currentBranch, type Repository } from "../trees/repository.ts";
import { inTheWay, mergeTrees, pathsBetween } from "./merge-trees.ts";

const UNFINISHED = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"] as const;

export interface Side {
  readonly branch: string;
  readonly commit: string;
}

export async function mergeWorktree(
  repository: Repository,
  theirs: Side,
  { squash, dry, about }: MergeWish,
  person: Identity | null,
): Promise<MergeAnswer> {
  const { git, head } = repository;
  const into = await currentBranch(repository);
  checkIdle(repository, into);
  const { code } = await git.run(["merge-base", "--is-ancestor", theirs.commit, head], { codes: [0, 1] });
  if (code === 0) return { kind: "nothing" };
  const merged = await mergeTrees(git, head, theirs.commit);
  if (merged.kind === "conflicts") return merged;
  const paths = await inTheWay(git, head, await pathsBetween(git, head, merged.tree));
  if (paths.length > 0) return { kind: "in-the-way", paths };
  if (dry) return { kind: "merged", commit: null, into, left: null };
  const parents = squash ? [head] : [head, theirs.commit];
  const commit = await git.line(["commit-tree", ...parents.flatMap((one) => ["-p", one]), "-F", "-", merged.tree], {
    input: Buffer.from(`${squash ? "Take over" : "Merge"} ${theirs.branch}\n\n${about}\n`, "utf8").toString("latin1"),
    env: identityVariables(person ?? CADRE),
  });
  await git.run(["read-tree", "-m", "-u", head, commit]);
  try {
    await git.run(["update-ref", "-m", `cadre merge ${theirs.branch}`, "HEAD", commit, head]);
  } catch (error) {
    await git.run(["read-tree", "-m", "-u", commit, head]); // somebody has moved the branch meanwhile
    throw error;
  }
  return { kind: "merged", commit, into, left: null };
}

function checkIdle({ gitDir, top }: Repository, branch: string | null): void {
  if (branch === null)
    throw workspaceFailed(`no branch is checked out in ${top}`, { hint: "Check one out first: git switch <branch>" });
  if (UNFINISHED.some((name) => existsSync(join(gitDir, name))))
    throw workspaceFailed(`a merge, rebase or the like is under way in ${top}`, {
      hint: "Finish it, or give it up, first: git status",
    });
}
