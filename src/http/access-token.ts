// The token that callers of `cadre serve` need. It is kept, so that a host can be set up once.
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { invalidInput } from "../errors/index.ts";

const OWNER_ONLY = 0o600;
const BYTES = 32;
const LONGEST = 4_096;
const SHAPE = /^[\x21-\x7e]{32,}$/;

/** The one that the file holds, or a new one in a new file. */
export async function accessToken(path: string): Promise<string> {
  return (await kept(path)) ?? (await made(path)) ?? (await kept(path)) ?? unusable(path, "cannot be read");
}

async function kept(path: string): Promise<string | undefined> {
  // A link would be somebody else's choice of a token; a pipe would hold us for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? undefined : unusable(path, error.message)),
  );
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    if (!info.isFile()) return unusable(path, "is not a file");
    if (process.getuid !== undefined && info.uid !== process.getuid()) return unusable(path, "belongs to another user");
    if ((info.mode & 0o077) !== 0) return unusable(path, "can be read by others", `Say: chmod 600 ${path}`);
    if (info.size > LONGEST) return unusable(path, "is too long to be a token");
    const token = (await file.readFile("utf8")).trim();
    return SHAPE.test(token) ? token : unusable(path, "holds no token of at least 32 visible characters");
  } finally {
    await file.close();
  }
}

/** Nothing where another process was quicker. */
async function made(path: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const token = randomBytes(BYTES).toString("base64url");
  try {
    await using file = await open(path, "wx", OWNER_ONLY);
    await file.writeFile(`${token}\n`);
    return token;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
    throw error;
  }
}

function unusable(path: string, why: string, hint = "Remove it, and a new one is made."): never {
  throw invalidInput(`the token file ${path} ${why}`, { hint });
}
