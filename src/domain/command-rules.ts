// `Bash(git diff *)`, or `Bash(git diff:*)` as others write it: patterns for one simple command.
import { matchesText } from "./globs.ts";
import { ANY_TEXT, asOperands, couldMatch, firstKnown, isPartlyKnown, MORE_WORDS, splitOf } from "./partly-known.ts";

/** To let through. `x *` and `x:*` are `x` alone, too, and never `xy`. Elsewhere `*` is any text. */
export const commandFits = (spec: string, command: string): boolean =>
  patternsOf(spec).some((one) => matchesText(one, command));

function patternsOf(spec: string): string[] {
  const pattern = spec.replace(/:\*$/, " *").replace(/\s+/g, " ").trim();
  return pattern.endsWith(" *") ? [pattern, pattern.slice(0, -2)] : [pattern];
}

/**
 * To stop: whether a spec is about one of these commands. `unsure`: it might be the command that is meant, by what is
 * known only when it runs, or because an option that we do not know takes the next word or does not. A line may have
 * thousands of commands, and there are many rules: each command is spelled once.
 */
export function stopsOneOf(commands: Iterable<string>): (spec: string) => "yes" | "unsure" | "no" {
  const spellings = [...new Set(commands)].flatMap(spellingsOf).map(({ text, isSure }) => {
    const isPart = isPartlyKnown(text);
    const plain = folded(text);
    return { plain, isSure: isSure && !isPart, part: isPart ? shortened(plain) : undefined };
  });
  return (spec) => {
    const patterns = patternsOf(spec).map(folded);
    const isMeant = ({ plain, part }: (typeof spellings)[number]): boolean =>
      patterns.some((one) => (part === undefined ? matchesText(one, plain) : couldBe(one, part, plain)));
    if (spellings.some((one) => one.isSure && isMeant(one))) return "yes";
    return spellings.some((one) => !one.isSure && isMeant(one)) ? "unsure" : "no";
  };
}

const LONGEST = 1_000;

/** What is known of it behind that is not looked at: so it could be more, and takes no long time. */
const shortened = (text: string): string => (text.length > LONGEST ? text.slice(0, LONGEST) + ANY_TEXT : text);

/** What a pattern must find in what is known may stand behind what was looked at. */
function couldBe(pattern: string, part: string, plain: string): boolean {
  const known = firstKnown(pattern);
  if (couldMatch(pattern, part, known)) return true;
  const wanted = pattern.slice(0, known).replace(/^[\s*?]+/, "");
  return known > 0 && plain.length > LONGEST && plain.slice(LONGEST - known).includes(wanted);
}

interface Spelling {
  readonly text: string;
  readonly isSure: boolean;
}

/** Other ways to say the same: a program may be called by its path, and with options of its own before a subcommand. */
function spellingsOf(command: string): Spelling[] {
  const [name = "", ...rest] = wordsOf(command);
  const base = name.slice(name.lastIndexOf("/") + 1);
  const names = base === name || base === "" ? [name] : [name, base];
  return [{ text: command, isSure: true }, ...names.flatMap((one) => withoutOptions(one, rest, base))];
}

/** At blanks, but not at those in quotes; and at the mark, which needs no blank. */
const wordsOf = (command: string): string[] =>
  command.split(MORE_WORDS).flatMap((part, at) => [...(at === 0 ? [] : [MORE_WORDS]), ...(part.match(WORD) ?? [])]);
const WORD = /(?:'[^']*'|\\.|[^ '])+|'/g;

const joined = (words: readonly string[]): string => words.join(" ").replaceAll(` ${MORE_WORDS}`, MORE_WORDS);

interface GlobalOptions {
  readonly alone: RegExp;
  readonly valued: RegExp;
}

const NODE_PACKAGES: GlobalOptions = {
  alone: /^(?:-[sdqgfy]|--(?:silent|quiet|verbose|global|force|yes|dry-run|json|offline|recursive|no-[a-z-]+))$/,
  valued: /^(?:-[CwF]|--(?:prefix|workspace|loglevel|registry|tag|otp|access|cwd|dir|filter|userconfig|cache))$/,
};

const GLOBAL_OPTIONS: Readonly<Record<string, GlobalOptions>> = {
  git: {
    alone:
      /^(?:-[pP]|--(?:paginate|bare|no-pager|no-replace-objects|no-optional-locks|no-lazy-fetch|no-advice|(?:literal|glob|noglob|icase)-pathspecs))$/,
    valued: /^(?:-[cC]|--(?:git-dir|work-tree|namespace|config-env|attr-source|super-prefix))$/,
  },
  npm: NODE_PACKAGES,
  pnpm: NODE_PACKAGES,
  yarn: NODE_PACKAGES,
  bun: NODE_PACKAGES,
  docker: { alone: /^(?:-D|--debug|--tls|--tlsverify)$/, valued: /^(?:-[cHl]|--(?:config|context|host|log-level))$/ },
  kubectl: { alone: /^$/, valued: /^(?:-[ns]|--(?:namespace|context|cluster|kubeconfig|server|user|token|as))$/ },
};

const NONE_KNOWN: GlobalOptions = { alone: /^$/, valued: /^$/ };

/** The options at its beginning left out, from the first to each of them. One that is not known may take a word or not. */
function withoutOptions(name: string, words: readonly string[], base: string): Spelling[] {
  const { alone, valued } = (Object.hasOwn(GLOBAL_OPTIONS, base) ? GLOBAL_OPTIONS[base] : undefined) ?? NONE_KNOWN;
  const sure = new Map<number, boolean>([[0, true]]);
  const reach = (at: number, isSure: boolean): void => void sure.set(at, isSure || sure.get(at) === true);
  const split: Spelling[] = [];
  for (let at = 0; at < Math.min(words.length, MOST_OPTIONS); at += 1) {
    const isSure = sure.get(at);
    const word = (words[at] ?? "").replace(/['"\\]/g, ""); // `'--prefix=a b'` is an option as well
    if (isSure === undefined || !word.startsWith("-")) continue;
    const isAlone = alone.test(word) || word.includes("=") || word === "--";
    const isValued = valued.test(word);
    if (!isValued) reach(at + 1, isSure && isAlone);
    if (!isAlone) reach(at + 2, isSure && isValued);
    // `-n $x`: only the first of the words that come of it is the value.
    const behind = at + (isAlone ? 1 : 2);
    const more = splitOf(words.slice(at, behind).join(" "));
    if (more !== undefined) split.push({ text: name + more + joined(["", ...words.slice(behind)]), isSure: false });
  }
  const rest = (at: number): string => {
    const text = joined(["", ...words.slice(at)]);
    return words.slice(0, at).includes("--") ? asOperands(text) : text;
  };
  const spellings = [...split, ...[...sure].map(([at, isSure]) => ({ text: name + rest(at), isSure }))];
  const hasMore = [...sure.keys()].some((at) => at >= MOST_OPTIONS && at < words.length);
  return hasMore ? [...spellings, { text: name + MORE_WORDS, isSure: false }] : spellings;
}

/** Nobody writes as many, and each is one more way to read it. */
const MOST_OPTIONS = 20;

/** Quotes and case make no other command of it: for what is to be stopped, both are left out. */
const folded = (text: string): string => text.replace(/['"\\]/g, "").toLowerCase();
