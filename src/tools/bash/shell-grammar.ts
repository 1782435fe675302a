// What a line for the shell would run, as rules and modes want to know it.
import { ANY_TEXT, MORE_WORDS } from "../../domain/partly-known.ts";
import { hidesPrograms } from "./hidden-programs.ts";
import { type GitHeldBy, whyNotReadingGit } from "./read-only-git.ts";
import { isReadingCommand } from "./read-only.ts";
import { readScript, type ShellCommand, type ShellScript } from "./read-script.ts";
import type { ShellWord } from "./shell-words.ts";
import { baseName, startedBy, unwrap } from "./wrappers.ts";

export interface Understood {
  /**
   * Every simple command, with its words as they would be typed. What stands behind a wrapper or an assignment is
   * listed by itself, too, and so is every file that is opened by a redirection, as `> file`. Null: not all of it is
   * understood.
   */
  readonly commands: readonly string[] | null;
  /** What may be run beside that, as far as it is known: see `partly-known.ts`. For rules that stop something. */
  readonly mayRun?: readonly string[];
  /** Proven to change nothing, and to read only below the workspace, as far as names can tell. */
  readonly isReadOnly: boolean;
  /** Why it is not proven although it looks like it, and what would be. */
  readonly unproven?: string;
}

const NOT_UNDERSTOOD: Understood = { commands: null, isReadOnly: false };

/** `root` is the workspace, absolute. */
export function understand(source: string, root: string, git: GitHeldBy = "nothing"): Understood {
  const script = readScript(source);
  if (script === null) return NOT_UNDERSTOOD;
  const listed = listAll(script, 0);
  const commands = listed?.flatMap(({ text }) => (text === null ? [] : [text]));
  if (listed === null || commands === undefined || commands.length === 0) return NOT_UNDERSTOOD;
  const mayRun = new Set(listed.flatMap(({ text, shape }) => (shape === text ? [] : [shape])));
  const isReadOnly = readsOnly(script, root, git);
  const unproven = !isReadOnly && readsOnly(script, root, "os") ? whyNotReading(script, git) : undefined;
  return {
    commands,
    ...(mayRun.size === 0 ? {} : { mayRun: [...mayRun] }),
    isReadOnly,
    ...(unproven === undefined ? {} : { unproven }),
  };
}

const readsOnly = ({ isPlain, commands }: ShellScript, root: string, git: GitHeldBy): boolean =>
  isPlain && commands.every((one) => isReadingCommand(one, root, git));

/** Only git depends on what it is held by. */
const whyNotReading = ({ commands }: ShellScript, git: GitHeldBy): string | undefined =>
  commands
    .filter(({ words }) => words[0]?.value === "git")
    .map(({ words }) => whyNotReadingGit(words.slice(1), git))
    .find((why) => why !== undefined);

const DEEPEST = 5;

/** `text`: as it would be typed; null where it is only for rules that stop. `shape`: all that it can be. */
interface Listed {
  readonly text: string | null;
  readonly shape: string;
}

function listAll({ commands }: ShellScript, depth: number): Listed[] | null {
  const lists = commands.map((command) => listOne(command, depth));
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : known.flat();
}

const typed = (words: readonly ShellWord[]): Listed => ({
  text: words.map(({ text }) => text).join(" "),
  shape: shapeOf(words),
});

const shapeOf = (words: readonly ShellWord[]): string =>
  words.map(({ shape }, at) => (at === 0 || shape === MORE_WORDS ? shape : ` ${shape}`)).join("");

function listOne({ words, assignments, redirections }: ShellCommand, depth: number): Listed[] | null {
  const files = redirections.map(({ operator, target: { text, shape } }) => ({
    text: `${operator} ${text}`,
    shape: `${operator} ${shape === MORE_WORDS ? ANY_TEXT : shape}`, // several would be an error
  }));
  if (words.length === 0) return [...assignments.map((one) => typed([one])), ...files];
  const inner = listWords(words, depth);
  if (inner === null) return null;
  const whole = assignments.length === 0 ? [] : [typed([...assignments, ...words])];
  return [...whole, ...inner, ...files];
}

/** A name that is none of these is dynamic, or meant to be overlooked. */
const NAME = /^(?:\[|:|[A-Za-z0-9_.+@%/-]+)$/;
const SHELLS = new Set(["bash", "sh", "dash"]);

function listWords(words: readonly ShellWord[], depth: number): Listed[] | null {
  const [first, ...args] = words;
  const value = first?.value ?? null;
  if (value === null || !NAME.test(value) || depth > DEEPEST) return null;
  const name = baseName(value);
  if (hidesPrograms(name, args)) return null;
  if (SHELLS.has(name)) return withInner(typed(words), listShell(args, depth));
  const wrapped = unwrap(name, args);
  if (wrapped === undefined || wrapped === "none") {
    const started = startedBy(name, args).map((inner) => ({ text: null, shape: shapeOf(inner) }));
    return [typed(words), ...started];
  }
  const inner = wrapped === null ? null : listWords(wrapped, depth + 1);
  // What comes by the input stands behind the rest.
  const whole = name === "xargs" ? inner?.map(({ text, shape }) => ({ text, shape: shape + MORE_WORDS })) : inner;
  return withInner(typed(words), whole ?? null);
}

const withInner = (outer: Listed, inner: Listed[] | null): Listed[] | null =>
  inner === null ? null : [outer, ...inner];

/** `bash -c 'text'` is looked into. A script in a file is that file; one that comes by the input is not known. */
function listShell(args: readonly ShellWord[], depth: number): Listed[] | null {
  const at = args.findIndex(
    ({ value }) => value === null || !/^(?:-[eux]+|--norc|--noprofile|-o|pipefail)$/.test(value),
  );
  const option = args[at]?.value ?? null;
  if (option === null) return null;
  if (!option.startsWith("-")) return [];
  if (!/^-[eux]*c$/.test(option)) return null;
  const text = args[at + 1]?.value ?? null;
  // Behind `-c` there may be more options: the text is what comes after them.
  const script = text === null || /^[-+]/.test(text) ? null : readScript(text);
  return script === null ? null : listAll(script, depth + 1);
}
