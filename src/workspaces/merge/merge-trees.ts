// Two sides and what they began from, as one tree: found out before anything of the project is touched.
import { asText, type Git } from "../../platform/git.ts";

export type Merged =
  | { readonly kind: "clean"; readonly tree: string }
  | { readonly kind: "conflicts"; readonly paths: readonly string[] };

export async function mergeTrees(git: Git, ours: string, theirs: string): Promise<Merged> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const { code, out } = await git.run(args, { codes: [0, 1] });
  const [tree = "", ...paths] = out.split("\0");
  if (code === 0) return { kind: "clean", tree };
  return { kind: "conflicts", paths: [...new Set(paths.filter((path) => path !== "").map(asText))].toSorted() };
}

/** Files that are another in the second tree. */
export async function pathsBetween(git: Git, from: string, to: string): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none", from, to];
  return (await git.names(args)).map(asText);
}

/** Of these, the ones that are changed in the work tree or the index, or lie there unknown to git. */
export async function inTheWay(git: Git, head: string, paths: readonly string[]): Promise<string[]> {
  await git.run(["update-index", "-q", "--refresh", "--ignore-submodules"], { codes: [0, 1] });
  const [changed, staged, others] = await Promise.all([
    git.names(["diff-files", "-z", "--name-only", "--ignore-submodules=all"]),
    git.names(["diff-index", "-z", "--cached", "--name-only", "--ignore-submodules=all", head]),
    git.names(["ls-files", "-z", "--others"]),
  ]);
  const dirty = new Set([...changed, ...staged, ...others].map(asText));
  return paths.filter((path) => dirty.has(path));
}
