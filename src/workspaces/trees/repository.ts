// The repository that a project lies in, as git itself finds it.
import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { CadreError, workspaceFailed } from "../../errors/index.ts";
import { asText, Git } from "../../platform/git.ts";

export interface Repository {
  /** Of this work tree. A worktree has one of its own below the common one. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** The top of the work tree, and the project below it: "" where the project is the top. */
  readonly top: string;
  readonly prefix: string;
  /** The last commit. */
  readonly head: string;
  /** With everything switched off that its settings name. */
  readonly git: Git;
}

export const COPY_INSTEAD = "Use a private copy instead: --workspace sandbox";

/** Rejects where there is none that a worktree could be made of, and says why. */
export async function findRepository(project: string): Promise<Repository> {
  const git = await Git.open({ cwd: project });
  const said = await git
    .line(["rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"])
    .catch((error: unknown) => {
      throw noRepository(project, error);
    });
  const [gitDir = "", commonDir = "", top = "", ...more] = asText(said).split("\n");
  if (top === "" || more.length > 0) throw workspaceFailed(`${project} has a line break in its path`);
  const place = { cwd: top, gitDir, workTree: top };
  const head = await git.line(["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"], {
    codes: [0, 1, 128],
  });
  if (!/^[0-9a-f]{40,64}$/.test(head))
    throw workspaceFailed(`the repository of ${project} has no commit yet`, {
      hint: `Make a first commit. ${COPY_INSTEAD}`,
    });
  return { gitDir, commonDir, top, prefix: relative(top, realpathSync.native(project)), head, git: git.at(place) };
}

function noRepository(project: string, cause: unknown): unknown {
  if (!CadreError.isInstance(cause) || cause.facts["exit"] === undefined) return cause;
  const { message } = cause;
  const isOthers = message.includes("dubious ownership");
  if (isOthers)
    return workspaceFailed(`the repository of ${project} belongs to another user`, { hint: COPY_INSTEAD, cause });
  const isBare = /bare repository|must be run in a work tree/.test(message);
  const what = isBare ? "lies in a repository without a work tree" : "does not lie in a git repository";
  return workspaceFailed(`${project} ${what}`, { hint: COPY_INSTEAD, cause });
}

/** The branch that is checked out. `null`: none is. */
export async function currentBranch({ git }: Pick<Repository, "git">): Promise<string | null> {
  const ref = await git.line(["symbolic-ref", "--quiet", "HEAD"], { codes: [0, 1] });
  return ref === "" ? null : asText(ref).replace(/^refs\/heads\//, "");
}
