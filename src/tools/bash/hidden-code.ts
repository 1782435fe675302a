// Code in another language that stands in the line itself: as an argument, or as what is read. It is not taken apart. Where
// it speaks of starting programs, what would run is not understood.
import type { ShellWord } from "./shell-words.ts";

interface Language {
  readonly names: RegExp;
  /** How it says that a program is to be started, or that text is to be run. */
  readonly starts: RegExp;
  /** Every argument is code, not only what an option says is. */
  readonly isAll?: true;
}

/** The next word is code; or the rest of this one. */
const CODE = /^-\w*[ceEprB]$|^--(?:eval|print|run)$|^eval$/;

const LANGUAGES: readonly Language[] = [
  {
    names: /^(?:node|nodejs|bun|deno|tsx|ts-node)$/,
    starts: /child_process|\bDeno\.(?:Command|run)|\bBun\.(?:spawn|\$)|\bexeca\b|shelljs|process\.binding/,
  },
  {
    names: /^(?:python[\d.]*|pypy[\d.]*)$/,
    starts:
      /\b(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*|fork|forkpty|subprocess|pty|pexpect|__import__|importlib|getattr|eval|exec|ctypes)\b/,
  },
  {
    names: /^(?:perl|ruby|php)[\d.]*$/,
    starts:
      /\b(?:system|exec|qx|popen\w*|fork|spawn|open[23]|Open3|syscall|eval|instance_eval|shell_exec|passthru|proc_open|pcntl_exec)\b|`|%x|\bopen\b[^;]*\|/,
  },
  {
    names: /^(?:lua|luajit|tclsh|wish|Rscript|R|julia|guile)[\d.]*$/,
    starts: /\b(?:execute|popen|exec|open|system2?|run|pipe)\b/,
  },
  { names: /^(?:sqlite3|duckdb)$/, starts: /(?:^|\n|')\s*\.(?:s[hy]|lo|(?:im|on|ou|o|e).*\|)/, isAll: true },
  {
    names: /^(?:psql|mysql|mariadb|ftp|sftp)$/,
    starts: /\\!|\\[go]\s*\||\bprogram\b|(?:^|\n|')\s*(?:!|system\b|pager\b)/i,
    isAll: true,
  },
];

/** As it was written: what is known only later is a value. */
export function codeRuns(name: string, args: readonly ShellWord[], input: string): boolean {
  const language = LANGUAGES.find(({ names }) => names.test(name));
  if (language === undefined) return false;
  const texts = args.map(({ value, text }) => value ?? text);
  const code = texts.filter((text, at) => language.isAll || text.startsWith("-") || CODE.test(texts[at - 1] ?? ""));
  // What comes by a pipe is not known, as it is not for a shell.
  if (input === "" && language.isAll === undefined && texts.every((text) => text === "-")) return true;
  return [input, ...code].some((text) => language.starts.test(text.replace(/^-\w*?[ceEr]/, " ")));
}
