// What lies in a tree, as a commit. By git's lower commands only: `git add`, `git commit` and `git status` would
// start a git in every repository that lies below, and that one obeys settings that an agent may have written.
import { lstatSync, opendirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { workspaceFailed } from "../../errors/index.ts";
import { asText, type Git } from "../../platform/git.ts";
import { systemClock } from "../../platform/system-clock.ts";

export interface Identity {
  readonly name: string;
  readonly email: string;
}

export const CADRE: Identity = { name: "Cadre", email: "cadre@localhost" };

export const identityVariables = (author: Identity, committer: Identity = author): Record<string, string> => ({
  GIT_AUTHOR_NAME: author.name,
  GIT_AUTHOR_EMAIL: author.email,
  GIT_COMMITTER_NAME: committer.name,
  GIT_COMMITTER_EMAIL: committer.email,
});

export interface Dirt {
  /** Changed, deleted and new files, as git names them. */
  readonly paths: readonly string[];
  /** Repositories that lie in the tree: git cannot commit what is in them. */
  readonly nested: readonly string[];
}

export async function dirtIn(git: Git): Promise<Dirt> {
  const [changed, others, links] = await Promise.all([
    git.names(["diff-files", "-z", "--name-only", "--ignore-submodules=all"]),
    git.names(["ls-files", "-z", "--others", "--exclude-standard"]),
    submodulesIn(git),
  ]);
  const filled = links.filter((path) => hasAnything(join(git.place.workTree ?? git.place.cwd, asText(path))));
  return {
    paths: [...changed, ...others.filter((path) => !isFolder(path))],
    nested: [...others.filter(isFolder).map((path) => path.slice(0, -1)), ...filled].map(asText),
  };
}

/** As git names them. */
export async function submodulesIn(git: Git): Promise<string[]> {
  const staged = await git.names(["ls-files", "-z", "--stage"]);
  return staged.filter((entry) => entry.startsWith("160000 ")).map((entry) => entry.slice(entry.indexOf("\t") + 1));
}

const isFolder = (path: string): boolean => path.endsWith("/");

function hasAnything(folder: string): boolean {
  try {
    using entries = opendirSync(folder);
    return entries.readSync() !== null;
  } catch {
    return false; // not there, or no folder
  }
}

/** Longer than a git of ours may take. */
const STALE_MS = 150_000;

/** A machine that went down while git wrote the index of this tree has left its lock, which nobody else would remove. */
function dropStaleLock({ place: { gitDir } }: Git): void {
  const lock = join(gitDir ?? "", "index.lock");
  const info = gitDir === undefined ? undefined : lstatSync(lock, { throwIfNoEntry: false });
  if (info !== undefined && systemClock.now() - info.mtimeMs > STALE_MS) rmSync(lock, { force: true });
}

export interface Committed {
  readonly commit: string;
  readonly nested: readonly string[];
}

/** Everything that is not ignored, on top of the branch that the tree is on. Without a change, no commit. */
export async function commitAll(git: Git, branch: string, message: string): Promise<Committed> {
  const ref = `refs/heads/${branch}`;
  const on = await git.line(["symbolic-ref", "--quiet", "HEAD"], { codes: [0, 1] });
  if (on !== ref)
    throw workspaceFailed(`${git.place.workTree ?? ""} is not on its branch ${branch} any more: it is left as it is`);
  const head = await git.line(["rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"]);
  const { paths, nested } = await dirtIn(git);
  dropStaleLock(git);
  if (paths.length > 0)
    await git.run(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
      input: `${paths.join("\0")}\0`,
    });
  const tree = await git.line(["write-tree"]);
  if (tree === (await git.line(["rev-parse", "--verify", "--end-of-options", `${head}^{tree}`])))
    return { commit: head, nested };
  const commit = await git.line(["commit-tree", "-p", head, "-F", "-", tree], {
    input: message,
    env: identityVariables(CADRE),
  });
  await git.run(["update-ref", "-m", "cadre", ref, commit, head]);
  return { commit, nested };
}
