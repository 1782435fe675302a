// A configuration file on disk. A project's is not believed: not its kind, its size or where it leads.
import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { invalidDefinition } from "../errors/index.ts";
import { mintToken } from "../platform/system-mint.ts";

const MAX_BYTES = 32 * 1024;
const NAME = "config.yml";

export interface ConfigFile {
  readonly path: string;
  /** People keep their own files elsewhere and link to them; a project has no reason to. */
  readonly mayBeLink: boolean;
}

export interface ConfigPlace {
  readonly userHome: string;
  /** Cadre's home that this process works with: a project's, or the user's own. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const userFile = ({ userHome }: Pick<ConfigPlace, "userHome">): ConfigFile => ({
  path: join(userHome, ".cadre", NAME),
  mayBeLink: true,
});

/** `null` outside of any project: there the home is the user's own. */
export function projectFile(place: Pick<ConfigPlace, "userHome" | "home">): ConfigFile | null {
  const path = join(place.home, NAME);
  return path === userFile(place).path ? null : { path, mayBeLink: false };
}

const MEND = "Mend the file or move it away, then look again: cadre doctor";

/** `null` where there is none. */
export async function readConfigFile({ path, mayBeLink }: ConfigFile): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (mayBeLink ? 0 : constants.O_NOFOLLOW);
  try {
    await using handle = await open(path, flags);
    const info = await handle.stat();
    if (!info.isFile()) throw invalidDefinition(path, "is not a regular file", MEND);
    if (info.size > MAX_BYTES)
      throw invalidDefinition(path, `has ${info.size} bytes; at most ${MAX_BYTES} are read`, MEND);
    return await handle.readFile("utf8");
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return null;
    if (isCode(error, "ELOOP")) throw invalidDefinition(path, "is a link, and a project's may not be one", MEND);
    if (isCode(error, "EACCES")) throw invalidDefinition(path, "may not be read", MEND);
    throw error;
  }
}

/** A new file, renamed into place: a reader sees the old text or the new one. Readable by its owner only. */
export async function writeConfigFile({ path, mayBeLink }: ConfigFile, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const target = mayBeLink ? await realpath(path).catch(() => path) : path;
  const info = await lstat(target).catch(() => null);
  if (info !== null && !info.isFile()) throw invalidDefinition(path, "is not a regular file", MEND);
  const temporary = `${target}.${mintToken().slice(0, 12)}.tmp`;
  try {
    await using handle = await open(temporary, "wx", 0o600);
    await handle.writeFile(text, "utf8");
    await handle.sync();
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
