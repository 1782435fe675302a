// Trusted folders and what was seen of them, in a file of the user's own.
import { mkdir, open, readFile, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import * as z from "zod";
import { invalidHome, invalidInput } from "../errors/index.ts";
import { mintToken } from "../platform/system-mint.ts";
import type { Clock, Trust } from "../ports/index.ts";
import { Pin } from "../schema/pin.ts";
import { withFileLock } from "./file-lock.ts";
import { isInside } from "./inside.ts";

const VERSION = 1;

const TrustedFolder = z.strictObject({
  // A relative one would be trusted wherever somebody happens to stand.
  path: z.string().refine(isAbsolute, "is not absolute"),
  grantedAt: z.iso.datetime(),
});

/** Of one project, by its own real path: a trusted folder may hold several. */
const PinnedFolder = z.strictObject({ path: z.string().refine(isAbsolute, "is not absolute"), pins: z.array(Pin) });

const Content = z.strictObject({
  version: z.literal(VERSION),
  folders: z.array(TrustedFolder),
  pinned: z.array(PinnedFolder).optional(),
});
type Content = z.infer<typeof Content>;
const Versioned = z.looseObject({ version: z.number() });

export function trustFile(path: string, clock: Pick<Clock, "now" | "sleep">): Trust {
  let last: Promise<void> = Promise.resolve();
  /** One after the other: each starts from what the one before it has written. */
  const inOrder = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };
  const change = (edit: (content: Content) => Content) =>
    withFileLock(path, clock, async () => {
      const before = await readContent(path);
      const after = edit(before);
      if (after !== before) await writeContent(path, after);
    });
  return {
    async isTrusted(folder) {
      const real = await realpath(folder).catch(() => null);
      const { folders } = await readContent(path);
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
        const isKnown = isCovered(real, (await readContent(path)).folders);
        if (isKnown) await change((content) => withoutFolder(content, real));
        const above = (await readContent(path)).folders.find((one) => isInside(real, one.path));
        if (above !== undefined) throw stillTrusted(folder, above.path);
      }),
    list: async () => (await readContent(path)).folders.map((trusted) => trusted.path),
    async pinsOf(folder) {
      const real = await realpath(folder).catch(() => null);
      return (await readContent(path)).pinned?.find((one) => one.path === real)?.pins ?? [];
    },
    pin: (folder, pins) =>
      inOrder(async () => {
        const real = await realpath(folder).catch(() => resolve(folder));
        await change((content) => withPins(content, real, pins));
      }),
  };
}

const isCovered = (real: string, folders: Content["folders"]): boolean =>
  folders.some((trusted) => isInside(real, trusted.path));

const withFolder = (content: Content, real: string, now: number): Content =>
  content.folders.some(({ path }) => path === real)
    ? content
    : { ...content, folders: [...content.folders, { path: real, grantedAt: new Date(now).toISOString() }] };

const withoutFolder = ({ version, folders, pinned = [] }: Content, real: string): Content => ({
  version,
  folders: folders.filter(({ path }) => path !== real),
  pinned: pinned.filter(({ path }) => !isInside(path, real)),
});

function withPins({ version, folders, pinned = [] }: Content, real: string, pins: readonly Pin[]): Content {
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

async function readContent(file: string): Promise<Content> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw damaged(file, `cannot be read: ${String(error)}`);
  });
  if (text === null) return { version: VERSION, folders: [] };
  const json = parseJson(text);
  const versioned = Versioned.safeParse(json);
  if (versioned.success && versioned.data.version !== VERSION) {
    throw damaged(file, `has version ${versioned.data.version}, and this Cadre knows version ${VERSION} only`);
  }
  const content = Content.safeParse(json);
  if (!content.success) throw damaged(file, "does not hold a list of trusted folders");
  return content.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const damaged = (file: string, what: string) =>
  invalidHome(dirname(file), `its ${basename(file)} ${what}`, "Nothing was changed. Mend the file or move it away.");

/** Renamed into place: whoever reads meanwhile sees the old list or the new one. */
async function writeContent(file: string, { pinned = [], ...others }: Content): Promise<void> {
  const temporary = `${file}.${mintToken().slice(0, 12)}.tmp`;
  try {
    await using handle = await open(temporary, "wx", 0o600);
    await handle.writeFile(`${JSON.stringify(pinned.length === 0 ? others : { ...others, pinned }, null, 2)}\n`);
    await handle.sync();
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}
