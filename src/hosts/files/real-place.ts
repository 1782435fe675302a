// Where a path leads. A repository may hold links, and they would lead our writing anywhere; people keep their own
// files elsewhere in their home and link to them.
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { invalidDefinition } from "../../errors/index.ts";
import type { HostScope } from "../../ports/index.ts";
import { unless } from "./codes.ts";

export interface FilePlace {
  readonly path: string;
  readonly scope: HostScope;
  /** The project, or the user's home: a file lies in there, and so does what a link leads to. */
  readonly root: string;
}

export async function realPlace({ path, scope, root }: FilePlace): Promise<string> {
  const [real, realRoot] = [await follow(path), await follow(root)];
  const isStraight = real === join(realRoot, relative(root, path));
  if (isStraight || (scope === "user" && isInside(real, realRoot))) return real;
  throw invalidDefinition(
    path,
    scope === "user" ? `is behind a link that leads out of ${root}` : "is a link, or lies behind one",
    "Nothing was changed. Put a file in its place, or edit the one that it leads to by hand.",
  );
}

/** The real path of what is there, and the rest as it is named. */
async function follow(path: string): Promise<string> {
  const info = await lstat(path).catch(unless("ENOENT"));
  if (info !== undefined) {
    const real = await realpath(path).catch(unless("ENOENT", "ELOOP"));
    if (real !== undefined) return real;
    throw invalidDefinition(path, "is a link to nothing", "Nothing was changed. Remove the link and try again.");
  }
  return path === dirname(path) ? path : join(await follow(dirname(path)), basename(path));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
