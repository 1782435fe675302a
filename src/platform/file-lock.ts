// One process at a time. The lock of a process that died is taken away; a clock has no part in it.
import { mkdir, open, readFile, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { invalidHome } from "../errors/index.ts";
import { checkIdentity, ownIdentity } from "./process-identity.ts";
import { mintToken } from "./system-mint.ts";

const Holder = z.object({
  token: z.string(),
  host: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
  pid: z.number(),
  startTime: z.string(),
});

interface Sleeper {
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
}

const LOOK_EVERY_MS = 20;
const MOST_LOOKS = 500;

/** Waits, works, and lets go. `file` is what is being changed: the lock lies beside it. */
export async function withFileLock<T>(file: string, clock: Sleeper, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const never = new AbortController().signal;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const token = mintToken().slice(0, 16);
  const mark = JSON.stringify({ token, ...(await ownIdentity()) });
  for (let looks = 0; !(await create(lock, mark)); looks++) {
    if (looks === MOST_LOOKS) throw stuck(lock);
    if (!(await removeDead(lock))) await clock.sleep(LOOK_EVERY_MS, never);
  }
  try {
    return await work();
  } finally {
    // Somebody may have deleted it by hand, and another process made its own.
    if ((await readHolder(lock))?.token === token) await unlink(lock);
  }
}

const stuck = (lock: string) =>
  invalidHome(
    dirname(lock),
    `another process holds ${lock}`,
    "Nothing was changed. If no Cadre is running, delete that file.",
  );

async function create(path: string, text: string): Promise<boolean> {
  try {
    await using handle = await open(path, "wx", 0o600);
    await handle.writeFile(text);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

/**
 * Two may find the same dead lock, and the slower one must not take away what the faster one has put in its place.
 * So whoever removes a lock holds a second one, named after the first one's token, and looks again.
 */
async function removeDead(lock: string): Promise<boolean> {
  const holder = await readHolder(lock);
  if (holder === null || (await checkIdentity(holder)) !== "dead") return false;
  const claim = `${lock}.${holder.token.replaceAll(/[^A-Za-z0-9_-]/g, "")}`;
  if (!(await create(claim, ""))) return false;
  try {
    if ((await readHolder(lock))?.token === holder.token) await unlink(lock);
    return true;
  } finally {
    await unlink(claim);
  }
}

/** Null where there is none, or where its holder is still writing it. */
async function readHolder(lock: string): Promise<z.infer<typeof Holder> | null> {
  const text = await readFile(lock, "utf8").catch(() => "");
  try {
    const parsed = Holder.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
