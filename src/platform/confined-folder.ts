// Folders below one root, for paths that a model chose. Every step down is taken from the folder that is open
// already, and follows no link: renaming folders meanwhile leads nowhere else.
import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { type Facts, invalidInput } from "../errors/index.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

export interface OpenFolder extends AsyncDisposable {
  /** A path that starts at the open folder itself, wherever it has been moved to. */
  at(name: string): string;
}

/** A folder that others are opened from. It is opened once and held: what is put in its place later is not it. */
export class ConfinedRoot implements AsyncDisposable {
  readonly path: string;
  readonly #isOurs: boolean;
  #opening: Promise<FileHandle> | undefined;

  /**
   * `isOurs`: it is made, for its owner alone, when something is to be written and it is not there yet. And it is never
   * a link: whoever put one there, while we run or before, would choose where we write.
   */
  constructor(path: string, { isOurs = false }: { readonly isOurs?: boolean } = {}) {
    this.path = path;
    this.#isOurs = isOurs;
  }

  async open({ create }: { create: boolean }): Promise<OpenFolder> {
    const handle = await this.#openOnce(create && this.#isOurs);
    return { at: (name) => below(handle, this.path, name), [Symbol.asyncDispose]: async () => undefined };
  }

  async #openOnce(create: boolean): Promise<FileHandle> {
    if (create && this.#opening === undefined)
      await mkdir(this.path, { recursive: true, mode: 0o700 }).catch(refuse(this.path));
    const flags = O_RDONLY | O_DIRECTORY | (this.#isOurs ? O_NOFOLLOW : 0);
    this.#opening ??= open(this.path, flags).catch((error: unknown) => {
      this.#opening = undefined; // it may be there next time
      return refuse(this.path)(error);
    });
    return this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opening?.then((handle) => handle.close()).catch(() => undefined);
  }
}

/** The parts of a path below a root. None: the root itself. */
export function stepsOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.includes("..") || path.includes("\0")) throw outside(path);
  return parts;
}

export const outside = (path: string, facts: Facts = {}) =>
  invalidInput(`${JSON.stringify(path)} does not name a file below the workspace`, {
    hint: 'Give a relative path without "..".',
    facts,
  });

/** Goes down from the root. `path` is what messages call it. */
export async function openFolder(
  root: ConfinedRoot,
  folders: readonly string[],
  path: string,
  { create }: { create: boolean },
): Promise<OpenFolder> {
  let folder = await root.open({ create });
  let plain = root.path;
  for (const part of folders) {
    const next = folder.at(part);
    try {
      if (create) await makeFolder(next).catch(refuse(path));
      plain = `${plain}/${part}`;
      const deeper = await stepInto(next, plain).catch(refuse(path));
      await folder[Symbol.asyncDispose]();
      folder = deeper;
    } catch (error) {
      await folder[Symbol.asyncDispose]();
      throw error;
    }
  }
  return folder;
}

/** `plain` is the folder's own path, for where folders cannot be held open. */
export async function stepInto(path: string, plain: string): Promise<OpenFolder> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  return { at: (name) => below(handle, plain, name), [Symbol.asyncDispose]: () => handle.close() };
}

const hasProc = process.platform === "linux";

/** Without /proc there is no way to open relative to a folder: then the path is as safe as its last check. */
const below = (handle: FileHandle, plain: string, name: string): string =>
  hasProc ? `/proc/self/fd/${handle.fd}/${name}` : `${plain}/${name}`;

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (!isCode(error, "EEXIST")) throw error;
  });
}

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ELOOP: "is, or lies behind, a symbolic link",
  ENOTDIR: "lies below something that is not a folder (or is a link)",
  EACCES: "may not be opened",
  EPERM: "may not be changed",
  EROFS: "lies on a file system that is read-only",
  ENOSPC: "does not fit on its disk any more",
  EISDIR: "is a folder",
  ENAMETOOLONG: "has a name that is too long",
  ENXIO: "is not a regular file",
};

/** Turns what the system says of a path into what a model can act on. */
export const refuse =
  (path: string) =>
  (error: unknown): never => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = WHY[code];
    if (why === undefined) throw error;
    throw invalidInput(`${path} ${why}`, { cause: error, facts: { why: code } });
  };
