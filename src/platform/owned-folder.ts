// Files in one folder that is ours alone. A folder or a file that is a link is never followed: what is
// checked out with a project may have put one there, and it would lead our writing anywhere.
//
// Little files are written at once: that is done before somebody else would have been woken for it. Whoever writes many
// lets the event loop breathe in between.
import * as fs from "node:fs";
import { opendir, rm } from "node:fs/promises";
import { join } from "node:path";
import { invalidInput } from "../errors/index.ts";
import { mintToken } from "./system-mint.ts";

// O_NONBLOCK: a named pipe would otherwise hold us until somebody is at its other end.
const SAFE = fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
const READ = fs.constants.O_RDONLY | SAFE;
const APPEND = fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT | SAFE;
const CREATE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | SAFE;
const OWNER_ONLY = 0o600;
const TEMPORARY = /^\..+\.tmp$/;

export type FileRead =
  | { readonly kind: "text"; readonly text: string; readonly changedAt: number }
  | { readonly kind: "missing" }
  | { readonly kind: "large" }
  | { readonly kind: "unusable"; readonly why: string };

/** What could not be added to a file, and why. All was added where `rest` is empty. */
export interface Appended {
  readonly rest: Buffer;
  readonly error: unknown;
}

export class OwnedFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Adds to the end, in one piece: lines of several processes do not mix. */
  append(name: string, bytes: Buffer): Appended {
    let done = 0;
    try {
      this.#check();
      const file = fs.openSync(join(this.path, name), APPEND, OWNER_ONLY);
      try {
        checkFile(fs.fstatSync(file), name);
        while (done < bytes.length) done += fs.writeSync(file, bytes, done);
      } finally {
        fs.closeSync(file);
      }
      return { rest: bytes.subarray(done), error: null };
    } catch (error) {
      return { rest: bytes.subarray(done), error };
    }
  }

  /** A new file, renamed into place: a reader sees the old text or the new one. */
  replace(name: string, text: string): void {
    this.#check();
    const temporary = join(this.path, `.${name}.${mintToken().slice(0, 12)}.tmp`);
    try {
      writeNew(temporary, text);
      fs.renameSync(temporary, join(this.path, name));
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** Unless something of that name is there already. */
  create(name: string, text: string): void {
    this.#check();
    try {
      writeNew(join(this.path, name), text);
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
  }

  read(name: string, maxBytes: number): FileRead {
    try {
      if (this.#look() === "missing") return { kind: "missing" };
      const file = fs.openSync(join(this.path, name), READ);
      try {
        return readOpen(file, maxBytes);
      } finally {
        fs.closeSync(file);
      }
    } catch (error) {
      return isCode(error, "ENOENT") ? { kind: "missing" } : { kind: "unusable", why: whyNot(error) };
    }
  }

  /** Changes when the file does. `null`: there is none. */
  fingerprint(name: string): string | null {
    const info = fs.lstatSync(join(this.path, name), { throwIfNoEntry: false });
    return info === undefined ? null : `${info.ino} ${info.size} ${info.mtimeMs} ${info.ctimeMs}`;
  }

  /** Names of what is there, temporary files left out; nothing where there is no such folder. */
  async *names(): AsyncGenerator<string> {
    if (this.#look() === "missing") return;
    for await (const { name } of await opendir(this.path)) if (!name.startsWith(".")) yield name;
  }

  /** What a process that was killed left behind, if it is older than this time. */
  async removeTemporary(before: number): Promise<void> {
    if (this.#look() === "missing") return;
    for await (const { name } of await opendir(this.path)) {
      const path = join(this.path, name);
      const info = TEMPORARY.test(name) ? fs.lstatSync(path, { throwIfNoEntry: false }) : undefined;
      if (info?.isFile() === true && info.mtimeMs < before) fs.rmSync(path, { force: true });
    }
  }

  /** A file, or a folder with all that is in it. A link is removed, and what it leads to stays. */
  async remove(name: string): Promise<void> {
    if (this.#look() === "missing") return;
    await rm(join(this.path, name), { recursive: true, force: true });
  }

  #check(): void {
    if (this.#look() === "missing") fs.mkdirSync(this.path, { recursive: true, mode: 0o700 });
  }

  #look(): "there" | "missing" {
    const info = fs.lstatSync(this.path, { throwIfNoEntry: false });
    if (info === undefined) return "missing";
    if (!info.isDirectory()) throw invalidInput(`${this.path} is a link or a file, not a folder`);
    return "there";
  }
}

function writeNew(path: string, text: string): void {
  const file = fs.openSync(path, CREATE, OWNER_ONLY);
  try {
    fs.writeFileSync(file, text, "utf8");
  } finally {
    fs.closeSync(file);
  }
}

function readOpen(file: number, maxBytes: number): FileRead {
  const info = fs.fstatSync(file);
  if (!info.isFile()) return { kind: "unusable", why: "is not a regular file" };
  if (process.getuid !== undefined && info.uid !== process.getuid())
    return { kind: "unusable", why: "belongs to another user" };
  if (info.size > maxBytes) return { kind: "large" };
  const bytes = Buffer.allocUnsafe(info.size);
  let length = 0;
  for (let got = -1; got !== 0 && length < bytes.length; length += got) {
    got = fs.readSync(file, bytes, length, bytes.length - length, null);
  }
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length));
  return { kind: "text", text, changedAt: info.mtimeMs };
}

/** A hard link is another name of a file that may be somebody else's. */
function checkFile(info: fs.Stats, name: string): void {
  if (!info.isFile()) throw invalidInput(`${name} is not a regular file`);
  if (info.nlink > 1) throw invalidInput(`${name} is a hard link`);
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

function whyNot(error: unknown): string {
  if (isCode(error, "ELOOP")) return "is a symbolic link";
  if (error instanceof TypeError) return "is not UTF-8 text";
  return error instanceof Error ? `cannot be read (${error.message})` : "cannot be read";
}
