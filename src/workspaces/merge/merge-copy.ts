// What was changed in a private copy, into the project as it is now. The copy's own repository holds all three: how it
// began, how the project is now, how the copy is now. Files are changed; nothing is committed in the project.
import { rmSync } from "node:fs";
import { asText } from "../../platform/git.ts";
import type { MergeAnswer } from "../../ports/index.ts";
import { listedFiles } from "../trees/listed-files.ts";
import { copyGit, snapshot } from "../trees/private-copy.ts";
import type { Where } from "../trees/tree-kinds.ts";
import type { TreeRecord } from "../trees/tree-record.ts";
import { mergeTrees, pathsBetween } from "./merge-trees.ts";
import type { BeforeMerge } from "./merge-worktree.ts";

export async function mergeCopy(
  where: Where,
  { gitDir, base }: TreeRecord,
  commit: string,
  { dry, before }: { readonly dry: boolean; readonly before: BeforeMerge },
): Promise<MergeAnswer> {
  if (commit === base) return { kind: "nothing" };
  const { project, home } = where;
  const index = `${gitDir}/project-index`;
  for (const left of [index, `${index}.lock`]) rmSync(left, { force: true });
  try {
    const git = await copyGit(gitDir, project, index);
    const now = await snapshot(git, (await listedFiles(project, home)).paths, [base], "As the project is now");
    const merged = await mergeTrees(git, now, commit);
    if (merged.kind === "conflicts") return merged;
    const changed = await pathsBetween(git, now, merged.tree);
    if (changed.length === 0) return { kind: "nothing" };
    const known = new Set((await git.names(["ls-files", "-z", "--others"])).map(asText));
    const paths = changed.filter((path) => known.has(path));
    if (paths.length > 0) return { kind: "in-the-way", paths };
    if (!dry) {
      before({ commit: null, into: null });
      await git.run(["read-tree", "-m", "-u", now, merged.tree]);
    }
    return { kind: "merged", commit: null, into: null, left: null };
  } finally {
    rmSync(index, { force: true });
  }
}
