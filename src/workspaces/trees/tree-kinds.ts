// The two ways to have a tree of one's own, behind one face: how it is made, found, committed and removed.
import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { workspaceFailed } from "../../errors/index.ts";
import { asText, type Git } from "../../platform/git.ts";
import type { TaskView } from "../../schema/index.ts";
import { dirtIn, submodulesIn } from "./commit-tree.ts";
import { listedFiles, shown } from "./listed-files.ts";
import { copyFiles, copyGit, makeCopyRepository, removeCopy, snapshot } from "./private-copy.ts";
import { COPY_INSTEAD, findRepository, type Repository } from "./repository.ts";
import type { TreeRecord } from "./tree-record.ts";
import {
  addWorktree,
  branchFor,
  committedOf,
  isWhole,
  notKnown,
  removeHalfMade,
  removeWorktree,
  worktreeGit,
} from "./worktree.ts";

export interface Where {
  readonly project: string;
  readonly home: string;
}

/** What is new in a record once the tree is there. */
export interface Made extends Pick<TreeRecord, "gitDir" | "base" | "branch" | "prefix"> {
  readonly narrowed: readonly string[];
}

export interface TreeKind {
  /** Before anything is made: what the record will say. */
  plan(where: Where, task: TaskView, tree: string): Promise<Omit<Made, "narrowed">>;
  make(where: Where, record: TreeRecord, tree: string): Promise<Pick<Made, "gitDir" | "base" | "narrowed">>;
  /** Whether it is there, as the record says. */
  isThere(record: TreeRecord, tree: string): boolean;
  open(record: TreeRecord, tree: string): Promise<Git>;
  /** Of one that is not there any more: what was committed of it. Rejects where something lies there that git does not know. */
  committed(where: Where, record: TreeRecord, tree: string): Promise<{ git: Git; commit: string } | null>;
  /** What nobody has worked in yet. */
  removeHalfMade(where: Where, record: TreeRecord, tree: string): Promise<void>;
  remove(where: Where, record: TreeRecord, tree: string): Promise<void>;
  /** What programs in it have to read besides. */
  reads(record: TreeRecord): readonly string[];
}

const worktree: TreeKind = {
  async plan({ project }, task) {
    const repository = await findRepository(project);
    await checkPrefix(repository);
    return {
      gitDir: "",
      base: repository.head,
      branch: await branchFor(repository, task),
      prefix: repository.prefix,
    };
  },
  async make({ project }, record, tree) {
    const repository = await findRepository(project);
    const gitDir = await addWorktree(repository, record, tree);
    const [dirt, submodules] = await Promise.all([
      uncommitted(repository),
      submodulesIn(await worktreeGit({ ...record, gitDir }, tree)),
    ]);
    const empty = submodules.length === 0 ? [] : [`submodules are empty here: ${shown(submodules.map(asText))}`];
    return { gitDir, base: record.base, narrowed: [...dirt, ...empty] };
  },
  isThere: isWhole,
  open: worktreeGit,
  committed: async ({ project }, record, tree) => committedOf(await findRepository(project), record, tree),
  removeHalfMade: async ({ project }, _record, tree) => removeHalfMade(await findRepository(project), tree),
  remove: async ({ project }, record, tree) => removeWorktree(await findRepository(project), record, tree),
  reads: ({ gitDir }) => [dirname(dirname(gitDir))],
};

/** A folder that git does not know is not in a worktree. */
async function checkPrefix({ git, prefix, top }: Repository): Promise<void> {
  if (prefix === "") return;
  const { code } = await git.run(["cat-file", "-e", `HEAD:${prefix}`], { codes: [0, 1, 128] });
  if (code !== 0)
    throw workspaceFailed(`${join(top, prefix)} is not in the last commit of its repository`, {
      hint: `Commit it first. ${COPY_INSTEAD}`,
    });
}

async function uncommitted({ git }: Repository): Promise<string[]> {
  const [{ paths }, staged] = await Promise.all([
    dirtIn(git),
    git.run(["diff-index", "--cached", "--quiet", "--ignore-submodules=all", "HEAD"], { codes: [0, 1] }),
  ]);
  const isClean = paths.length === 0 && staged.code === 0;
  return isClean ? [] : ["changes of the project that are not committed are not in this worktree"];
}

const BEGINNING = "As the project was when it was copied";

const sandbox: TreeKind = {
  plan: async (_where, { spec, number }, tree) => ({
    gitDir: `${tree}.git`,
    base: "",
    branch: `cadre/${spec.definition.name}-${number}`,
    prefix: "",
  }),
  async make({ project, home }, { gitDir, branch }, tree) {
    const { paths, narrowed } = await listedFiles(project, home);
    await makeCopyRepository(gitDir, project, branch);
    await copyFiles(project, paths, tree);
    const git = await copyGit(gitDir, tree);
    const base = await snapshot(git, paths, [], BEGINNING);
    await git.run(["update-ref", `refs/heads/${branch}`, base]);
    return { gitDir, base, narrowed: ["this is a copy of the project, without its .git", ...narrowed] };
  },
  isThere: ({ gitDir }, tree) =>
    lstatSync(tree, { throwIfNoEntry: false })?.isDirectory() === true && existsSync(join(gitDir, "HEAD")),
  open: ({ gitDir }, tree) => copyGit(gitDir, tree),
  async committed(_where, { gitDir }, tree) {
    if (existsSync(tree)) throw notKnown(tree, gitDir);
    return null;
  },
  removeHalfMade: async (_where, { gitDir }, tree) => removeCopy(gitDir, tree),
  remove: async (_where, { gitDir }, tree) => removeCopy(gitDir, tree),
  reads: () => [],
};

export const TREE_KINDS = { worktree, sandbox } as const satisfies Record<TreeRecord["mode"], TreeKind>;
