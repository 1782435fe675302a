// One process at a time. The lock of a process that died is taken away; a clock has no part in it.
import { link, mkdir, open, readFile, unlink } from "node:fs/promises";
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

/** How long another is waited for, and what is said then. */
export interface Patience {
  readonly waitMs: number;
  readonly stuck: (lock: string) => Error;
  /** Ends the waiting, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

const LOOK_EVERY_MS = 20;
const NEVER = new AbortController().signal;

/** A disk that knows no hard links, as of a camera, says one of these. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

const PATIENCE: Patience = {
  waitMs: 10_000,
  stuck: (lock) =>
    invalidHome(
      dirname(lock),
      `another process holds ${lock}`,
      "Nothing was changed. If no Cadre is running, delete that file.",
    ),
};

/** Waits, works, and lets go. `file` is what is being changed: the lock lies beside it. */
export async function withFileLock<T>(
  file: string,
  clock: Sleeper,
  work: () => Promise<T>,
  { waitMs, stuck, signal = NEVER }: Patience = PATIENCE,
): Promise<T> {
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const token = mintToken().slice(0, 16);
  const mark = JSON.stringify({ token, ...(await ownIdentity()) });
  for (let waited = 0; !(await put(lock, token, mark)); waited += LOOK_EVERY_MS) {
    signal.throwIfAborted();
    if (waited >= waitMs) throw stuck(lock);
    if (!(await removeDead(lock))) await clock.sleep(LOOK_EVERY_MS, signal);
  }
  try {
    return await work();
  } finally {
    // Somebody may have deleted it by hand, and another process made its own.
    if ((await readHolder(lock))?.token === token) await unlink(lock);
  }
}

/** With its text from the first moment on: of whoever is killed right then, nobody could tell that it is dead. */
async function put(lock: string, token: string, mark: string): Promise<boolean> {
  const whole = `${lock}.new-${token}`;
  await create(whole, mark);
  try {
    await link(whole, lock);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    if (NO_LINKS.some((code) => isCode(error, code))) return await create(lock, mark);
    throw error;
  } finally {
    await unlink(whole);
  }
}

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

/** Null where there is none, or none of ours. */
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
