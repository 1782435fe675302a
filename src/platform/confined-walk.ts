// Going through everything below a folder, in order, without following links (see confined-folder.ts).
import { lstat, opendir } from "node:fs/promises";
import { type FileKind, kindOf, openIn, type OpenFile } from "./confined-files.ts";
import { type ConfinedRoot, openFolder, type OpenFolder, refuse, stepInto, stepsOf } from "./confined-folder.ts";

export interface Entry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface WalkEntry extends Entry {
  /** Relative to the root. */
  readonly path: string;
  /** Only while it is the latest entry. */
  open(): Promise<OpenFile>;
}

/** Says, for one folder, which of its entries are wanted. A folder that is not wanted is not entered. */
export type FolderView = (path: string, folder: OpenFolder) => Promise<(entry: Entry) => boolean>;

const MAX_DEPTH = 100;
const MAX_ENTRIES = 100_000; // in one folder

/** Folder by folder, each in the order of its names; a folder's content comes where its name stands. */
export async function* walkConfined(root: ConfinedRoot, start: string, view: FolderView): AsyncGenerator<WalkEntry> {
  const steps = stepsOf(start);
  await using folder = await openFolder(root, steps, start, { create: false });
  yield* walk(folder, steps, root.path, view);
}

async function* walk(
  folder: OpenFolder,
  steps: readonly string[],
  root: string,
  view: FolderView,
): AsyncGenerator<WalkEntry> {
  const isWanted = await view(steps.join("/"), folder);
  for (const entry of (await entriesOf(folder)).filter(isWanted)) {
    const { name, kind } = entry;
    const path = [...steps, name].join("/");
    yield { ...entry, path, open: () => openIn(folder, name, path) };
    if (kind !== "folder" || steps.length >= MAX_DEPTH) continue;
    const opened = await stepInto(folder.at(name), `${root}/${path}`).catch(() => null);
    if (opened === null) continue; // gone, closed to us, or a link by now
    await using inner = opened;
    yield* walk(inner, [...steps, name], root, view);
  }
}

/** Sorted by name. */
export async function entriesOf(folder: OpenFolder): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(folder.at("."))) {
    const isKnown = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
    const info = isKnown ? entry : await lstat(folder.at(entry.name)).catch(() => null);
    if (info !== null) entries.push({ name: entry.name, kind: kindOf(info) });
    if (entries.length >= MAX_ENTRIES) break;
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export async function listConfined(root: ConfinedRoot, path: string): Promise<Entry[]> {
  await using folder = await openFolder(root, stepsOf(path), path, { create: false });
  return await entriesOf(folder).catch(refuse(path));
}
