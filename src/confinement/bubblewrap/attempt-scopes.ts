// What of the machine's files an attempt has by its policy. Absolute paths.
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { protectedBy } from "../../domain/protected-paths.ts";
import { isInScopes, isWithin, normalizePath } from "../../domain/scopes.ts";
import type { ConfinementWish } from "../../ports/index.ts";
import { gitFolders } from "./git-folders.ts";

export interface AttemptScopes {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export function attemptScopes(wish: ConfinementWish, homes: readonly string[]): AttemptScopes {
  const { policy, workspace, own } = wish;
  const isOurs = (path: string): boolean => isInScopes(path, homes) && !isWithin(path, workspace.root);
  const of = (scopes: readonly string[]) =>
    scopes
      .map((scope) => normalizePath(resolve(workspace.base, scope)))
      .flatMap((scope) => (scope === "/" ? foldersOfMachine() : [scope]))
      .filter((scope) => !isOurs(scope) && !isInScopes(scope, OF_THE_KERNEL));
  const read = of(policy.fs.read);
  const history = isInScopes(workspace.root, read) ? [...gitFolders(workspace.root), ...workspace.reads] : [];
  const ownFiles = [own.plan, own.folder];
  if (policy.modes.includes("plan")) return { read: [...read, ...history, ...ownFiles], write: [] };
  const write = of(policy.fs.write)
    .filter((scope) => !isClosed(scope, workspace.root, homes))
    .map((scope) => (isWithin(workspace.root, scope) && isWithin(scope, workspace.base) ? workspace.root : scope))
    .filter((scope) => isWithin(scope, workspace.root) || !isWithin(scope, workspace.base))
    .flatMap((scope) => readableParts(scope, read));
  for (const scope of write) makeMissing(scope);
  return { read: [...read, ...history], write: [...write, ...ownFiles] };
}

const OF_THE_KERNEL = ["/proc", "/sys", "/dev"];
/** Shown otherwise, or to nobody: sockets and keys of the machine lie there. */
const NOT_WHOLE = ["boot", "etc", "run", "tmp", "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/** All of the machine, for somebody whom nothing holds back: still without the machine's own. */
const foldersOfMachine = (): string[] =>
  readdirSync("/", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_WHOLE.includes(entry.name))
    .map(({ name }) => `/${name}`);

/** A program that can write can read, too. So where less may be read than written, it writes only that. */
function readableParts(scope: string, read: readonly string[]): string[] {
  if (isInScopes(scope, read)) return [scope];
  const parts = read.filter((readable) => isWithin(readable, scope));
  return parts.length === 0 ? [scope] : parts;
}

/** What no scope opens, such as git's own folder. */
function isClosed(scope: string, root: string, homes: readonly string[]): boolean {
  if (scope === root || !isWithin(scope, root)) return false;
  const inside = relative(root, scope);
  const ownHomes = homes.filter((home) => isWithin(home, root)).map((home) => relative(root, home));
  return protectedBy(inside, [inside], ownHomes) !== undefined;
}

/** Only what is there can be mounted. A name without a dot is meant for a folder. */
function makeMissing(scope: string): void {
  if (basename(scope).includes(".") || lstatSync(scope, { throwIfNoEntry: false }) !== undefined) return;
  const parent = lstatSync(dirname(scope), { throwIfNoEntry: false });
  if (parent?.isDirectory() === true) mkdirSync(scope);
}
