// Programs whose arguments are another program to run. What they run is looked at as if it stood by itself.
import { MORE_OPERANDS, OPERAND } from "../../domain/partly-known.ts";
import { CHANGES_WHAT_RUNS } from "./read-script.ts";
import type { ShellWord } from "./shell-words.ts";

/** `none`: this time it starts nothing. `null`: not understood. */
export type Wrapped = readonly ShellWord[] | "none" | null;

interface Wrapper {
  /** Options that stand alone, as a pattern for the whole word. */
  readonly flags: RegExp;
  /** Options that take the next word. */
  readonly valued?: RegExp;
  /** How many words stand before the command: the duration of `timeout`. */
  readonly leading?: number;
  /** `NAME=value` may stand before the command. */
  readonly assigns?: true;
  /** Without a command: it does nothing of interest, or it is unclear what. */
  readonly alone: "none" | null;
  /** With one of these it starts nothing. */
  readonly quiet?: RegExp;
}

const NONE = /^$/;

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { flags: /^(?:-i|-|-0|--ignore-environment|--unset=\w+|-u\w+)$/, valued: /^-u$/, assigns: true, alone: "none" },
  timeout: {
    flags: /^(?:--foreground|--preserve-status|-v|--verbose|--signal=\w+|--kill-after=[\w.]+|-[ks][\w.]+)$/,
    valued: /^-[ks]$/,
    leading: 1,
    alone: null,
  },
  nice: { flags: /^(?:-n-?\d+|--adjustment=-?\d+|-\d+)$/, valued: /^-n$/, alone: "none" },
  ionice: { flags: /^(?:-t|-[cn]\d)$/, valued: /^-[cn]$/, alone: null },
  nohup: { flags: NONE, alone: null },
  setsid: { flags: /^(?:-[fwc]+|--fork|--wait|--ctty)$/, alone: null },
  stdbuf: { flags: /^(?:-[ioe](?:L|\d+)|--(?:input|output|error)=(?:L|\d+))$/, valued: /^-[ioe]$/, alone: null },
  time: { flags: /^-[pv]+$/, alone: null },
  command: { flags: /^-p$/, alone: "none", quiet: /^-[vV]$/ },
  builtin: { flags: NONE, alone: "none" },
  exec: { flags: /^-[cl]+$/, alone: "none" },
  sudo: { flags: /^-[nEHSk]+$/, valued: /^-[ug]$/, assigns: true, alone: null },
  doas: { flags: /^-n$/, valued: /^-u$/, alone: null },
  busybox: { flags: NONE, alone: "none" },
  toybox: { flags: NONE, alone: "none" },
};

export function unwrap(name: string, args: readonly ShellWord[]): Wrapped | undefined {
  if (name === "xargs") return unwrapXargs(args);
  if (name === "find") return unwrapFind(args);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper === undefined ? undefined : skip(wrapper, args);
}

function skip(wrapper: Wrapper, args: readonly ShellWord[]): Wrapped {
  let leading = wrapper.leading ?? 0;
  for (let at = 0; at < args.length; at += 1) {
    const value = args[at]?.value ?? null;
    if (value === null) return null;
    if (value === "--") {
      const rest = args.slice(at + 1 + leading);
      return rest.length === 0 ? null : rest;
    }
    if (wrapper.quiet?.test(value) === true) return "none";
    if (wrapper.flags.test(value)) continue;
    if (wrapper.valued?.test(value) === true) at += 1;
    else if (value.startsWith("-")) return null;
    else if (wrapper.assigns === true && /^\w+=/.test(value)) {
      if (CHANGES_WHAT_RUNS.test(value.slice(0, value.indexOf("=")))) return null;
    } else if (leading > 0) leading -= 1;
    else return args.slice(at);
  }
  return wrapper.alone;
}

const XARGS: Wrapper = {
  flags: /^(?:-[0rtx]+|--null|--no-run-if-empty|--verbose|-[nPLs]\d+|--max-(?:args|procs|lines)=\d+|-d.+)$/,
  valued: /^-[nPLsd]$/,
  alone: "none",
};

/** What it adds comes from its input: a program must stand there, and none that is itself a wrapper or a shell. */
function unwrapXargs(args: readonly ShellWord[]): Wrapped {
  const inner = skip(XARGS, args);
  if (inner === null || inner === "none") return inner;
  const name = baseName(inner[0]?.value ?? "");
  return Object.hasOwn(WRAPPERS, name) || name === "find" || name === "xargs" || TAKES_CODE.test(name) ? null : inner;
}

const TAKES_CODE = /^(?:.*sh|awk|gawk|mawk|nawk|sed|python.*|perl|ruby|node|git|tar|rg|ssh|make|eval|source|\.)$/;

const EXECUTES = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const CHANGES = /^-(?:delete|fprint.*|fls)$/;

/** All commands one after the other: `;` ends each of them. */
function unwrapFind(args: readonly ShellWord[]): Wrapped {
  if (args.some(isLoose) || args.some(({ value }) => CHANGES.test(value ?? ""))) return null;
  const at = args.findIndex(({ value }) => value !== null && EXECUTES.has(value));
  if (at === -1) return "none";
  const end = args.findIndex(
    ({ value }, index) => index > at && (value === ";" || (value === "+" && args[index - 1]?.value === "{}")),
  );
  const inner = args.slice(at + 1, end);
  const hasMore = args.slice(end).some(({ value }) => value !== null && EXECUTES.has(value));
  // `{}` becomes the name of a file: as the program, or in the text for a shell, that is anything.
  const [first, ...rest] = inner;
  if (end === -1 || first === undefined || hasMore || first.value?.includes("{}") === true) return null;
  const isCode =
    TAKES_CODE.test(baseName(first.value ?? "")) && rest.some(({ value }) => value?.includes("{}") !== false);
  const isMany = args[end]?.value === "+";
  return isCode ? null : inner.map((word) => withFile(word, isMany));
}

/** `{}` is a name that begins with where the search does, and so no option; with `+` there are as many as were found. */
function withFile(word: ShellWord, isMany: boolean): ShellWord {
  if (word.value?.includes("{}") !== true) return word;
  return { ...word, shape: word.value.replaceAll("{}", OPERAND) + (isMany ? MORE_OPERANDS : "") };
}

/** Programs that run another one behind a word of theirs: `poetry run pytest`. */
const STARTERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "mamba"].map((name) => [name, /^run$/]),
  ),
  ...Object.fromEntries(["bundle", "asdf", "opam", "stack", "cabal", "direnv"].map((name) => [name, /^exec$/])),
  ...Object.fromEntries(["npm", "pnpm", "mise"].map((name) => [name, /^(?:exec|x)$/])),
  yarn: /^exec$/,
  rustup: /^run$/,
};

/**
 * What may be run in such a way. Where an option stands before it, or a word of the starter's own (`direnv exec .`), the
 * second word may be the program as well. For rules that stop: to let the whole through, a rule for the starter is enough.
 */
export function startedBy(name: string, args: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const starter = Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined;
  const at = args.findIndex(({ value }) => value === null || !value.startsWith("-"));
  if (starter?.test(args[at]?.value ?? "") !== true) return [];
  const behind = args.slice(at + 1);
  const first = behind.findIndex(({ value }) => value === null || !value.startsWith("-"));
  if (first === -1) return [];
  const mayBeSecond = (first > 0 && behind[first - 1]?.value !== "--") || name === "direnv" || name === "rustup";
  return [behind.slice(first), ...(mayBeSecond ? [behind.slice(first + 1)] : [])].filter((words) => words.length > 0);
}

/** Whether it might turn out to be an option that nobody sees, or several words. */
export const isLoose = ({ value, prefix, splits }: ShellWord): boolean =>
  value === null && (splits || !/^(?:[^-]|--[a-z-]+=)/.test(prefix));

export const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
