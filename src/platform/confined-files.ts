// Reading and writing below one folder, for paths that a model chose. Every step down is taken from the
// folder that is open already, and follows no link: renaming folders meanwhile leads nowhere else.
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { invalidInput } from "../errors/index.ts";
import { mintToken } from "./system-mint.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NONBLOCK } = constants;
const MAX_READ_BYTES = 10 * 1024 * 1024;

export async function readConfined(root: string, path: string): Promise<string> {
  const { folders, name } = split(path);
  await using folder = await openFolder(root, folders, path, { create: false });
  // O_NONBLOCK: a named pipe would otherwise hold us until somebody writes to it.
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(refuse(path));
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw invalidInput(`${path} is not a regular file`);
    if (info.size > MAX_READ_BYTES)
      throw invalidInput(`${path} has ${info.size} bytes; at most ${MAX_READ_BYTES} are read`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** A new file, renamed into place: a reader sees the old text or the new one, and a crash leaves one of them. */
export async function writeConfined(root: string, path: string, content: string): Promise<void> {
  const { folders, name } = split(path);
  await using folder = await openFolder(root, folders, path, { create: true });
  const mode = await modeFor(folder, name, path);
  const temporary = folder.at(`.cadre-${mintToken().slice(0, 16)}.tmp`);
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode).catch(refuse(path));
  try {
    await handle.chmod(mode); // as it was, whatever this process would give a new file
    await handle.writeFile(content, "utf8");
    await handle.sync();
    await handle.close();
    await rename(temporary, folder.at(name)).catch(refuse(path));
  } catch (error) {
    await handle.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

function split(path: string): { folders: string[]; name: string } {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const name = parts.at(-1);
  if (path.startsWith("/") || parts.includes("..") || name === undefined || path.includes("\0")) {
    throw invalidInput(`${JSON.stringify(path)} does not name a file below the workspace`, {
      hint: 'Give a relative path without "..".',
    });
  }
  return { folders: parts.slice(0, -1), name };
}

interface OpenFolder extends AsyncDisposable {
  /** A path that starts at the open folder itself, wherever it has been moved to. */
  at(name: string): string;
}

const hasProc = process.platform === "linux";

async function openFolder(
  root: string,
  folders: readonly string[],
  path: string,
  { create }: { create: boolean },
): Promise<OpenFolder> {
  let handle = await open(root, O_RDONLY | O_DIRECTORY).catch(refuse(path));
  let plain = root;
  for (const part of folders) {
    const next = below(handle, plain, part);
    try {
      if (create) await makeFolder(next).catch(refuse(path));
      const step = await open(next, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(refuse(path));
      await handle.close();
      handle = step;
      plain = `${plain}/${part}`;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
  return { at: (name) => below(handle, plain, name), [Symbol.asyncDispose]: () => handle.close() };
}

/** Without /proc there is no way to open relative to a folder: then the path is as safe as its last check. */
const below = (handle: FileHandle, plain: string, name: string): string =>
  hasProc ? `/proc/self/fd/${handle.fd}/${name}` : `${plain}/${name}`;

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (!isCode(error, "EEXIST")) throw error;
  });
}

/** The mode to keep; refuses what a rename would wrongly replace. */
async function modeFor(folder: OpenFolder, name: string, path: string): Promise<number> {
  const info = await lstat(folder.at(name)).catch(() => null);
  if (info === null) return 0o644;
  if (!info.isFile()) throw invalidInput(`${path} is not a regular file`);
  if (info.nlink > 1) throw invalidInput(`${path} is one of ${info.nlink} hard links to a file: it is not replaced`);
  return info.mode & 0o777;
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ELOOP: "is, or lies behind, a symbolic link",
  ENOTDIR: "lies below something that is not a folder (or is a link)",
  EACCES: "may not be opened",
  EISDIR: "is a folder",
  ENAMETOOLONG: "has a name that is too long",
  ENXIO: "is not a regular file",
};

const refuse =
  (path: string) =>
  (error: unknown): never => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = WHY[code];
    if (why === undefined) throw error;
    throw invalidInput(`${path} ${why}`, { cause: error });
  };
