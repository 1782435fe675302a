// Where a program is installed, if not with the system: as much of that place as it needs to run, and never
// somebody's whole home.
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isInScopes } from "../../domain/scopes.ts";
import { realPathOf } from "./mounts.ts";
import { SYSTEM_FOLDERS } from "./system-mounts.ts";

/** `shims` choose between versions of a program that lie beside them. */
const BIN = /^(s?bin|shims)$/;
/** What lies beside `bin` where something is installed. A user's own `~/.local/share` is full of other things. */
const BESIDE_BIN = ["bin", "sbin", "lib", "lib64", "libexec", "shims", "versions", "plugins", "toolchains", "installs"];
const ALSO_IN_A_PREFIX = ["share", "include", "etc"];
/** Programs in the one folder that are nothing without the other. */
const WITH: Readonly<Record<string, string>> = { ".cargo": ".rustup" };

/** Folders and files that have to be readable for this file to run. */
export function installationOf(file: string): string[] {
  const real = realPathOf(file);
  return [...new Set([file, ...(real === undefined ? [] : [real])])].flatMap(placesOf);
}

/** The same for every folder in which a program looks for others. */
export const pathFolders = (path: string | undefined): string[] =>
  (path ?? "").split(":").flatMap((folder) => (folder.startsWith("/") ? placesOf(join(folder, "-")) : []));

function placesOf(file: string): string[] {
  if (isInScopes(file, SYSTEM_FOLDERS)) return [];
  const packages = /^(.*?\/node_modules)\//.exec(file)?.[1];
  if (packages !== undefined) return [packages];
  const folder = dirname(file);
  if (!BIN.test(basename(folder))) return [isWholeHome(folder) ? file : folder];
  const prefix = dirname(folder);
  if (isWholeHome(prefix)) return [folder];
  const names = isPartOfHome(prefix) ? BESIDE_BIN : [...BESIDE_BIN, ...ALSO_IN_A_PREFIX];
  const other = WITH[basename(prefix)];
  return [...names.map((name) => join(prefix, name)), ...(other === undefined ? [] : [join(dirname(prefix), other)])];
}

/** A home, or what homes lie in: too much. */
const isWholeHome = (folder: string): boolean =>
  ["/", "/home", "/root", "/Users", "/tmp", "/var", "/opt", "/etc", homedir()].includes(folder) ||
  dirname(folder) === "/home";

/** Directly in a home, such as `~/.local`: other programs keep their data in there. */
const isPartOfHome = (prefix: string): boolean => isWholeHome(dirname(prefix));
