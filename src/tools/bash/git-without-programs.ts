// Git without a confinement: which of its commands run nothing that a repository names, with the environment that
// `shell-environment.ts` gives them. What that cannot switch off is told to git by options: programs that compare
// (`diff.external`, `diff.*.command`) and that make text of files (`diff.*.textconv`). Filters (`filter.*.clean`) can
// only be switched off by their names, as our own gits do (`platform/safe-git.ts`), and which repository a line for the
// shell ends up in is not known before. They run wherever files of the working tree are compared.
import { longOption } from "./hidden-programs.ts";
import type { ShellWord } from "./shell-words.ts";

type Args = readonly ShellWord[];

export type WithoutPrograms =
  | { readonly ok: true }
  /** What to write instead. */
  | { readonly ok: false; readonly instead: string };

type Look = readonly [judge: (texts: readonly string[], args: Args) => boolean, instead: string];

const FLAGS = ["--no-ext-diff", "--no-textconv"] as const;
const ADD = `put ${FLAGS.join(" ")} right behind the subcommand`;
const COMMITTED = `compare what is committed or staged, as in \`git diff ${FLAGS.join(" ")} --cached\` or \`git diff ${FLAGS.join(" ")} HEAD~1 HEAD --\``;
const isOption = (text: string): boolean => text.startsWith("-");
const ALWAYS: Look = [() => true, ""];

/** Options that take no other word, and print no more than names and numbers. */
const NUMBERS = /^--(?:stat|shortstat|numstat|name-only|name-status|raw|summary|no-patch)(?:=.*)?$|^-s$/s;
const PLAIN = new RegExp(
  `^(?:-\\d+|-n\\d+|-[isgzrEFPMC]|--(?:oneline|graph|all|branches|tags|remotes|decorate|no-decorate|merges|no-merges|${[
    "first-parent|reverse|follow|date-order|topo-order|author-date-order|abbrev|abbrev-commit|no-abbrev-commit|no-color",
    "color|full-history|simplify-merges|ancestry-path|boundary|left-right|left-only|right-only|cherry-pick|cherry-mark",
    "all-match|invert-grep|regexp-ignore-case|extended-regexp|fixed-strings|perl-regexp|pretty|relative-date|no-notes",
    "no-renames|find-renames|walk-reflogs|source|parents|children|no-ext-diff|no-textconv|root|no-commit-id",
    "simplify-by-decoration|full-index|exit-code|ignore-submodules",
  ].join(
    "|",
  )})(?:=.*)?|--(?:format|date|since|after|until|before|author|committer|grep|max-count|skip|encoding|diff-filter)=.*)$`,
  "s",
);
/** Take the next word, too: where nothing depends on that. */
const VALUED = /^--(?:date|since|after|until|before|author|committer|grep|max-count|skip)$/;

const prints = (text: string): boolean => NUMBERS.test(text) || PLAIN.test(text);

/** Of what shows differences, these take no other word either. */
const SHAPES =
  /^(?:-[pubwRacmWD]|-[UMC]\d+%?|--(?:patch|cc|patch-with-stat|binary|word-diff|minimal|patience|histogram|ignore-all-space|ignore-space-change|ignore-space-at-eol|ignore-blank-lines|function-context|no-prefix|text|check|cached|staged|merge-base|no-indent-heuristic|color-moved|unified)(?:=.*)?)$/s;
const isWhole = (text: string): boolean => !isOption(text) || (text !== "--" && (prints(text) || SHAPES.test(text)));

/** Both are there before any word that could take one of them for itself. */
function hasFlags(texts: readonly string[], flags: readonly string[] = FLAGS): boolean {
  const loose = texts.findIndex((text) => !isWhole(text));
  const sure = loose === -1 ? texts : texts.slice(0, loose);
  return flags.every((flag) => sure.includes(flag));
}

/** They run a merge, another git in a submodule, or a command about other repositories. */
const REACHES_FURTHER = longOption("remerge-diff", "diff-merges", "submodule", "alternate-refs", "recurse-submodules");

const history: Look = [
  (texts) =>
    hasFlags(texts) || texts.every((text) => !isOption(text) || text === "--" || prints(text) || VALUED.test(text)),
  ADD,
];

/** Of a commit it shows the difference unless it is told otherwise; and a word that looks like a commit may be a file. */
const show: Look = [
  (texts) =>
    hasFlags(texts) ||
    (texts.every((text) => !isOption(text) || prints(text)) && texts.some((text) => NUMBERS.test(text))),
  ADD,
];

/** Of two commits, or of what is staged: with `--` behind them, words before it cannot be files. */
const diff: Look = [
  (texts) => {
    const end = texts.indexOf("--");
    const before = end === -1 ? texts : texts.slice(0, end);
    if (!before.every(isWhole) || !hasFlags(before)) return false;
    if (before.some((text) => text === "--cached" || text === "--staged")) return true;
    const named = before.filter((text) => !isOption(text));
    return end !== -1 && (named.length === 2 || (named.length === 1 && /[^.]\.{2,3}[^.]/.test(named[0] ?? "")));
  },
  COMMITTED,
];

const BLAME_OPTION =
  /^(?:--no-textconv|-L\d+,[+-]?\d+|-[wslefntcpMC]+|--(?:line-)?porcelain|--show-(?:name|email|number)|--(?:date|abbrev)=.*)$/;

/** Of `HEAD`: without a commit it is the file of the working tree. */
const blame: Look = [
  (texts) => {
    const end = texts.indexOf("--");
    const before = texts.slice(0, Math.max(end, 0)).filter((text, at, all) => {
      const isRange = (place: number) => all[place] === "-L" && /^\d+,[+-]?\d+$/.test(all[place + 1] ?? "");
      return !isRange(at) && !isRange(at - 1);
    });
    const named = before.filter((text) => !BLAME_OPTION.test(text));
    return before.includes("--no-textconv") && named.length === 1 && named[0] === "HEAD";
  },
  "write `git blame --no-textconv HEAD -- <file>`",
];

const without =
  (options: RegExp, ...names: readonly string[]): Look[0] =>
  (texts, args) =>
    !texts.some((text) => options.test(text)) && !args.some(longOption(...names));

const LOOKS: Readonly<Record<string, Look>> = {
  ...Object.fromEntries(
    `ls-tree rev-parse rev-list merge-base name-rev for-each-ref show-ref count-objects grep check-ignore check-attr
    version branch tag remote worktree config cat-file cherry`
      .split(/\s+/)
      .map((sub) => [sub, ALWAYS]),
  ),
  log: history,
  reflog: history,
  shortlog: [
    (texts) => texts.every((text) => !isOption(text) || prints(text) || /^-[sne]+$/.test(text)),
    "leave out other options",
  ],
  "diff-tree": history,
  show,
  diff,
  "diff-index": diff,
  blame,
  annotate: blame,
  stash: [([sub, ...rest]) => (sub === "list" ? history[0](rest, []) : hasFlags(rest)), ADD],
  describe: [without(/^$/, "dirty", "broken"), "leave out --dirty and --broken"],
  "ls-files": [without(/^-[A-Za-z]*[mf]/, "modified"), "leave out -m"],
};

const NOTHING: Look = [() => false, `${COMMITTED}; \`git ls-files -o --exclude-standard\` lists new files`];

export function looksWithout(sub: string, args: Args): WithoutPrograms {
  const [judge, instead] = (Object.hasOwn(LOOKS, sub) ? LOOKS[sub] : undefined) ?? NOTHING;
  if (args.some(REACHES_FURTHER))
    return { ok: false, instead: "leave out options about submodules, merges and other repositories" };
  // A pattern for files is none of the options that count here.
  const words = args.map(({ value, text }) => value ?? text);
  const texts = words.flatMap((word, at) => {
    if (word === "-n" && /^\d+$/.test(words[at + 1] ?? "")) return [`-n${words[at + 1]}`];
    return words[at - 1] === "-n" && /^\d+$/.test(word) ? [] : [word];
  });
  return judge(texts, args) ? { ok: true } : { ok: false, instead };
}
