// Code in another language that stands in the line itself: as an argument, or as what is read. It is not taken apart. Where
// it speaks of starting programs, what would run is not understood.
import { type ShellWord, startOf } from "./shell-words.ts";

interface Language {
  readonly names: RegExp;
  /** How it says that a program is to be started, or that text is to be run. */
  readonly starts: RegExp;
  /** Options that say where the code is, so that none comes by the input; or that make it run none. */
  readonly given: RegExp;
  /** Every argument is code, not only what an option says is. */
  readonly isAll?: true;
  /** A word of its own that may stand before the script: `deno run -`. */
  readonly own?: string;
  /** How many words that are no options it takes before one of them is code, or a file of it. */
  readonly before?: number;
}

/** A script that comes by such a file comes by the input: `/dev/stdin`, `/proc/self/fd/0`, also from the folder that they lie in. */
export const IS_INPUT = /(?:^|\/)(?:stdin|\d+)$|^\/[./]*(?:dev|proc)\//;

/** The next word is code; or the rest of this one. */
const CODE = /^-\w*[ceEprB]$|^--(?:eval|print|run)$|^eval$/;

const LANGUAGES: readonly Language[] = [
  {
    names: /^(?:node|nodejs|bun|deno|tsx|ts-node)$/,
    own: "run",
    given: /^-\w*[epvh]|^--(?:eval|print|run|test|version|help|v8-options)/,
    starts: /child_process|\bDeno\.(?:Command|run)|\bBun\.(?:spawn|\$)|\bexeca\b|shelljs|process\.binding/,
  },
  {
    names: /^(?:python[\d.]*|pypy[\d.]*)$/,
    given: /^-(?![WX])\w*[cmVh]|^--(?:version|help)/,
    starts:
      /\b(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*|fork|forkpty|subprocess|pty|pexpect|__import__|importlib|getattr|eval|exec|ctypes)\b/,
  },
  {
    names: /^(?:perl|ruby|php)[\d.]*$/,
    given: /^-(?![MI])\w*[eErBRFvh]|^--(?:version|help)/,
    starts:
      /\b(?:system|exec|qx|popen\w*|fork|spawn|open[23]|Open3|syscall|eval|instance_eval|shell_exec|passthru|proc_open|pcntl_exec)\b|`|%x|\bopen\b[^;]*\|/,
  },
  {
    names: /^(?:lua|luajit|tclsh|wish|Rscript|R|julia|guile)[\d.]*$/,
    given: /^-\w*[eEfFvhc]|^--(?:version|help|file)/,
    starts: /\b(?:execute|popen|exec|open|system2?|run|pipe)\b/,
  },
  {
    names: /^(?:sqlite3|duckdb)$/,
    given: /^--?(?:version|help|c$)/,
    starts: /(?:^|\n|')\s*\.(?:s[hy]|lo|(?:im|on|ou|o|e).*\|)/,
    isAll: true,
    before: 1,
  },
  {
    names: /^(?:psql|mysql|mariadb|ftp|sftp)$/,
    given: /^-\w{0,4}[cflV]$|^-[cfeV]|^--(?:command|file|list|execute|version|help)|^[^-].*:(?!\/\/)/,
    starts: /\\!|\\[go]\s*\||\bprogram\b|(?:^|\n|')\s*(?:!|system\b|pager\b)/i,
    isAll: true,
    before: Infinity,
  },
];

export const isLanguage = (name: string): boolean => LANGUAGES.some(({ names }) => names.test(name));

/** `input`: see `ShellCommand`. As it was written: what is known only later is a value. */
export function codeRuns(name: string, args: readonly ShellWord[], input: string | null): boolean {
  const language = LANGUAGES.find(({ names }) => names.test(name));
  if (language === undefined) return false;
  const texts = args.map(({ value, text }) => value ?? text);
  const starts = args.map(startOf);
  const isAll = language.isAll ?? TAKES_STATEMENTS.test(starts.join(" "));
  const code = texts.filter(
    (_, at) => isAll || starts[at]?.startsWith("-") === true || CODE.test(starts[at - 1] ?? ""),
  );
  // What comes by a pipe is not known, as it is not for a shell.
  if (comesByInput(language, args, input)) return true;
  return [input ?? "", ...code].some((text) => language.starts.test(text.replace(/^-\w*?[ceEr]/, " ")));
}

/** Modules of Python whose arguments are code. */
const TAKES_STATEMENTS = /(?:^| )-\w*m ?(?:timeit|cProfile|profile)(?: |$)/;
/** They take the next word, and it is neither a script nor code. */
const VALUED = /^(?:-[WXIC]|--(?:require|import|loader|experimental-loader|conditions|env-file|input-type))$/;

/** Code that nobody sees: no word is a script or code, or the script is what another program writes. */
function comesByInput(
  { given, isAll, own: ownWord, before = 0 }: Language,
  args: readonly ShellWord[],
  input: string | null,
): boolean {
  const starts = args.map(startOf);
  const words = starts.flatMap((start, at) => {
    const [own = "", last = ""] = [args[at]?.text, starts[at - 1]];
    const isValue = VALUED.test(last) || (last === "-r" && /^[\w@./-]+$/.test(start));
    return start === "-" || (!start.startsWith("-") && !isValue) ? [{ at, start, own }] : [];
  });
  const script = words[before + (words.length > 1 && words[0]?.start === ownWord ? 1 : 0)];
  const isGiven = starts.some((start, at) => given.test(start) && (isAll === true || at < (script?.at ?? Infinity)));
  if (isGiven) return false;
  if (script?.own.startsWith("<(") === true) return true;
  const isUnseen = isAll === true ? input === null : (input ?? "") === "";
  const isInput = script !== undefined && isAll !== true && (script.start === "-" || IS_INPUT.test(script.start));
  return isUnseen && (script === undefined || isInput);
}
