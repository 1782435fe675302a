// One file of a folder of agents. Nothing about it is believed: not its kind, its size or where a link leads.
import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { extname } from "node:path";
import type { RegistryProblem } from "../ports/index.ts";
import type { AgentDefinition } from "../schema/index.ts";
import { isInside } from "./inside.ts";
import type { Problem } from "./own-format/problems.ts";
import { MAX_FILE_BYTES } from "./own-format/size-limit.ts";

export interface AgentFile {
  readonly path: string;
  readonly definition: AgentDefinition | null;
  readonly problems: readonly RegistryProblem[];
}

const ENDINGS: readonly string[] = [".md", ".yml", ".yaml"];

/** Names that begin with `_` or `.` are for drafts, shared pieces and editors. */
export const isAgentFile = (name: string): boolean => ENDINGS.includes(extname(name)) && !/^[_.]/.test(name);

/** Reads a file whose folder has the real path `folder`; again only once its time or size has changed. */
export type FileReader = (path: string, folder: string) => Promise<AgentFile>;

export function cachingReader(): FileReader {
  const cache = new Map<string, { readonly stamp: string; readonly file: AgentFile }>();
  return async (path, folder) => {
    try {
      const real = await realpath(path);
      if (!isInside(real, folder)) return failed(path, "is a link that leads out of its folder");
      await using handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const info = await handle.stat({ bigint: true });
      if (!info.isFile()) return failed(path, "is not a regular file");
      if (info.size > MAX_FILE_BYTES) return failed(path, `has ${info.size} bytes; at most ${MAX_FILE_BYTES} are read`);
      const stamp = `${info.mtimeNs} ${info.size} ${real}`;
      const cached = cache.get(path);
      if (cached?.stamp === stamp) return cached.file;
      const file = await parse(path, handle);
      cache.set(path, { stamp, file });
      return file;
    } catch (error) {
      return failed(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

async function parse(path: string, handle: FileHandle): Promise<AgentFile> {
  const bytes = await handle.readFile();
  if (!isUtf8(bytes)) return failed(path, "is not text in UTF-8");
  // Loaded when there is a file to read: most commands read none, and the YAML parser is large.
  const { readAgentMarkdown, readAgentYaml } = await import("./own-format/read-agent.ts");
  const read = extname(path) === ".md" ? readAgentMarkdown : readAgentYaml;
  const result = read(bytes.toString("utf8"), path);
  if (!result.ok) return { path, definition: null, problems: result.problems.map((problem) => atPlace(path, problem)) };
  const warnings = result.warnings.map((message) => ({ source: path, message }));
  return { path, definition: result.definition, problems: warnings };
}

/** Read together: `file:line:column: what`. */
const atPlace = (path: string, { line, column, message }: Problem): RegistryProblem => ({
  source: `${path}:${line}:${column}`,
  message,
});

const failed = (path: string, message: string): AgentFile => ({
  path,
  definition: null,
  problems: [{ source: path, message }],
});
