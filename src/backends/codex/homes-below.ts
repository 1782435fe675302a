import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { IsHome } from "../../domain/own-state.ts";
import { folded } from "../../domain/protected-paths.ts";

/** Every start looks: so not further than takes a moment. */
const MOST_FOLDERS = 1_000;
/** Large, and no place to work in. */
const NOT_ENTERED: readonly string[] = [".git", "node_modules"];

/**
 * Homes deeper in a project, those nearest to its top first. `isHome` takes a path from there; without it every `.cadre`
 * is one.
 */
export function homesBelow(project: string, isHome: IsHome = () => true): string[] {
  const homes: string[] = [];
  const folders = [project];
  for (let at = 0; at < Math.min(folders.length, MOST_FOLDERS); at++) {
    for (const path of foldersIn(folders[at] ?? project)) {
      const name = folded(path.slice(path.lastIndexOf("/") + 1));
      if (name === ".cadre" && isHome(relative(project, path))) homes.push(path);
      else if (!NOT_ENTERED.includes(name)) folders.push(path);
    }
  }
  return homes;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return []; // closed to us, and so to its commands
  }
}
