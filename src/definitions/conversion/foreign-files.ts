// The files of other programs, as they are: their text is needed, not only the agents in it.
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../platform/system-mint.ts";
import type { RegistryProblem } from "../../ports/index.ts";
import { type AgentText, cachingReader, type TextReader } from "../agent-file.ts";
import { readAgentFolder } from "../agent-folder.ts";
import type { FormatPlace } from "../formats/format.ts";
import type { Roots } from "./shown-path.ts";

export interface FoundText extends AgentText {
  readonly sha256: string;
}

export interface FoundTexts {
  readonly files: readonly FoundText[];
  readonly problems: readonly RegistryProblem[];
}

export async function textsIn(places: readonly FormatPlace[], roots: Roots): Promise<FoundTexts> {
  const found: FoundText[] = [];
  const problems: RegistryProblem[] = [];
  for (const { of, path, isFile = false, isRecursive, endings } of places) {
    const whole = join(of === "project" ? roots.project : roots.userHome, path);
    const wish = isFile ? { folder: dirname(whole), only: basename(whole) } : { folder: whole, isRecursive, endings };
    const { files, ...folder } = await readAgentFolder(wish, cachingReader(), collecting(found), () => undefined);
    problems.push(...folder.problems, ...files.flatMap((file) => file.problems));
  }
  return { files: found, problems };
}

/** One file, by its path. A problem where it cannot be read. */
export async function textOf(path: string): Promise<FoundText | RegistryProblem> {
  const found: FoundText[] = [];
  try {
    const folder = realpathSync.native(dirname(path));
    const { problems } = await cachingReader()(folder, basename(path), path, collecting(found));
    return found[0] ?? problems[0] ?? { source: path, message: "cannot be read" };
  } catch (error) {
    return { source: path, message: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const collecting = (found: FoundText[]): TextReader => ({
  id: "text",
  async read(file) {
    found.push({ ...file, sha256: sha256(file.text) });
    return { agents: [], problems: [] };
  },
});
