// A private copy of the project, with a repository of Cadre's own beside it that knows what it began as.
import { constants, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Git } from "../../platform/git.ts";
import { CADRE, identityVariables } from "./commit-tree.ts";
import { linkObjects } from "./link-objects.ts";
import { findRepository } from "./repository.ts";

const AT_ONCE = 16;

/** Copies share their blocks with the original where the file system can. */
export async function copyFiles(project: string, paths: readonly string[], tree: string): Promise<void> {
  await mkdir(tree, { recursive: true, mode: 0o700 });
  for (const folder of new Set(paths.map(dirname))) mkdirSync(join(tree, folder), { recursive: true });
  const queue = paths.values();
  const copyOn = async () => {
    for (const path of queue) await copyOne(join(project, path), join(tree, path));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyOn));
}

async function copyOne(from: string, to: string): Promise<void> {
  const info = lstatSync(from, { throwIfNoEntry: false });
  if (info?.isSymbolicLink() === true) await symlink(await readlink(from), to);
  else if (info?.isFile() === true)
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL).catch(unlessGone);
}

/** Somebody has removed it meanwhile: then it is not in the copy. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}

/** The repository of a copy: bare, ours, and out of the agent's reach. */
export async function makeCopyRepository(gitDir: string, project: string, branch: string): Promise<void> {
  const plain = await Git.open({ cwd: dirname(gitDir) });
  await plain.run(["init", "--quiet", "--bare", "--template=", `--initial-branch=${branch}`, gitDir]);
  mkdirSync(join(gitDir, "info"), { recursive: true });
  const repository = await findRepository(project).catch(() => null);
  if (repository === null) return;
  // Not the project's objects beside ours: what nothing there names any more is swept away some day.
  const [ours, theirs] = await Promise.all([objectFormat(plain.at({ gitDir })), objectFormat(repository.git)]);
  if (ours === theirs) await linkObjects(join(repository.commonDir, "objects"), join(gitDir, "objects"));
  const excluded = join(repository.commonDir, "info", "exclude");
  if (repository.prefix === "" && existsSync(excluded))
    writeFileSync(join(gitDir, "info", "exclude"), readFileSync(excluded));
}

const objectFormat = (git: Git): Promise<string> => git.line(["rev-parse", "--show-object-format"]);

/** Of a copy, or of the project when it is looked at through the copy's repository. */
export const copyGit = (gitDir: string, tree: string, index?: string): Promise<Git> =>
  Git.open({ cwd: tree, gitDir, workTree: tree, index });

/** These files, as a commit on top of others. */
export async function snapshot(
  git: Git,
  paths: readonly string[],
  parents: readonly string[],
  message: string,
): Promise<string> {
  const input = paths.map((path) => `${Buffer.from(path, "utf8").toString("latin1")}\0`).join("");
  await git.run(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], { input });
  const tree = await git.line(["write-tree"]);
  const links = parents.flatMap((parent) => ["-p", parent]);
  return git.line(["commit-tree", ...links, "-F", "-", tree], { input: message, env: identityVariables(CADRE) });
}

export function removeCopy(gitDir: string, tree: string): void {
  rmSync(tree, { recursive: true, force: true });
  rmSync(gitDir, { recursive: true, force: true });
}
