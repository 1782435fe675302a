// The file behind trust: what it holds, read strictly and replaced as a whole.
import { open, readFile, rename, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute } from "node:path";
import * as z from "zod";
import { invalidHome } from "../errors/index.ts";
import { mintToken } from "../platform/system-mint.ts";
import { Pin } from "../schema/pin.ts";

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
export type TrustContent = z.infer<typeof Content>;
/** Where nobody has trusted anything yet. */
export const NOBODY: TrustContent = { version: VERSION, folders: [] };
const Versioned = z.looseObject({ version: z.number() });

/** Reads the file each time, and judges a text once: nobody's change is missed, and a long list costs nothing. */
export function trustReader(file: string): () => Promise<TrustContent> {
  let last: { readonly text: string; readonly content: TrustContent } | null = null;
  return async () => {
    const text = await readText(file);
    if (text === null) return NOBODY;
    if (last?.text !== text) last = { text, content: parseContent(file, text) };
    return last.content;
  };
}

const readText = (file: string): Promise<string | null> =>
  readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw damaged(file, `cannot be read: ${String(error)}`);
  });

function parseContent(file: string, text: string): TrustContent {
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
export async function writeTrust(file: string, { pinned = [], ...others }: TrustContent): Promise<void> {
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
