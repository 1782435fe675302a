// Which files of a project a private copy holds: in a repository what git tracks and what it does not ignore,
// elsewhere everything, within bounds.
import { type Dirent, existsSync, lstatSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isWithin, normalizePath } from "../../domain/scopes.ts";
import { workspaceFailed } from "../../errors/index.ts";
import { asText, Git } from "../../platform/git.ts";

const MAX_FILES = 200_000;
const MAX_COPY_BYTES = 4 * 1024 * 1024 * 1024;

export interface Listed {
  /** Regular files and links that stay inside, relative to the project. */
  readonly paths: readonly string[];
  /** What is there and left out, in words. */
  readonly narrowed: readonly string[];
}

/** `home` is Cadre's own state: never in a copy. */
export async function listedFiles(project: string, home: string): Promise<Listed> {
  const isOurs = (path: string) => isWithin(join(project, path), home);
  const named = (await trackedFiles(project)) ?? (await allFiles(project, isOurs));
  const kept: string[] = [];
  const leading: string[] = [];
  const repositories: string[] = [];
  let [size, odd] = [0, 0];
  for (const path of named) {
    if (isOurs(path) || path.split("/").includes(".git")) continue;
    const info = lstatSync(join(project, path), { throwIfNoEntry: false });
    if (info === undefined && path.includes("\ufffd")) odd++;
    // A submodule, or another repository: git names the folder alone.
    if (info?.isDirectory() === true && existsSync(join(project, path, ".git"))) repositories.push(normalizePath(path));
    if (info === undefined || info.isDirectory()) continue; // deleted, or a folder
    if (info.isSymbolicLink() && leadsOut(project, path)) leading.push(path);
    else if (!info.isFile() && !info.isSymbolicLink()) odd++;
    else {
      size += info.size;
      kept.push(path);
    }
    if (kept.length > MAX_FILES || size > MAX_COPY_BYTES)
      throw workspaceFailed(`${project} is too large to be copied: more than ${MAX_FILES} files, or 4 GiB`, {
        hint: "Let git ignore what need not be in the copy, or use --workspace worktree",
      });
  }
  return {
    paths: kept,
    narrowed: [
      ...(leading.length === 0 ? [] : [`links that lead out of the project are left out: ${shown(leading)}`]),
      ...(repositories.length === 0
        ? []
        : [`repositories in the project are left out: ${shown(repositories.toSorted())}`]),
      ...(odd === 0 ? [] : [`${odd} that are no files or links, or whose names are no text, are left out`]),
    ],
  };
}

export const shown = (paths: readonly string[]): string =>
  `${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`;

/** By its text: whatever lies on the way is copied by the same rule. */
const leadsOut = (project: string, path: string): boolean => {
  const target = readlinkSync(join(project, path));
  return target.startsWith("/") || !isWithin(resolve(project, dirname(path), target), project);
};

/** `null`: git knows nothing of this folder. */
async function trackedFiles(project: string): Promise<string[] | null> {
  try {
    const git = await Git.open({ cwd: project });
    const names = await git.names(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    return [...new Set(names)].map(asText);
  } catch {
    return null; // no repository, or no git: then everything counts
  }
}

async function allFiles(project: string, isOurs: (path: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const folders = [project];
  for (let folder = folders.pop(); folder !== undefined && found.length <= MAX_FILES; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = relative(project, join(folder, entry.name));
      if (isLeftOut(entry) || isOurs(path)) continue;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else found.push(path);
    }
  }
  return found.toSorted();
}

const isLeftOut = ({ name }: Dirent): boolean => name === ".git";
