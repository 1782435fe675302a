// Trusted folders, in a file of the user's own.
import { mkdir, open, readFile, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import * as z from "zod";
import { invalidHome, invalidInput } from "../errors/index.ts";
import { mintToken } from "../platform/system-mint.ts";
import type { Trust } from "../ports/index.ts";
import { isInside } from "./inside.ts";

const VERSION = 1;

const TrustedFolder = z.strictObject({
  // A relative one would be trusted wherever somebody happens to stand.
  path: z.string().refine(isAbsolute, "is not absolute"),
  grantedAt: z.iso.datetime(),
});
type TrustedFolder = z.infer<typeof TrustedFolder>;

const Content = z.strictObject({ version: z.literal(VERSION), folders: z.array(TrustedFolder) });
const Versioned = z.looseObject({ version: z.number() });

export function trustFile(path: string, now: () => number): Trust {
  let last: Promise<void> = Promise.resolve();
  /** One change after the other: each starts from what the one before it has written. */
  const change = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    async isTrusted(folder) {
      const real = await realpath(folder).catch(() => null);
      const folders = await readFolders(path);
      return real !== null && folders.some((trusted) => isInside(real, trusted.path));
    },
    grant: (folder) => change(() => grant(path, folder, now())),
    revoke: (folder) => change(() => revoke(path, folder)),
    list: async () => (await readFolders(path)).map((trusted) => trusted.path),
  };
}

async function grant(file: string, folder: string, now: number): Promise<void> {
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
  const folders = await readFolders(file);
  if (folders.some(({ path }) => path === real)) return;
  await writeFolders(file, [...folders, { path: real, grantedAt: new Date(now).toISOString() }]);
}

async function revoke(file: string, folder: string): Promise<void> {
  const real = await realpath(folder).catch(() => resolve(folder)); // it may be gone
  const folders = await readFolders(file);
  const others = folders.filter(({ path }) => path !== real);
  if (others.length < folders.length) await writeFolders(file, others);
  const above = others.find(({ path }) => isInside(real, path));
  if (above === undefined) return;
  throw invalidInput(`${folder} is still trusted, because ${above.path} is`, {
    hint: `Take that back instead: cadre trust --revoke ${above.path}`,
  });
}

async function readFolders(file: string): Promise<TrustedFolder[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw damaged(file, `cannot be read: ${String(error)}`);
  });
  if (text === null) return [];
  const json = parseJson(text);
  const versioned = Versioned.safeParse(json);
  if (versioned.success && versioned.data.version !== VERSION) {
    throw damaged(file, `has version ${versioned.data.version}, and this Cadre knows version ${VERSION} only`);
  }
  const content = Content.safeParse(json);
  if (!content.success) throw damaged(file, "does not hold a list of trusted folders");
  return content.data.folders;
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
async function writeFolders(file: string, folders: readonly TrustedFolder[]): Promise<void> {
  const temporary = `${file}.${mintToken().slice(0, 12)}.tmp`;
  try {
    await using handle = await open(temporary, "wx", 0o600);
    await handle.writeFile(`${JSON.stringify({ version: VERSION, folders }, null, 2)}\n`);
    await handle.sync();
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}
