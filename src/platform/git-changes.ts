// What has changed in a repository, as git tells it: asked here, or where an agent's programs run. Neither the index nor
// anything else of the repository is written.
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { invalidInput } from "../errors/index.ts";
import { blindSpots, INDEXED } from "./git-blind-spots.ts";
import { diffArguments, type GitSettings, NAMING_PROGRAMS, SAFE_GIT_ARGUMENTS, withoutPrograms } from "./safe-git.ts";

interface Ran {
  /** `null`: it did not come to one. */
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
  /** It wrote more than was asked for. */
  readonly isCut: boolean;
}

/** Runs a program in the folder, with git's environment and nothing to read, and keeps the beginning of what it writes. */
export type RunThere = (file: string, args: readonly string[], maxBytes: number, settings: GitSettings) => Promise<Ran>;

export interface ChangesWish {
  /** A commit; else the last one. */
  readonly against?: string | undefined;
  /**
   * `folder`: what lies around it is not to be seen by whoever runs git there. Of the repository, too, new files are
   * told in the folder only: around it may be somebody's whole home.
   */
  readonly of: "repository" | "folder";
  /** Absolute. Nothing of it is told. */
  readonly without?: readonly string[] | undefined;
  /** Of absolute paths. No word is lost about them. */
  readonly isState?: ((path: string) => boolean) | undefined;
  /** Of absolute paths. It is said that some are left out, and not which. */
  readonly isClosed?: ((path: string) => boolean) | undefined;
}

const MAX_BYTES = 200_000;
const LIST_BYTES = 4 * 1024 * 1024;
const INDEX_BYTES = 64 * 1024 * 1024;
/** Arguments of one program; more than that are not told one by one. */
const MOST_LEFT_OUT = 2_000;
const MOST_NEW = 500;
const ARGUMENT_BYTES = 500_000;
const LINK_BYTES = 20_000;
const MOST_NAMES = 500;

/** As a diff, empty where nothing has. Throws where git cannot say. */
export async function changesIn(folder: string, run: RunThere, wish: ChangesWish): Promise<string> {
  const { settings, tellsNew, isSparse } = await settingsOf(folder, run);
  const git = async (args: readonly string[], maxBytes = LIST_BYTES): Promise<Ran> => {
    const ran = await run("git", args, maxBytes, settings);
    if (ran.code === 0) return ran;
    throw cannotSay(folder, ran.errors.trim() || `it ended with ${ran.code}`);
  };
  const top = (await git([...SAFE_GIT_ARGUMENTS, "rev-parse", "--show-toplevel"])).out.replace(/\n$/, "");
  if (isOutside(relative(top, realPathOf(folder)))) throw cannotSay(folder, `the repository is about ${named(top)}`);
  const from = wish.against ?? (await lastCommit(git));
  const outside = (wish.without ?? []).flatMap((path) => without(top, path));
  const paths = [wish.of === "folder" ? "." : ":/", ...outside];
  const list = (filter: string) =>
    git([...diffArguments(from, "--name-status", "-z", "--no-renames", `--diff-filter=${filter}`), "--", ...paths]);
  const ofNew = [...SAFE_GIT_ARGUMENTS, "-c", `core.ignoreCase=${!tellsCaseApart(top)}`, ...NEW_ONES];
  const [listed, deleted, missing, indexed, others] = await Promise.all([
    list("d"),
    list("D"),
    git([...MISSING, "--", ...paths]),
    git([...INDEXED, "--", ...paths], INDEX_BYTES),
    tellsNew ? git([...ofNew, "--", ".", ...outside]) : undefined,
  ]);
  const unseen = new Set(itemsOf(missing));
  const isTold = (name: string): boolean => wish.isState?.(join(top, name)) !== true;
  const isOpen = (name: string): boolean => wish.isClosed?.(join(top, name)) !== true;
  const there = changedIn(listed);
  const gone = changedIn(deleted);
  const told = [...there, ...gone.filter(({ name }) => !(unseen.has(name) && isFileThere(join(top, name))))].filter(
    ({ name }) => isTold(name),
  );
  const changed = told.filter(({ name }) => isOpen(name));
  const toldNew = others === undefined ? [] : itemsOf(others).filter(isTold);
  const fresh = toldNew.filter(isOpen);

  const isShown = new Set(changed);
  const outOfAll = (some: readonly Changed[]) => some.flatMap((one) => (isShown.has(one) ? [] : [outOf(one.name)]));
  const leftThere = outOfAll(there);
  const left = [...leftThere, ...outOfAll(gone)];
  const isTooMuch = listed.isCut || !fits(leftThere, MOST_LEFT_OUT);
  const isWithoutDeleted = deleted.isCut || missing.isCut || !fits(left, MOST_LEFT_OUT);
  const about = isWithoutDeleted
    ? [...diffArguments(from, "--diff-filter=d"), "--", ...paths, ...leftThere]
    : [...diffArguments(from), "--", ...paths, ...left];
  const patch = isTooMuch ? { out: "", isCut: true } : await git(about, MAX_BYTES);

  const links = fresh.flatMap((name) => linkAt(top, name));
  const linked = new Set(links.map(({ name }) => name));
  const words = links.map(({ name, target }) => `new link: ${named(name)} -> ${named(target)}\n`);
  const linkLines = fitting(words, MOST_NEW, LINK_BYTES);
  const files = fresh.filter((name) => !name.endsWith("/") && !linked.has(name));
  const shown = fitting(files, MOST_NEW);
  const room = patch.isCut ? 0 : MAX_BYTES - patch.out.length;
  const added = shown.length > 0 && room > 0 ? await run("sh", newFiles(top, shown), room, settings) : undefined;
  const isBrokenOff = added?.isCut === true || added?.code === null;
  const isCut = patch.isCut || others?.isCut === true || isBrokenOff || (room <= 0 && fresh.length > 0);
  const names = [
    ...changed.map(({ letter, name }) => `${letter} ${named(name)}`),
    ...fresh.map((name) => `A ${named(name)}`),
  ];
  const isNarrow = changed.length < told.length || fresh.length < toldNew.length;
  const isSeen = (name: string): boolean => isTold(name) && isOpen(name);
  return [
    patch.isCut ? patch.out.replace(/[^\n]$/, "$&\n") : patch.out,
    added === undefined ? "" : added.out || added.errors,
    ...linkLines,
    ...blindSpots(top, { entries: itemsOf(indexed), isCut: indexed.isCut, isSparse }, (some) =>
      few(some.filter(isSeen).map(named)),
    ),
    others === undefined ? "[New files are left out: status.showUntrackedFiles says so.]\n" : "",
    isNarrow ? "[Some changes are left out: the policy closes those files.]\n" : "",
    isWithoutDeleted ? "[Deleted files are left out: too many files are not to be seen here.]\n" : "",
    isTooMuch ? "[The diff itself is left out: too many files are not to be seen here.]\n" : "",
    isCut || shown.length + linkLines.length < fresh.length
      ? `\n[The rest of the diff is left out. Changed in all:]\n${few(names)}\n`
      : "",
  ].join("");
}

/** What is in the index, and not there as git sees it. */
const MISSING: readonly string[] = [
  ...SAFE_GIT_ARGUMENTS,
  "diff-files",
  "--name-only",
  "-z",
  "--diff-filter=D",
  "--ignore-submodules=dirty",
  "--no-relative",
];

const NEW_ONES: readonly string[] = ["ls-files", "-z", "--others", "--exclude-standard", "--full-name"];

/** By the disk, whatever the repository's settings say: where they say no, a new name may pass for one that is known. */
const tellsCaseApart = (top: string): boolean => !existsSync(join(top, ".GIT")) || readdirSync(top).includes(".GIT");

const NEW_FILES = "status.showuntrackedfiles";
const SPARSE = "core.sparsecheckout";

/** Whoever keeps a home in a repository says that new files are none, and means everybody who asks. */
async function settingsOf(folder: string, run: RunThere) {
  const args = [...SAFE_GIT_ARGUMENTS, "config", "-z", "--get-regexp", `${NAMING_PROGRAMS}|^(${NEW_FILES}|${SPARSE})$`];
  const ran = await run("git", args, LIST_BYTES, []);
  // 1: there is none.
  if (ran.isCut || (ran.code !== 0 && ran.code !== 1))
    throw cannotSay(folder, ran.isCut ? "it has too many settings" : ran.errors.trim());
  const found = itemsOf(ran).map((item) => item.split("\n", 2));
  const lastOf = (key: string): string[] | undefined => found.findLast(([name]) => name === key);
  const sparse = lastOf(SPARSE);
  return {
    settings: withoutPrograms(found.map(([name = ""]) => name)),
    tellsNew: !/^(no|false|off|0)$/i.test(lastOf(NEW_FILES)?.[1] ?? ""),
    // Without a value it is a yes.
    isSparse: sparse !== undefined && /^(yes|true|on|1)$/i.test(sparse[1] ?? "yes"),
  };
}

/** Or nothing at all, where there is no commit yet: then everything is new. */
async function lastCommit(git: (args: readonly string[]) => Promise<Ran>): Promise<string> {
  try {
    await git([...SAFE_GIT_ARGUMENTS, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    return "HEAD";
  } catch {
    return (await git([...SAFE_GIT_ARGUMENTS, "hash-object", "-t", "tree", "/dev/null"])).out.trim();
  }
}

/** Each as a diff against nothing, of binary ones only the name. In one shell: to start a program there may be dear. */
function newFiles(top: string, names: readonly string[]): string[] {
  const diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-index", "--", "/dev/null"];
  const git = ["git", "-C", top, ...SAFE_GIT_ARGUMENTS, "--no-pager", ...diff].map(quoted).join(" ");
  // To git, `-` alone is what it is given to read.
  return ["-c", `for name do [ "$name" = - ] && name=./-; ${git} "$name"; done 2>&1`, "sh", ...names];
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Ended by NUL, each. */
const itemsOf = ({ out }: Ran): string[] => out.split("\0").slice(0, -1);

interface Changed {
  readonly letter: string;
  readonly name: string;
}

/** `M NUL path NUL D NUL path NUL`. */
function changedIn(listed: Ran): Changed[] {
  const items = itemsOf(listed);
  return items.flatMap((letter, at) => {
    const name = items[at + 1];
    return at % 2 === 0 && name !== undefined ? [{ letter, name }] : [];
  });
}

/**
 * This name, and nothing below it: a pattern is held against whole names, a name alone would be one of a folder, too.
 * What is no text was lost on the way here.
 */
const outOf = (name: string): string =>
  `:(top,exclude,glob)${name.replace(/^[^*?[\\]|[*?[\\]/g, "\\$&").replaceAll(/\\?\uFFFD/g, "*")}`;

/** As many of the first as there is room for: as one program can be given, unless said otherwise. */
function fitting(items: readonly string[], most: number, room = ARGUMENT_BYTES): string[] {
  let bytes = 0;
  return items.slice(0, most).filter((item) => (bytes += Buffer.byteLength(item) + 1) <= room);
}

const fits = (items: readonly string[], most: number): boolean => fitting(items, most).length === items.length;

/** The paths of a repository without this one. */
function without(top: string, path: string): string[] {
  const name = relative(top, realPathOf(path)).split(sep).join("/");
  return name === "" || isOutside(name) ? [] : [`:(top,exclude,literal)${name}`];
}

const isOutside = (name: string): boolean => name === ".." || name.startsWith(`..${sep}`);

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there: then there is nothing of it
  }
}

/** A file that is there, and is missing to git, is one that git does not get to see: unless it lies behind a link. */
function isFileThere(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || !(found.isFile() || found.isSymbolicLink())) return false;
    return realpathSync(dirname(path)) === dirname(path);
  } catch {
    return false; // in a folder that is closed to us, too
  }
}

/** A new link: git would go where it leads. */
function linkAt(top: string, name: string): { readonly name: string; readonly target: string }[] {
  try {
    const path = join(top, name);
    return lstatSync(path).isSymbolicLink() ? [{ name, target: readlinkSync(path) }] : [];
  } catch {
    return []; // gone since
  }
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** On one line, whatever it is. */
function named(name: string): string {
  if (!INVISIBLE.test(name)) return name;
  return JSON.stringify(name).replaceAll(new RegExp(INVISIBLE, "gu"), (found) => found.split("").map(escaped).join(""));
}

const few = (names: readonly string[]): string =>
  [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? [`and ${names.length - MOST_NAMES} more`] : [])].join(
    "\n",
  );

function cannotSay(folder: string, why: string): Error {
  const said = why.split("\n").slice(0, 3).join("; ");
  return invalidInput(`git cannot say what has changed in ${folder}: ${said}`, {
    hint: "It must be a repository of git.",
  });
}
