// What a line for the shell would run, as rules and modes want to know it.
import { hidesPrograms } from "./hidden-programs.ts";
import { isReadingCommand } from "./read-only.ts";
import { readScript, type ShellCommand, type ShellScript } from "./read-script.ts";
import type { ShellWord } from "./shell-words.ts";
import { baseName, unwrap } from "./wrappers.ts";

export interface Understood {
  /**
   * Every simple command, with its words as they would be typed. What stands behind a wrapper or an assignment is
   * listed by itself, too, and so is every file that is opened by a redirection, as `> file`. Null: not all of it is
   * understood.
   */
  readonly commands: readonly string[] | null;
  /** Proven to change nothing, and to read only below the workspace, as far as names can tell. */
  readonly isReadOnly: boolean;
}

const NOT_UNDERSTOOD: Understood = { commands: null, isReadOnly: false };

/** `root` is the workspace, absolute. */
export function understand(source: string, root: string): Understood {
  const script = readScript(source);
  if (script === null) return NOT_UNDERSTOOD;
  const commands = listAll(script, 0);
  if (commands === null || commands.length === 0) return NOT_UNDERSTOOD;
  return { commands, isReadOnly: script.isPlain && script.commands.every((one) => isReadingCommand(one, root)) };
}

const DEEPEST = 5;

function listAll({ commands }: ShellScript, depth: number): string[] | null {
  const lists = commands.map((command) => listOne(command, depth));
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : known.flat();
}

const typed = (words: readonly ShellWord[]): string => words.map(({ text }) => text).join(" ");

function listOne({ words, assignments, redirections }: ShellCommand, depth: number): string[] | null {
  const files = redirections.map(({ operator, target }) => `${operator} ${target.text}`);
  if (words.length === 0) return [...assignments.map(({ text }) => text), ...files];
  const inner = listWords(words, depth);
  if (inner === null) return null;
  const whole = assignments.length === 0 ? [] : [typed([...assignments, ...words])];
  return [...whole, ...inner, ...files];
}

/** A name that is none of these is dynamic, or meant to be overlooked. */
const NAME = /^(?:\[|:|[A-Za-z0-9_.+@%/-]+)$/;
const SHELLS = new Set(["bash", "sh", "dash"]);

function listWords(words: readonly ShellWord[], depth: number): string[] | null {
  const [first, ...args] = words;
  const value = first?.value ?? null;
  if (value === null || !NAME.test(value) || depth > DEEPEST) return null;
  const name = baseName(value);
  if (hidesPrograms(name, args)) return null;
  if (SHELLS.has(name)) return withInner(typed(words), listShell(args, depth));
  const wrapped = unwrap(name, args);
  if (wrapped === undefined || wrapped === "none") return [typed(words)];
  return withInner(typed(words), wrapped === null ? null : listWords(wrapped, depth + 1));
}

const withInner = (outer: string, inner: string[] | null): string[] | null =>
  inner === null ? null : [outer, ...inner];

/** `bash -c 'text'` is looked into. A script in a file is that file; one that comes by the input is not known. */
function listShell(args: readonly ShellWord[], depth: number): string[] | null {
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
