// Trusted folders and what was seen of them, in a file of the user's own.
import { mkdir, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { invalidInput } from "../errors/index.ts";
import type { Clock, Pin, Trust } from "../ports/index.ts";
import { withFileLock } from "../platform/file-lock.ts";
import { isInside } from "./inside.ts";
import { type TrustContent, trustReader, writeTrust } from "./trust-content.ts";

export function trustFile(path: string, clock: Pick<Clock, "now" | "sleep">): Trust {
  const read = trustReader(path);
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
      const real = await realpath(folder).catch(() => null);
      const { folders } = await read();
      return real !== null && isCovered(real, folders);
    },
    grant: (folder) =>
      inOrder(async () => {
        const real = await folderToTrust(path, folder);
        await change((content) => withFolder(content, real, clock.now()));
      }),
    revoke: (folder) =>
      inOrder(async () => {
        const real = await realpath(folder).catch(() => resolve(folder)); // it may be gone
        const isKnown = isCovered(real, (await read()).folders);
        if (isKnown) await change((content) => withoutFolder(content, real));
        const above = (await read()).folders.find((one) => isInside(real, one.path));
        if (above !== undefined) throw stillTrusted(folder, above.path);
      }),
    list: async () => (await read()).folders.map((trusted) => trusted.path),
    async pinsOf(folder) {
      const real = await realpath(folder).catch(() => null);
      return (await read()).pinned?.find((one) => one.path === real)?.pins ?? [];
    },
    pin: (folder, pins) =>
      inOrder(async () => {
        const real = await realpath(folder).catch(() => resolve(folder));
        await change((content) => withPins(content, real, pins));
      }),
  };
}

const isCovered = (real: string, folders: TrustContent["folders"]): boolean =>
  folders.some((trusted) => isInside(real, trusted.path));

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
  if (!isCovered(real, folders)) {
    throw invalidInput(`${real} is not trusted`, { hint: "Trust it first: cadre trust" });
  }
  const news = new Map(pins.map((pin) => [pin.subject, pin]));
  const kept = pinned.find(({ path }) => path === real)?.pins.filter(({ subject }) => !news.has(subject)) ?? [];
  const others = pinned.filter(({ path }) => path !== real);
  return { version, folders, pinned: [...others, { path: real, pins: [...kept, ...news.values()] }] };
}

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
