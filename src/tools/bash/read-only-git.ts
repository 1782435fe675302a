// The parts of git that only look.
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

export function isReadingGit(args: Args): boolean {
  const at = args.findIndex(({ value }) => !/^(?:--no-pager|-P|--no-optional-locks)$/.test(value ?? ""));
  const [sub, ...rest] = at === -1 ? [] : args.slice(at);
  const judge =
    sub?.value !== undefined && sub.value !== null && Object.hasOwn(LOOKS, sub.value) ? LOOKS[sub.value] : undefined;
  if (judge === undefined || !judge(rest)) return false;
  if (sub?.value === "grep" && rest.some(({ value }) => /^-[A-Za-z]*O/.test(value ?? ""))) return false;
  return !rest.some((word) => ACTS(word) || (word.value ?? "").includes("%G"));
}
