// Reading and writing below one folder, for paths that a model chose (see confined-folder.ts).
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";
import { invalidInput } from "../errors/index.ts";
import { ConfinedRoot, isCode, openFolder, type OpenFolder, outside, refuse, stepsOf } from "./confined-folder.ts";
import { mintToken } from "./system-mint.ts";

const { O_NOFOLLOW, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NONBLOCK } = constants;
const MAX_READ_BYTES = 10 * 1024 * 1024;

export type FileKind = "file" | "folder" | "link" | "pipe" | "socket" | "device";

type Typed = Pick<BigIntStats, "isFile" | "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket">;

export function kindOf(info: Typed): FileKind {
  if (info.isFile()) return "file";
  if (info.isDirectory()) return "folder";
  if (info.isSymbolicLink()) return "link";
  if (info.isFIFO()) return "pipe";
  return info.isSocket() ? "socket" : "device";
}

export async function readConfined(root: string, path: string): Promise<string> {
  await using from = new ConfinedRoot(root);
  await using file = await openConfined(from, path);
  if (file.info.size > MAX_READ_BYTES)
    throw invalidInput(`${path} has ${file.info.size} bytes; at most ${MAX_READ_BYTES} are read`);
  return await file.handle.readFile("utf8");
}

export async function writeConfined(root: string, path: string, content: string): Promise<void> {
  await using from = new ConfinedRoot(root);
  await replaceConfined(from, path, content);
}

export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Of the very file that is open. */
  readonly info: BigIntStats;
}

/** For reading. Regular files only. */
export async function openConfined(root: ConfinedRoot, path: string): Promise<OpenFile> {
  const { folders, name } = split(path);
  await using folder = await openFolder(root, folders, path, { create: false });
  return await openIn(folder, name, path);
}

/** The same, from a folder that is open. */
export async function openIn(folder: OpenFolder, name: string, path: string): Promise<OpenFile> {
  // Looked at first: merely opening a device can have an effect.
  checkRegular(await lstat(folder.at(name), { bigint: true }).catch(refuse(path)), path);
  // O_NONBLOCK: a named pipe would otherwise hold us until somebody writes to it.
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(refuse(path));
  try {
    const info = await handle.stat({ bigint: true });
    checkRegular(info, path);
    return { handle, info, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What is there, looked at without opening it or following it. Null: nothing. */
export async function lookConfined(root: ConfinedRoot, path: string): Promise<BigIntStats | null> {
  const steps = stepsOf(path);
  const name = steps.at(-1) ?? ".";
  try {
    await using folder = await openFolder(root, steps.slice(0, -1), path, { create: false });
    return await lstat(folder.at(name), { bigint: true });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    if (isCode(cause, "ENOENT")) return null;
    throw error;
  }
}

/** Sees what is about to be replaced (null: nothing), at the start and at the last moment. Throws to refuse. */
export type ReplaceCheck = (now: BigIntStats | null) => void;

/**
 * A new file, renamed into place: a reader sees the old text or the new one, and a crash leaves one of them.
 * Returns what is there now.
 */
export async function replaceConfined(
  root: ConfinedRoot,
  path: string,
  content: string,
  check: ReplaceCheck = () => undefined,
): Promise<BigIntStats> {
  const { folders, name } = split(path);
  await using folder = await openFolder(root, folders, path, { create: true });
  const old = await replaceable(folder, name, path, check);
  const mode = old === null ? 0o644 : Number(old.mode & 0o777n);
  const temporary = folder.at(`.cadre-${mintToken().slice(0, 16)}.tmp`);
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode).catch(refuse(path));
  try {
    if (old !== null) await keepOwner(handle, old);
    await handle.chmod(mode); // as it was, whatever this process would give a new file
    await handle.writeFile(content, "utf8");
    await handle.sync();
    await replaceable(folder, name, path, check);
    await rename(temporary, folder.at(name)).catch(refuse(path));
    return await handle.stat({ bigint: true });
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    return refuse(path)(error);
  } finally {
    await handle.close();
  }
}

/** A file that is not ours stays its owner's where we may say so. Elsewhere it becomes ours, as with any editor. */
async function keepOwner(handle: FileHandle, old: BigIntStats): Promise<void> {
  const now = await handle.stat({ bigint: true });
  if (now.uid === old.uid && now.gid === old.gid) return;
  await handle.chown(Number(old.uid), Number(old.gid)).catch(() => undefined);
}

/** Refuses what a rename would wrongly replace. */
async function replaceable(
  folder: OpenFolder,
  name: string,
  path: string,
  check: ReplaceCheck,
): Promise<BigIntStats | null> {
  const info = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
    if (isCode(error, "ENOENT")) return null;
    return refuse(path)(error);
  });
  if (info !== null) {
    checkRegular(info, path);
    if (info.nlink > 1n) throw invalidInput(`${path} is one of ${info.nlink} hard links to a file: it is not replaced`);
  }
  check(info);
  return info;
}

function split(path: string): { folders: string[]; name: string } {
  const steps = stepsOf(path);
  const name = steps.at(-1);
  if (name === undefined) throw outside(path, { kind: "folder" });
  return { folders: steps.slice(0, -1), name };
}

const CALLED: Readonly<Record<FileKind, string>> = {
  file: "a file",
  folder: "a folder",
  link: "a symbolic link, which is not followed",
  pipe: "a named pipe",
  socket: "a socket",
  device: "a device",
};

function checkRegular(info: BigIntStats, path: string): void {
  const kind = kindOf(info);
  if (kind !== "file")
    throw invalidInput(`${path} is not a regular file`, { hint: `It is ${CALLED[kind]}.`, facts: { kind } });
}
