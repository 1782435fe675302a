import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/**
 * Where a path leads, as the policy wants it: relative to the workspace, absolute where it lies outside. Links are
 * followed as far as anything is there, because the program that opens it follows them.
 */
export function placeOf(path: string, root: string): string {
  const real = followed(resolve(root, path));
  const inside = relative(realpathSync(root), real);
  if (inside === "") return ".";
  return inside === ".." || inside.startsWith("../") ? real : inside;
}

function followed(path: string): string {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  return join(realpathSync(there), relative(there, path));
}
