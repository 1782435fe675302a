// What a line for the shell would run, as rules and modes want to know it.
import { ANY_TEXT, MORE_WORDS, withVariables } from "../../domain/partly-known.ts";
import type { RuleSide } from "../../domain/tool-rules.ts";
import { IS_INPUT } from "./hidden-code.ts";
import { asMeant, hidesPrograms } from "./hidden-programs.ts";
import { type GitHeldBy, whyNotReadingGit } from "./read-only-git.ts";
import { isReadingCommand } from "./read-only.ts";
import { readScript, type ShellCommand, type ShellScript } from "./read-script.ts";
import { type ShellWord, typedOut } from "./shell-words.ts";
import { programName, replacesWords, type Started, startedBy, unwrap } from "./wrappers.ts";

export interface Understood {
  /**
   * Every simple command, with its words as they would be typed. What stands behind a wrapper or an assignment is
   * listed by itself, too, and so is every file that is opened by a redirection, as `> file`. Null: not all of it is
   * understood.
   */
  readonly commands: readonly string[] | null;
  /**
   * What may be run beside that, as far as it is known: see `partly-known.ts`. For rules that stop something. Where
   * `commands` is null, it is all that may be run: the line is not proven to be only that, but people write such lines
   * every day, and nobody should be asked about them because of a rule about something else.
   */
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
  const listed = script === null ? null : listAll(script, 0, "pass");
  if (script === null || listed === null) return asUsual(source);
  const commands = listed.flatMap(({ text }) => (text === null ? [] : [text]));
  if (commands.length === 0) return NOT_UNDERSTOOD;
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

function asUsual(source: string): Understood {
  const script = readScript(source, "stop");
  const listed = script === null ? null : listAll(script, 0, "stop");
  if (listed === null || listed.length === 0) return NOT_UNDERSTOOD;
  return { ...NOT_UNDERSTOOD, mayRun: [...new Set(listed.map(({ shape }) => shape))] };
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

function listAll({ commands }: ShellScript, depth: number, side: RuleSide): Listed[] | null {
  const lists = commands.map((command) => listOne(command, depth, side));
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : known.flat();
}

const typed = (words: readonly ShellWord[]): Listed => ({
  text: words.map(({ text }) => text).join(" "),
  shape: shapeOf(words),
});

const shapeOf = (words: readonly ShellWord[]): string =>
  typedOut(words)
    .map(({ shape }, at) => (at === 0 || shape === MORE_WORDS ? shape : ` ${shape}`))
    .join("");

function listOne(
  { words, assignments, redirections, input }: ShellCommand,
  depth: number,
  side: RuleSide,
): Listed[] | null {
  const files = redirections.map(({ operator, target }) => {
    const [one, ...more] = typedOut([target]);
    const isOne = one !== undefined && more.length === 0 && one.shape !== MORE_WORDS; // several would be an error
    return { text: `${operator} ${target.text}`, shape: `${operator} ${isOne ? one.shape : ANY_TEXT}` };
  });
  if (words.length === 0) return [...assignments.map((one) => typed([one])), ...files];
  const inner = listWords(words, { depth, side, input });
  if (inner === null) return null;
  const whole = assignments.length === 0 ? [] : [typed([...assignments, ...words])];
  return [...whole, ...inner, ...files];
}

/** A name that is none of these is dynamic, or meant to be overlooked. */
const NAME = /^(?:\[|:|[A-Za-z0-9_.+@%/-]+)$/;
const SHELLS = new Set(["bash", "sh", "dash"]);

interface Place {
  readonly depth: number;
  readonly side: RuleSide;
  readonly input: string | null;
}

function listWords(words: readonly ShellWord[], place: Place): Listed[] | null {
  const { depth, side, input } = place;
  const [first, ...written] = words;
  const value = first?.value ?? null;
  if (value === null || !NAME.test(value) || depth > DEEPEST) return null;
  const name = programName(value);
  // To let it through, only what is written counts.
  const args = side === "pass" ? written : typedOut(written);
  const meant = side === "pass" ? args : args.map(asMeant);
  if (side === "stop" && name === "trap") return withInner(typed(words), listTrap(args, place));
  if (hidesPrograms(name, meant, side, input)) return null;
  if (name === "source" || name === ".") {
    const file = typeof args[0]?.value === "string" ? [{ text: null, shape: shapeOf(args) }] : [];
    return [typed(words), ...file];
  }
  if (SHELLS.has(name)) return withInner(typed(words), listShell(name, args, place));
  if (name === "ssh") return withInner(typed(words), listRemote(typedOut(args), place));
  const wrapped = unwrap(name, meant, side);
  if (wrapped === undefined || wrapped === "none")
    return [typed(words), ...startedBy(name, typedOut(args)).flatMap((one) => listStarted(one, place))];
  const inner = wrapped === null ? null : listWords(wrapped, { ...place, depth: depth + 1 });
  // What comes by the input stands behind the rest.
  const isLonger = (name === "xargs" && !replacesWords(args)) || name === "fd" || name === "fdfind";
  const whole = isLonger ? inner?.map(({ text, shape }) => ({ text, shape: shape + MORE_WORDS })) : inner;
  return withInner(typed(words), whole ?? null);
}

/**
 * For rules that stop. What is not understood may be any command, too, where it is the program for sure; of what is one guess of
 * many, each with guesses of its own, fewer are looked into.
 */
function listStarted({ words, isSure }: Started, { depth, input }: Place): Listed[] {
  const inner = listWords(words, { depth: depth + (isSure ? 1 : 2), side: "stop", input });
  const shapes = inner?.map(({ shape }) => shape) ?? [shapeOf(words), ...(isSure ? [ANY_TEXT] : [])];
  return shapes.map((shape) => ({ text: null, shape }));
}

const withInner = (outer: Listed, inner: Listed[] | null): Listed[] | null =>
  inner === null ? null : [outer, ...inner];

/** `bash -c 'text'` is looked into. A script in a file is that file; one that comes by the input is not known. */
function listShell(name: string, args: readonly ShellWord[], place: Place): Listed[] | null {
  let at = 0;
  for (; at < args.length; at += 1) {
    const value = args[at]?.value ?? null;
    if (value === null || !/^(?:[-+][euxl]+|--norc|--noprofile|--login|[-+]o)$/.test(value)) break;
    if (/^[-+]o$/.test(value) && !/^[a-z]+$/.test(args[(at += 1)]?.value ?? "")) return null;
  }
  const option = args[at]?.value ?? null;
  if (option === null) return null;
  if (!/^[-+]/.test(option)) return IS_INPUT.test(option) ? null : [];
  if (!/^-[euxl]*c$/.test(option)) return null;
  const text = args[at + 1]?.value ?? null;
  // Behind `-c` there may be more options: the text is what comes after them.
  return text === null || /^[-+]/.test(text) ? null : listText(text, place, name !== "bash");
}

/** Variables of the line may come into it by the environment: it is read strictly. */
function listText(
  text: string,
  { depth, side }: Pick<Place, "depth" | "side">,
  isForAnyShell = false,
): Listed[] | null {
  const script = readScript(text, "pass", isForAnyShell);
  return script === null ? null : listAll(script, depth + 1, side);
}

/** `trap 'text' EXIT`. */
function listTrap([text, ...signals]: readonly ShellWord[], place: Place): Listed[] | null {
  if (text?.value === undefined || text.value === null || !signals.every(({ value }) => /^\w+$/.test(value ?? "")))
    return null;
  if (text.value === "" || text.value === "-") return [];
  return text.value.startsWith("-") ? null : listText(text.value, place); // behind `--` it is the next word
}

/** Takes the next word. */
const SSH_VALUED = /^-[A-Za-z0-9]*[BbcDEeFIiJLlmOopQRSWw]$/;

/** What is run on the other side is for rules that stop: to let it through, a rule for `ssh` is enough. */
function listRemote(args: readonly ShellWord[], { depth }: Place): Listed[] | null {
  const pastOptions = (from: number): number => {
    let at = from;
    while (/^-./.test(args[at]?.value ?? "")) {
      if (args[at]?.value === "--") return at + 1;
      at += SSH_VALUED.test(args[at]?.value ?? "") ? 2 : 1;
    }
    return at;
  };
  const words = args.slice(pastOptions(pastOptions(0) + 1)); // they may stand behind the host, too
  if (words.length === 0) return [];
  const script = words.map(({ value, shape }) => value ?? withVariables(shape)).join(" ");
  const inner = listText(script, { depth, side: "stop" });
  if (inner === null) return null;
  return inner.flatMap(({ text, shape }) => [text ?? shape, shape]).map((shape) => ({ text: null, shape }));
}
