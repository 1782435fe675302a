// The parts of git that only look, and what has to hold so that no program that a repository names is run by them.
import { looksWithout } from "./git-without-programs.ts";
import { isReadingConfig, longOption } from "./hidden-programs.ts";
import type { ShellWord } from "./shell-words.ts";

type Args = readonly ShellWord[];
type Judge = (args: Args) => boolean;

const ALWAYS: Judge = () => true;
const every =
  (pattern: RegExp): Judge =>
  (args) =>
    args.every(({ value }) => pattern.test(value ?? ""));
const first =
  (pattern: RegExp): Judge =>
  ([word]) =>
    pattern.test(word?.value ?? "");

const LOOKS: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(
    `status diff log show blame annotate ls-files ls-tree rev-parse rev-list describe shortlog cat-file diff-tree
    diff-index diff-files merge-base name-rev for-each-ref show-ref count-objects grep whatchanged cherry range-diff
    check-ignore check-attr version`
      .split(/\s+/)
      .map((sub) => [sub, ALWAYS]),
  ),
  // Without an option that lists, a name makes a new one.
  branch: every(
    /^(?:-[avr]+|-vv|--all|--remotes|--verbose|--show-current|--no-color|--no-column|--(?:merged|no-merged|contains|sort|format|list)(?:=.*)?)$/,
  ),
  tag: (args) =>
    args.length === 0 ||
    (first(/^(?:-l|--list)$/)(args) &&
      every(/^(?:-l|--list|-n\d*|--(?:sort|format|merged|contains)(?:=.*)?|[^-].*)$/)(args)),
  remote: (args) => args.length === 0 || every(/^(?:-v|--verbose)$/)(args) || first(/^get-url$/)(args),
  stash: first(/^(?:list|show)$/),
  worktree: first(/^list$/),
  reflog: (args) => args.length === 0 || first(/^(?:show|-.*)$/)(args),
  config: (args) => isReadingConfig("config", args),
};

/** They write a file, run a program of the configuration, or verify by one. */
const ACTS = longOption(
  "output",
  "ext-diff",
  "textconv",
  "exec",
  "open-files-in-pager",
  "show-signature",
  "filters",
  "upload-pack",
  "expire",
  "delete",
  "git-dir",
  "work-tree",
);

/**
 * What keeps git from running programs that the configuration of a repository names: the operating system holds them
 * like any other; our environment switches off most (see `shell-environment.ts`); or nothing, where somebody else
 * starts it.
 */
export type GitHeldBy = "os" | "environment" | "nothing";

export function isReadingGit(args: Args, heldBy: GitHeldBy): boolean {
  if (!looks(args)) return false;
  return heldBy === "os" || (heldBy === "environment" && looksWithout(...subcommandOf(args)).ok);
}

/** Why that is not proven of something that would be if it were confined. For a model. */
export function whyNotReadingGit(args: Args, heldBy: GitHeldBy): string | undefined {
  if (heldBy === "os" || isReadingGit(args, heldBy)) return undefined;
  const found = looksWithout(...subcommandOf(args));
  const why = "git may run programs that the repository's configuration names, and nothing confines them here";
  return heldBy === "nothing" || found.ok ? why : `${why}: ${found.instead}`;
}

function subcommandOf(args: Args): readonly [string, Args] {
  const at = args.findIndex(({ value }) => !isGlobal(value));
  return [args[at]?.value ?? "", at === -1 ? [] : args.slice(at + 1)];
}

const isGlobal = (value: string | null): boolean => /^(?:--no-pager|-P|--no-optional-locks)$/.test(value ?? "");

function looks(args: Args): boolean {
  const [sub, rest] = subcommandOf(args);
  const judge = Object.hasOwn(LOOKS, sub) ? LOOKS[sub] : undefined;
  if (judge === undefined || !judge(rest)) return false;
  if (sub === "grep" && rest.some(({ value }) => /^-[A-Za-z]*O/.test(value ?? ""))) return false;
  return !rest.some((word) => ACTS(word) || (word.value ?? "").includes("%G"));
}
