// Trusted folders and what was seen of them, in a file of the user's own.
import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { invalidInput } from "../errors/index.ts";
import type { Clock, Pin, Trust } from "../ports/index.ts";
import { withFileLock } from "../platform/file-lock.ts";
import { isInside } from "./inside.ts";
import { realPathOf } from "./real-path.ts";
import { NOBODY, type TrustContent, trustReader, writeTrust } from "./trust-content.ts";

export function trustFile(path: string, clock: Pick<Clock, "now" | "sleep">): Trust {
  const read = unlessUnchanged(path, clock, trustReader(path));
  let last: Promise<void> = Promise.resolve();
  /** One after the other: each starts from what the one before it has written. */
  const inOrder = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };
  const change = (edit: (content: TrustContent) => TrustContent) =>
    withFileLock(path, clock, async () => {
      const before = await read();
      const after = edit(before);
      if (after !== before) await writeTrust(path, after);
    });
  return {
    async isTrusted(folder) {
      const { folders } = await read();
      const real = folders.length === 0 ? null : realPathOf(folder);
      return real !== null && coverOf(real, folders) !== undefined;
    },
    grant: (folder) =>
      inOrder(async () => {
        const real = await folderToTrust(path, folder);
        await change((content) => withFolder(content, real, clock.now()));
      }),
    revoke: (folder) =>
      inOrder(async () => {
        const real = await realpath(folder).catch(() => resolve(folder)); // it may be gone
        const isKnown = (await read()).folders.some((one) => isInside(real, one.path));
        if (isKnown) await change((content) => withoutFolder(content, real));
        const above = coverOf(real, (await read()).folders);
        if (above !== undefined) throw stillTrusted(folder, above);
      }),
    list: async () => (await read()).folders.map((trusted) => trusted.path),
    async pinsOf(folder) {
      const real = realPathOf(folder);
      return (await read()).pinned?.find((one) => one.path === real)?.pins ?? [];
    },
    pin: (folder, pins) =>
      inOrder(async () => {
        const real = await realpath(folder).catch(() => resolve(folder));
        if (coverOf(real, (await read()).folders) === undefined) throw notTrusted(real);
        await change((content) => withPins(content, real, pins));
      }),
  };
}

/** Longer than a file system may take to tell two changes apart by their times. */
const SETTLED_MS = 2_000;

/**
 * Reads when the file is another one than last time. What was changed a moment before it was read is read again: it may
 * have been changed once more at what the file system takes for the same time.
 */
function unlessUnchanged(
  path: string,
  clock: Pick<Clock, "now">,
  read: () => Promise<TrustContent>,
): () => Promise<TrustContent> {
  let last: { readonly stamp: string; readonly content: TrustContent } | undefined;
  return async () => {
    const info = look(path);
    if (info === "missing") return NOBODY;
    if (info === "unknown") return read();
    const stamp = `${info.dev} ${info.ino} ${info.size} ${info.mtimeNs} ${info.ctimeNs}`;
    if (last?.stamp === stamp) return last.content;
    const isSettled = clock.now() - Number(info.ctimeMs) > SETTLED_MS;
    const content = await read();
    last = isSettled ? { stamp, content } : undefined;
    return content;
  };
}

/** Where even that cannot be seen, reading says why. */
function look(path: string): BigIntStats | "missing" | "unknown" {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "unknown";
  }
}

/**
 * The trusted folder that this one lies in, or is. A repository that lies in another is somebody else's, so trust ends
 * where one begins: a clone, a submodule or a vendored project needs its own.
 */
function coverOf(real: string, folders: TrustContent["folders"]): string | undefined {
  for (let at = real; ; at = dirname(at)) {
    if (folders.some(({ path }) => path === at)) return at;
    if (at === dirname(at) || hasRepository(at)) return undefined;
  }
}

function hasRepository(folder: string): boolean {
  try {
    return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // it cannot be looked into, and so it cannot be run from either
  }
}

const withFolder = (content: TrustContent, real: string, now: number): TrustContent =>
  content.folders.some(({ path }) => path === real)
    ? content
    : { ...content, folders: [...content.folders, { path: real, grantedAt: new Date(now).toISOString() }] };

const withoutFolder = ({ version, folders, pinned = [] }: TrustContent, real: string): TrustContent => ({
  version,
  folders: folders.filter(({ path }) => path !== real),
  pinned: pinned.filter(({ path }) => !isInside(path, real)),
});

function withPins({ version, folders, pinned = [] }: TrustContent, real: string, pins: readonly Pin[]): TrustContent {
  const news = new Map(pins.map((pin) => [pin.subject, pin]));
  const kept = pinned.find(({ path }) => path === real)?.pins.filter(({ subject }) => !news.has(subject)) ?? [];
  const others = pinned.filter(({ path }) => path !== real);
  return { version, folders, pinned: [...others, { path: real, pins: [...kept, ...news.values()] }] };
}

const notTrusted = (real: string) => invalidInput(`${real} is not trusted`, { hint: "Trust it first: cadre trust" });

const stillTrusted = (folder: string, above: string) =>
  invalidInput(`${folder} is still trusted, because ${above} is`, {
    hint: `Take that back instead: cadre trust --revoke ${above}`,
  });

/** Its real path, if it may be trusted. */
async function folderToTrust(file: string, folder: string): Promise<string> {
  const real = await realpath(folder).catch((cause: unknown) => {
    throw invalidInput(`${folder} cannot be trusted: there is no such folder`, { cause });
  });
  if (!(await stat(real)).isDirectory()) throw invalidInput(`${folder} cannot be trusted: it is not a folder`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  if (isInside(await realpath(dirname(file)), real)) {
    throw invalidInput(`${folder} cannot be trusted: the list of trusted folders lies in it`, {
      hint: "Trust the folder of one project.",
    });
  }
  return real;
}
