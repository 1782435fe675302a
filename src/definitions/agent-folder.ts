import { type Dirent, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RegistryProblem } from "../ports/index.ts";
import type { FileReader, FoundFile, TextReader } from "./agent-file.ts";
import { realPathOf } from "./real-path.ts";

/** Where agents may lie: the files of a folder, or one file of it. */
export interface FolderWish {
  readonly folder: string;
  /** Only this file. */
  readonly only?: string | undefined;
  /** The folders below it as well. */
  readonly isRecursive?: boolean | undefined;
  readonly endings?: readonly string[] | undefined;
}

export interface AgentFolder {
  readonly real: string;
  /** In order of their names. */
  readonly files: readonly FoundFile[];
  readonly problems: readonly RegistryProblem[];
}

const OWN_ENDINGS = [".md", ".yml", ".yaml"];
const MAX_DEPTH = 8;
const MAX_FILES = 10_000;

/** The agents of a folder. One that does not exist holds none. `pause` lets others run in between. */
export async function readAgentFolder(
  wish: FolderWish,
  read: FileReader,
  reader: TextReader,
  pause: () => Promise<void> | undefined,
): Promise<AgentFolder> {
  const { folder } = wish;
  const real = realOf(folder);
  if (real === null) return { real: folder, files: [], problems: [] };
  try {
    const names = namesIn(real, wish);
    const problems =
      names.length > MAX_FILES ? [{ source: folder, message: `holds more than ${MAX_FILES} files` }] : [];
    const files: FoundFile[] = [];
    for (const name of names.slice(0, MAX_FILES)) {
      const path = join(folder, name);
      files.push({ path, ...(await read(real, name, path, reader)) });
      await pause();
    }
    return { real, files, problems };
  } catch (error) {
    if (isMissing(error)) return { real, files: [], problems: [] };
    const message = `cannot be listed: ${error instanceof Error ? error.message : String(error)}`;
    return { real, files: [], problems: [{ source: folder, message }] };
  }
}

// Most are not there, and to make an error of it takes ten times as long as to look.
const realOf = (folder: string): string | null => (existsSync(folder) ? realPathOf(folder) : null);

/** Paths below the folder. Links to folders are not followed: they may lead anywhere, and round in circles. */
function namesIn(real: string, { only, isRecursive = false, endings = OWN_ENDINGS }: FolderWish): string[] {
  if (only !== undefined) return isThere(join(real, only)) ? [only] : [];
  const names: string[] = [];
  const visit = (below: string, depth: number): void => {
    for (const entry of readdirSync(join(real, below), { withFileTypes: true })) {
      if (names.length > MAX_FILES) return;
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (isRecursive && entry.isDirectory()) {
        if (depth < MAX_DEPTH && isOpen(entry)) visit(name, depth + 1);
      } else if (isOpen(entry) && endings.some((ending) => entry.name.endsWith(ending))) names.push(name);
    }
  };
  visit("", 1);
  return names.toSorted();
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Names that begin with `_` or `.` are for drafts, shared pieces and editors. */
const isOpen = ({ name }: Dirent): boolean => !/^[_.]/.test(name) && name !== "node_modules";

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";
