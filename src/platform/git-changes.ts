// What has changed in a repository, as git tells it: asked here, or where an agent's programs run. Neither the index nor
// anything else of the repository is written.
import { lstatSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { invalidInput } from "../errors/index.ts";
import { diffArguments, SAFE_GIT_ARGUMENTS } from "./safe-git.ts";

interface Ran {
  /** `null`: it did not come to one. */
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
  /** It wrote more than was asked for. */
  readonly isCut: boolean;
}

/** Runs a program in the folder, with git's environment and nothing to read, and keeps the beginning of what it writes. */
export type RunThere = (file: string, args: readonly string[], maxBytes: number) => Promise<Ran>;

export interface ChangesWish {
  /** A commit; else the last one. */
  readonly against?: string | undefined;
  /** `folder`: what lies around it is not to be seen by whoever runs git there. */
  readonly of: "repository" | "folder";
  /** Absolute. Nothing of it is told. */
  readonly without?: readonly string[] | undefined;
}

const MAX_BYTES = 200_000;
const LIST_BYTES = 4 * 1024 * 1024;
/** Arguments of one program; more than that are not told one by one. */
const MOST_HIDDEN = 2_000;
const MOST_NEW = 500;
const MOST_NAMES = 500;

/** As a diff, empty where nothing has. Throws where git cannot say. */
export async function changesIn(folder: string, run: RunThere, wish: ChangesWish): Promise<string> {
  const git = async (args: readonly string[], maxBytes = LIST_BYTES): Promise<Ran> => {
    const ran = await run("git", args, maxBytes);
    if (ran.code === 0) return ran;
    throw cannotSay(folder, ran);
  };
  const top = (await git([...SAFE_GIT_ARGUMENTS, "rev-parse", "--show-toplevel"])).out.replace(/\n$/, "");
  const from = wish.against ?? (await lastCommit(run, git));
  const paths = [wish.of === "folder" ? "." : ":/", ...(wish.without ?? []).flatMap((path) => without(top, path))];
  const [listed, others] = await Promise.all([
    git([...diffArguments(from, "--name-status", "-z", "--no-renames"), "--", ...paths]),
    git([...SAFE_GIT_ARGUMENTS, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", ...paths]),
  ]);
  const changed = changedIn(listed);
  const fresh = itemsOf(others);
  // A file that is there, and is deleted to git, is one that git does not get to see.
  const hidden = changed.filter(({ letter, name }) => letter === "D" && isThere(join(top, name)));
  const isTooMuch = listed.isCut || hidden.length > MOST_HIDDEN;
  const options = isTooMuch ? ["--diff-filter=d"] : [];
  const left = isTooMuch ? [] : hidden.map(({ name }) => outOf(name));
  const patch = await git([...diffArguments(from, ...options), "--", ...paths, ...left], MAX_BYTES);
  const shown = fresh.filter((name) => !name.endsWith("/")).slice(0, MOST_NEW);
  const room = patch.isCut ? 0 : MAX_BYTES - patch.out.length;
  const added = shown.length > 0 && room > 0 ? await run("sh", newFiles(top, shown), room) : undefined;
  const isBrokenOff = added?.isCut === true || added?.code === null;
  const isCut = patch.isCut || others.isCut || isBrokenOff || (room <= 0 && fresh.length > 0);
  const names = [
    ...changed.filter((one) => !hidden.includes(one)).map(({ letter, name }) => `${letter} ${name}`),
    ...fresh.map((name) => `A ${name}`),
  ];
  return [
    patch.out,
    added === undefined ? "" : added.out || added.errors,
    isTooMuch ? "[Deleted files are left out: too many files are not to be seen here.]\n" : "",
    isCut || shown.length < fresh.length
      ? `\n[The rest of the diff is left out. Changed in all:]\n${few(names)}\n`
      : "",
  ].join("");
}

/** Or nothing at all, where there is no commit yet: then everything is new. */
async function lastCommit(run: RunThere, git: (args: readonly string[]) => Promise<Ran>): Promise<string> {
  const verify = [...SAFE_GIT_ARGUMENTS, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
  if ((await run("git", verify, LIST_BYTES)).code === 0) return "HEAD";
  return (await git([...SAFE_GIT_ARGUMENTS, "hash-object", "-t", "tree", "/dev/null"])).out.trim();
}

/** Each as a diff against nothing, of binary ones only the name. In one shell: to start a program there may be dear. */
function newFiles(top: string, names: readonly string[]): string[] {
  const diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-index", "--", "/dev/null"];
  const git = ["git", "-C", top, ...SAFE_GIT_ARGUMENTS, "--no-pager", ...diff].map(quoted).join(" ");
  return ["-c", `for name do ${git} "$name"; done 2>&1`, "sh", ...names];
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

const outOf = (name: string): string => `:(top,exclude,literal)${name}`;

/** The paths of a repository without this one. */
function without(top: string, path: string): string[] {
  const name = relative(top, realPathOf(path)).split(sep).join("/");
  return name === "" || name === ".." || name.startsWith("../") ? [] : [outOf(name)];
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there: then there is nothing of it
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // in a folder that is closed to us, too
  }
}

const few = (names: readonly string[]): string =>
  [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? [`and ${names.length - MOST_NAMES} more`] : [])].join(
    "\n",
  );

function cannotSay(folder: string, { code, errors }: Ran): Error {
  const said = errors.trim().split("\n").slice(0, 3).join("; ");
  return invalidInput(`git cannot say what has changed in ${folder}: ${said === "" ? `it ended with ${code}` : said}`, {
    hint: "It must be a repository of git.",
  });
}
