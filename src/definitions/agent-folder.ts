import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { RegistryProblem } from "../ports/index.ts";
import { type AgentFile, type FileReader, isAgentFile } from "./agent-file.ts";

export interface AgentFolder {
  readonly real: string;
  /** In order of their names. */
  readonly files: readonly AgentFile[];
  readonly problems: readonly RegistryProblem[];
}

/** The agents that lie in a folder itself. One that does not exist holds none. */
export async function readAgentFolder(folder: string, read: FileReader): Promise<AgentFolder> {
  try {
    const real = await realpath(folder);
    const names = (await readdir(real)).filter(isAgentFile).toSorted();
    const files: AgentFile[] = [];
    for (const name of names) files.push(await read(join(folder, name), real)); // one open file at a time
    return { real, files, problems: [] };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const message = `cannot be listed: ${error instanceof Error ? error.message : String(error)}`;
    return { real: folder, files: [], problems: isMissing ? [] : [{ source: folder, message }] };
  }
}
