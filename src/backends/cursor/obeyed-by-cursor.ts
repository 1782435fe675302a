import { readdirSync } from "node:fs";
import { join } from "node:path";
import { wouldObey } from "../cli/obeyed-files.ts";

/** What lies there only to be told to its model. Hooks, servers, permissions and the like are something else. */
const WORDS = new Set(["rules", "commands", "skills", "plans", ".gitignore"]);

export function obeyedByCursor(workspace: string): string | undefined {
  const folder = join(workspace, ".cursor");
  const other = namesIn(folder).find((name) => !WORDS.has(name));
  return other === undefined ? undefined : wouldObey("cursor", join(folder, other));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isAbsent ? [] : [""]; // whatever it is, it cannot be looked into
  }
}
