// A file of another program. It is read with distrust, and replaced in one step if it is still what was read.
import { constants } from "node:fs";
import { access, lstat, mkdir, open, rename, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { invalidDefinition } from "../../errors/index.ts";
import { mintToken } from "../../platform/system-mint.ts";
import { isCode, unless } from "./codes.ts";
import { type FilePlace, realPlace } from "./real-place.ts";

const MAX_BYTES = 5 * 1024 * 1024;

export interface Snapshot {
  readonly text: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const SAFE = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
const MEND = "Nothing was changed. Mend that file, or move it away, and try again.";
const refuse = (path: string, what: string) => invalidDefinition(path, what, MEND);

/** `null` where there is none. */
export async function readHostFile(place: FilePlace): Promise<Snapshot | null> {
  const { path } = place;
  try {
    await using handle = await open(await realPlace(place), SAFE);
    const info = await handle.stat();
    if (!info.isFile()) throw refuse(path, "is not a regular file");
    if (info.nlink > 1) throw refuse(path, "has a second name (a hard link), which a change would cut off");
    if (info.size > MAX_BYTES) throw refuse(path, `has ${info.size} bytes; at most ${MAX_BYTES} are read`);
    const bytes = await handle.readFile();
    return { text: decode(path, bytes), mode: info.mode & 0o7777, uid: info.uid, gid: info.gid };
  } catch (error) {
    if (isCode(error, "ENOENT")) return null;
    if (isCode(error, "EACCES")) throw refuse(path, "may not be read");
    if (isCode(error, "ENOTDIR")) throw refuse(path, "cannot be there: something above it is not a folder");
    throw error;
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse(path, "is not UTF-8 text");
  }
}

/** `changed`: it is no longer what was read, and nothing was done. */
export async function replaceHostFile(
  place: FilePlace,
  before: Snapshot | null,
  text: string | null,
): Promise<"done" | "changed"> {
  const target = await realPlace(place);
  if (text === null) {
    if (!(await isStill(place, before))) return "changed";
    await rm(target, { force: true });
    return "done";
  }
  await mkdir(dirname(target), { recursive: true, mode: place.scope === "user" ? 0o700 : 0o777 });
  if (before !== null)
    await access(target, constants.W_OK).catch(() => Promise.reject(refuse(place.path, "may not be written")));
  const temporary = `${target}.${mintToken().slice(0, 12)}.tmp`;
  try {
    await writeNew(temporary, text, before, place);
    if (!(await isStill(place, before))) return "changed";
    await rename(temporary, target);
    return "done";
  } finally {
    await rm(temporary, { force: true });
  }
}

const isStill = async (place: FilePlace, before: Snapshot | null): Promise<boolean> =>
  (await readHostFile(place))?.text === before?.text;

async function writeNew(path: string, text: string, before: Snapshot | null, place: FilePlace): Promise<void> {
  const mode = before?.mode ?? (place.scope === "user" ? 0o600 : 0o666);
  await using handle = await open(path, "wx", mode & 0o666);
  await handle.writeFile(text, "utf8");
  if (before !== null) {
    const own = await handle.stat();
    if (own.uid !== before.uid || own.gid !== before.gid)
      await handle
        .chown(before.uid, before.gid)
        .catch(() => Promise.reject(refuse(place.path, "belongs to another user")));
    await handle.chmod(before.mode);
  }
  await handle.sync();
}

/** The folders that have to be made for it, the outermost first. */
export async function missingFolders({ path, root }: FilePlace): Promise<string[]> {
  const missing: string[] = [];
  for (let folder = dirname(path); folder !== root && folder !== dirname(folder); folder = dirname(folder)) {
    if ((await lstat(folder).catch(unless("ENOENT"))) !== undefined) break;
    missing.unshift(folder);
  }
  return missing;
}

/** Those that nothing is in any more. Returns the others that are there, the outermost first. */
export async function removeFolders(folders: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const folder of folders.toReversed()) {
    const isLeft = await rmdir(folder).then(
      () => false,
      (error: unknown) => !isCode(error, "ENOENT", "ENOTDIR"),
    );
    if (isLeft) left.unshift(folder);
  }
  return left;
}
