// One file of a folder of agents. Nothing about it is believed: not its kind, its size or where a link leads.
import { isUtf8 } from "node:buffer";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from "node:fs";
import { join } from "node:path";
import type { RegistryProblem } from "../ports/index.ts";
import type { AgentDefinition } from "../schema/index.ts";
import { isInside } from "./inside.ts";
import { MAX_FILE_BYTES } from "./own-format/size-limit.ts";

export interface AgentText {
  /** As shown to people. */
  readonly path: string;
  /** Below its folder, with `/`. */
  readonly below: string;
  readonly text: string;
}

export interface ReadAgent {
  readonly definition: AgentDefinition;
  readonly notes: readonly string[];
  readonly warnings?: readonly string[] | undefined;
}

export interface AgentFile {
  readonly agents: readonly ReadAgent[];
  readonly problems: readonly RegistryProblem[];
  /** Of a file that is only understood together with others. */
  readonly text?: AgentText | undefined;
}

/** How a text becomes agents: in our own format, or in another program's. */
export interface TextReader {
  readonly id: string;
  read(text: AgentText): Promise<AgentFile>;
  /** Where files complete each other: `read` has only kept their texts. */
  readonly together?: ((texts: readonly AgentText[]) => Promise<readonly FoundFile[]>) | undefined;
}

export interface FoundFile extends AgentFile {
  readonly path: string;
}

/** A file by its place below the real path of a folder. `path` is what people are told. */
export type FileReader = (folder: string, below: string, path: string, reader: TextReader) => Promise<AgentFile>;

/**
 * Reads a file again only once its time or its size is another. Looking is synchronous: it takes microseconds, and
 * waiting for each of a thousand files would take longer than all of the looking.
 */
export function cachingReader(): FileReader {
  const cache = new Map<string, { readonly stamp: string; readonly file: AgentFile }>();
  return async (folder, below, path, reader) => {
    try {
      const seen = look(join(folder, below));
      // Only a link can lead elsewhere: folders were not entered through one.
      if (seen.isLink && !isInside(seen.real, folder)) return failed(path, "is a link that leads out of its folder");
      const key = `${reader.id}\n${path}`;
      const cached = cache.get(key);
      if (cached !== undefined && cached.stamp === stampOf(seen.real, seen.info)) return cached.file;
      const opened = readBytes(seen.real);
      if (typeof opened === "string") return failed(path, opened);
      const file = isUtf8(opened.bytes)
        ? await reader.read({ path, below, text: opened.bytes.toString("utf8") })
        : failed(path, "is not text in UTF-8");
      cache.set(key, { stamp: opened.stamp, file });
      return file;
    } catch (error) {
      return failed(path, `cannot be read: ${firstLine(error)}`);
    }
  };
}

interface Seen {
  readonly real: string;
  readonly isLink: boolean;
  readonly info: BigIntStats;
}

function look(path: string): Seen {
  const info = lstatSync(path, { bigint: true });
  if (!info.isSymbolicLink()) return { real: path, isLink: false, info };
  const real = realpathSync.native(path);
  return { real, isLink: true, info: lstatSync(real, { bigint: true }) };
}

const stampOf = (real: string, { mtimeNs, size }: BigIntStats): string => `${mtimeNs} ${size} ${real}`;

/** What is in it, or why nobody can say. */
function readBytes(real: string): { readonly bytes: Buffer; readonly stamp: string } | string {
  const handle = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const info = fstatSync(handle, { bigint: true });
    if (!info.isFile()) return "is not a regular file";
    if (info.size > MAX_FILE_BYTES) return `has ${info.size} bytes; at most ${MAX_FILE_BYTES} are read`;
    return { bytes: readFileSync(handle), stamp: stampOf(real, info) };
  } finally {
    closeSync(handle);
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";

const failed = (source: string, message: string): AgentFile => ({ agents: [], problems: [{ source, message }] });
