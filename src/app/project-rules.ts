// What a project tells every agent: its AGENTS.md, and those of the folders on the way to where the agent works.
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { ContextPiece } from "../domain/envelopes.ts";
import { runsLater } from "../domain/run-later.ts";
import { capText } from "../domain/summaries.ts";
import { readConfined } from "../platform/confined-files.ts";

const NAME = "AGENTS.md";
const MAX_BYTES = 32 * 1024;
const CUT = "\n(the rest is left out: it is too long)";

export interface RulesWish {
  /** The project, or what stands for it: nothing outside of it is read. */
  readonly base: string;
  /** Where the agent works, in it. */
  readonly root: string;
  /** Whether a person has trusted the base. A repository of its own further in is another matter. */
  readonly isTrusted: boolean;
}

/** From the base inwards. Of what is too long together, the nearest are kept: they know best. */
export async function projectRules({ base, root, isTrusted }: RulesWish): Promise<ContextPiece[]> {
  const realBase = realPathOf(base);
  const realRoot = root === base ? realBase : realPathOf(root);
  if (realBase === null || realRoot === null) return [];
  const found: ContextPiece[] = [];
  let isOwn = isTrusted;
  for (const folder of foldersTo(realBase, realRoot)) {
    if (folder !== "" && existsSync(join(realBase, folder, ".git"))) isOwn = false;
    const { text, isKept } = await rulesIn(realBase, folder);
    const source = `file:${join(folder, NAME).replaceAll(sep, "/")}`;
    if (text.trim() !== "") found.push({ source, isTrusted: isOwn && isKept, text });
  }
  return within(found, MAX_BYTES);
}

function* foldersTo(base: string, root: string): Generator<string> {
  yield "";
  const way = relative(base, root);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`)) return;
  const steps = way.split(sep);
  for (const index of steps.keys()) yield steps.slice(0, index + 1).join(sep);
}

interface Rules {
  readonly text: string;
  /** Whether agents have to ask before they write the file that it stands in: the others are anybody's word. */
  readonly isKept: boolean;
}

const NONE: Rules = { text: "", isKept: false };

/** A link is followed to another Markdown file of the same base, and nowhere else: not to what a repository hides. */
async function rulesIn(base: string, folder: string): Promise<Rules> {
  const path = join(folder, NAME);
  const info = lstatSync(join(base, path), { throwIfNoEntry: false });
  if (info === undefined) return NONE;
  const target = info.isSymbolicLink() ? realPathOf(join(base, path)) : join(base, path);
  if (target === null || !target.startsWith(`${base}${sep}`) || !/\.md$/i.test(target)) return NONE;
  const file = relative(base, target);
  const text = await readConfined(base, file).catch(() => "");
  return { text, isKept: runsLater(file.replaceAll(sep, "/"), []) !== undefined };
}

function within(pieces: readonly ContextPiece[], maxBytes: number): ContextPiece[] {
  const kept: ContextPiece[] = [];
  let left = maxBytes;
  for (const piece of pieces.toReversed()) {
    const { text, truncated } = capText(piece.text, left / 1024);
    if (text !== "") kept.push({ ...piece, text: truncated ? `${text}${CUT}` : text });
    left -= Buffer.byteLength(text);
  }
  return kept.toReversed();
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
