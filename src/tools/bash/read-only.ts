// Commands that are known to change nothing. A short list on purpose: what is not in it is not proven.
import { type GitHeldBy, isReadingGit } from "./read-only-git.ts";
import { hidesPrograms, longOption } from "./hidden-programs.ts";
import type { ShellCommand } from "./read-script.ts";
import type { ShellWord } from "./shell-words.ts";
import { isLoose } from "./wrappers.ts";

type Args = readonly ShellWord[];

/** No option of theirs writes, runs or asks the network for anything. */
const HARMLESS = new Set(
  `ls cat head tail wc stat cut nl tac rev fold paste comm cmp diff du df realpath readlink md5sum sha1sum sha256sum
  sha512sum od hexdump grep egrep fgrep column expand pwd which type true false : test [ uname whoami id nproc`.split(
    /\s+/,
  ),
);
/** They look at no file: their arguments are only text. */
const TEXT_ONLY = new Set(["echo", "tr", "seq", "basename", "dirname", "printf", "sleep"]);

const short = (args: Args, letters: string): boolean =>
  args.some(({ value }) => new RegExp(`^-[A-Za-z0-9]*[${letters}]`).test(value ?? ""));

/** The files to read stand in a file, where nobody has looked at them. */
const NAMES_FROM_A_FILE = longOption("files0-from");

const SPECIAL: Readonly<Record<string, (args: Args) => boolean>> = {
  git: () => true, // judged by what it is held by
  cd: ([folder, ...more]) => folder !== undefined && more.length === 0 && /^[^-]/.test(folder.value ?? ""),
  jq: (args) =>
    !args.some(({ value }) => /import|include|^-[A-Za-z]*[fL]/.test(value ?? "")) &&
    !args.some(longOption("from-file")),
  sed: () => true, // what these two do is looked at before
  awk: () => true,
  rg: (args) => !args.some(longOption("pre", "hostname-bin", "search-zip", "pre-glob")) && !short(args, "z"),
  sort: (args) => !args.some(longOption("output", "compress-program", "temporary-directory")) && !short(args, "oT"),
  tree: (args) => !short(args, "oR") && !args.some(longOption("output")),
  file: (args) =>
    !args.some(longOption("compile", "magic-file", "uncompress", "no-sandbox")) &&
    !short(args, "CmzZSf") &&
    !args.some(longOption("files-from")),
  uniq: (args) => args.every(({ value }) => /^-[cdDiuz]+$/.test(value ?? "")) || isOneFile(args),
  date: (args) => args.every(({ value }) => /^(?:\+.*|-u|-R|-I\w*|--utc|--iso-8601(?:=\w+)?)$/s.test(value ?? "")),
  find: (args) => args.every(({ value }) => !(value ?? "").startsWith("-") || FIND.test(value ?? "")),
};

const isOneFile = (args: Args): boolean =>
  args.slice(0, -1).every(({ value }) => /^-[cdDiuz]+$/.test(value ?? "")) &&
  !(args.at(-1)?.value ?? "-").startsWith("-");

const FIND =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|regextype|type|size|mtime|mmin|atime|amin|ctime|cmin|newer|maxdepth|mindepth|depth|prune|print|print0|printf|ls|empty|not|and|or|a|o|perm|user|group|readable|writable|executable|quit|xdev|mount|follow|links|true|false|[HLP]|\d+.*)$/;

export function isReadingCommand(
  { words, assignments, redirections }: ShellCommand,
  root: string,
  git: GitHeldBy,
): boolean {
  const [first, ...args] = words;
  const name = first?.value ?? null;
  if (name === null || assignments.length > 0 || redirections.length > 0) return false;
  if (!args.every(isPlain) || hidesPrograms(name, args)) return false;
  if (TEXT_ONLY.has(name)) return args.every(({ value }) => value !== null);
  if (name === "git" && !isReadingGit(args, git)) return false;
  const judge = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  if (judge === undefined ? !HARMLESS.has(name) : !judge(args)) return false;
  if (args.some(NAMES_FROM_A_FILE)) return false;
  return pathsOf(name, args).every((text) => stays(text, root));
}

/** Known to the letter; or a pattern for files that cannot become an option or the folder above. */
function isPlain(word: ShellWord): boolean {
  const { value, isGlob, text } = word;
  if (value !== null) return true;
  if (!isGlob || isLoose(word) || !/^[A-Za-z0-9_./*?[\]=-]+$/.test(text)) return false;
  return text.split(/[/=]/).every((part) => part === "." || !part.startsWith("."));
}

const SEARCHES = new Set(["grep", "egrep", "fgrep", "rg"]);

/** Of a search the first word that is no option is what is looked for; unless that is said by an option. */
function pathsOf(name: string, args: Args): string[] {
  const texts = args.map(({ value, text }) => value ?? text);
  if (name === "sed" || name === "awk" || name === "jq") {
    const script = texts.findIndex((text) => !text.startsWith("-"));
    return name === "jq" || !texts.some((text) => /^-[eFv]$/.test(text))
      ? texts.toSpliced(script, script === -1 ? 0 : 1)
      : texts;
  }
  if (
    !SEARCHES.has(name) ||
    texts.some((text) => /^-[A-Za-z]*[ef]|^--(?:re|fi)/.test(text) && text !== "--files-with-matches")
  )
    return texts;
  const pattern = texts.findIndex((text) => !text.startsWith("-"));
  return texts.toSpliced(pattern, pattern === -1 ? 0 : 1);
}

/** Whether a word, or what an option in it is given, lies below the workspace. Links are not followed here. */
function stays(text: string, root: string): boolean {
  if (text.split(/[/=:,]/).includes("..")) return false;
  const paths = [text, text.replace(/^--?[^/=]*=?/, "")];
  return paths.every(
    (path) => !path.startsWith("/") || path === "/dev/null" || path === root || path.startsWith(`${root}/`),
  );
}
