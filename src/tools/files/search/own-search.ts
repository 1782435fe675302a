// Searching without a program: slower, and the same answers.
import { RE2JS } from "re2js";
import { openConfined, openIn, type OpenFile } from "../../../platform/confined-files.ts";
import type { ConfinedRoot, OpenFolder } from "../../../platform/confined-folder.ts";
import { type FolderView, walkConfined } from "../../../platform/confined-walk.ts";
import { yielding } from "../../../platform/yielding.ts";
import { isBroken } from "../unnamed.ts";
import { linesOf } from "./found-text.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { type Hits, SEARCH_LIMIT_MS, type SearchEnd, type SearchParts, type SearchWish } from "./search-wish.ts";

const MAX_IGNORE_BYTES = 256 * 1024;

export async function* ownSearch({ clock, signal }: Pick<SearchParts, "clock" | "signal">, wish: SearchWish): Hits {
  const regex = compile(wish.lines);
  if (typeof regex === "string") return { kind: "refused", problem: regex };
  const deadline = clock.monotonic() + SEARCH_LIMIT_MS;
  const breathe = yielding();
  const over = (): SearchEnd | undefined => {
    if (signal.aborted) return { kind: "cut", why: "the attempt was stopped" };
    return clock.monotonic() > deadline ? { kind: "cut", why: "it took too long" } : undefined;
  };
  for (const start of wish.starts) {
    for await (const file of filesFrom(wish.root, start, wish.hidden)) {
      const { path } = file;
      const end = over();
      if (end !== undefined) return end;
      const lines = regex === undefined ? undefined : await read(file);
      // What cannot be opened by its name is told: whoever shows it sees the same.
      if (regex === undefined || (lines === undefined && isBroken(path))) yield { path, line: 0 };
      for (const [index, line] of (lines ?? []).entries()) {
        if (regex?.test(line) === true) yield { path, line: index + 1 };
        await breathe();
      }
    }
  }
  return { kind: "all" };
}

function compile(lines: SearchWish["lines"]): RE2JS | string | undefined {
  if (lines === undefined) return undefined;
  try {
    return RE2JS.compile(lines.pattern, lines.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be read";
  }
}

interface Found {
  readonly path: string;
  open(): Promise<OpenFile>;
}

async function read(found: Found): Promise<string[] | undefined> {
  const opened = await found.open().catch(() => null);
  if (opened === null) return undefined; // gone, or closed to us
  await using file = opened;
  return (await linesOf(file)) ?? [];
}

async function* filesFrom(root: ConfinedRoot, start: string, hidden: boolean): AsyncGenerator<Found> {
  const file = start === "." ? null : await openConfined(root, start).catch(() => null);
  if (file !== null) {
    await file[Symbol.asyncDispose]();
    yield { path: start, open: () => openConfined(root, start) };
    return;
  }
  const view = viewOf(await rulesAbove(root, start), start, hidden);
  for await (const entry of walkConfined(root, start, view))
    if (entry.kind === "file" || isBroken(entry.name)) yield entry;
}

/** As the program sees it: what is hidden is left out unless a rule keeps it, and links always. */
function viewOf(above: IgnoreRules, start: string, hidden: boolean): FolderView {
  const byFolder = new Map<string, IgnoreRules>();
  const top = start === "." ? "" : start;
  return async (path, folder) => {
    const parent = path === top ? above : (byFolder.get(path.split("/").slice(0, -1).join("/")) ?? above);
    const rules = parent.with(path, await ignoreTextIn(folder));
    byFolder.set(path, rules);
    return ({ name, kind }) => {
      if ((kind !== "file" && kind !== "folder") || name === ".git") return false;
      const word = rules.wordOn(path === "" ? name : `${path}/${name}`, kind === "folder");
      return word === "kept" || (word === undefined && (hidden || !name.startsWith(".")));
    };
  };
}

async function rulesAbove(root: ConfinedRoot, start: string): Promise<IgnoreRules> {
  let rules = IgnoreRules.none;
  const steps = start === "." ? [] : start.split("/");
  for (const depth of steps.keys()) {
    const folder = steps.slice(0, depth).join("/");
    const file = folder === "" ? ".gitignore" : `${folder}/.gitignore`;
    rules = rules.with(folder, await textOf(openConfined(root, file)));
  }
  return rules;
}

const ignoreTextIn = (folder: OpenFolder): Promise<string> => textOf(openIn(folder, ".gitignore", ".gitignore"));

async function textOf(opening: Promise<OpenFile>): Promise<string> {
  const opened = await opening.catch(() => null);
  if (opened === null) return "";
  await using file = opened;
  return file.info.size > MAX_IGNORE_BYTES ? "" : await file.handle.readFile("utf8");
}
