// Programs whose arguments are another program to run. What they run is looked at as if it stood by itself.
import { MORE_OPERANDS, OPERAND } from "../../domain/partly-known.ts";
import type { RuleSide } from "../../domain/tool-rules.ts";
import { changesWhatRuns } from "./changes-what-runs.ts";
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

/** For the sides see `readScript`. */
export function unwrap(name: string, args: readonly ShellWord[], side: RuleSide): Wrapped | undefined {
  if (name === "xargs") return unwrapXargs(args, side);
  if (name === "find") return unwrapFind(args);
  if (name === "fd" || name === "fdfind") return unwrapFd(args);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper === undefined ? undefined : skip(wrapper, args, side);
}

function skip(wrapper: Wrapper, args: readonly ShellWord[], side: RuleSide): Wrapped {
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
      const [name = "", ...given] = value.split("=");
      if (changesWhatRuns(name, side === "stop" ? given.join("=") : undefined)) return null;
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

/**
 * What it adds comes from its input: a program must stand there, and none that is itself a wrapper or a shell. For rules
 * that stop, one that takes code may have it already: then files are added.
 */
function unwrapXargs(all: readonly ShellWord[], side: RuleSide): Wrapped {
  const { mark, args } = replacedIn(all);
  const inner = skip(XARGS, args, side);
  if (inner === null || inner === "none") return inner;
  const [first, ...rest] = inner;
  const name = programName(first?.value ?? "");
  if (Object.hasOwn(WRAPPERS, name) || name === "find" || name === "xargs") return null;
  if (TAKES_CODE.test(name) && !(side === "stop" && HAS_CODE_FIRST.test(name) && hasCode(rest, mark))) return null;
  if (mark === undefined) return inner;
  return first?.value?.includes(mark) === false ? inner.map((word) => withFile(word, mark, false)) : null;
}

/** `-I {}`: what stands for one line of the input, and the other words. */
function replacedIn(args: readonly ShellWord[]): { readonly mark?: string; readonly args: readonly ShellWord[] } {
  const at = args.findIndex(({ value }) => value?.startsWith("-") !== true || /^-I|^--replace=/.test(value ?? ""));
  const found = /^(?:-I|--replace=)(.*)$/s.exec(args[at]?.value ?? "");
  if (found === null) return { args };
  const isNext = found[1] === "";
  const mark = isNext ? args[at + 1]?.value : found[1];
  return mark === undefined || mark === null || mark === ""
    ? { args }
    : { mark, args: args.toSpliced(at, isNext ? 2 : 1) };
}

export const replacesWords = (args: readonly ShellWord[]): boolean => replacedIn(args).mark !== undefined;

/** A word that is no option comes before all that is added, and no option that could take that for itself. */
function hasCode(args: readonly ShellWord[], mark: string | undefined): boolean {
  const isAdded = ({ value }: ShellWord): boolean => mark !== undefined && value?.includes(mark) !== false;
  const code = args.findIndex(({ value }) => /^[^-]/.test(value ?? "-"));
  const isLastOpen = mark === undefined && /^-(?!-$)/.test(args.at(-1)?.value ?? "-");
  return (
    code !== -1 &&
    !isLastOpen &&
    args.every((word, at) => !isAdded(word) || (at > code && args[at - 1]?.value?.startsWith("-") === false))
  );
}

/** Their script, or the part of them that is called, is the first word that is no option. */
const HAS_CODE_FIRST = /^(?:awk|gawk|mawk|nawk|sed|python.*|perl|ruby|node|git|rg)$/;

const TAKES_CODE = /^(?:.*sh|awk|gawk|mawk|nawk|sed|python.*|perl|ruby|node|git|tar|rg|ssh|make|eval|source|\.)$/;

const EXECUTES = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const CHANGES = /^-(?:delete|fprint.*|fls)$/;

/** All commands one after the other: `;` ends each of them. */
function unwrapFind(args: readonly ShellWord[]): Wrapped {
  if (args.some(isLoose) || args.some(({ value }) => CHANGES.test(value ?? ""))) return null;
  const at = args.findIndex(({ value }) => value !== null && EXECUTES.has(value));
  // What is for a program, and none is named: it comes by a variable.
  if (at === -1) return args.some(({ value }) => value === "{}" || value === ";") ? null : "none";
  const end = args.findIndex(
    ({ value }, index) => index > at && (value === ";" || (value === "+" && args[index - 1]?.value === "{}")),
  );
  const inner = args.slice(at + 1, end);
  const hasMore = args.slice(end).some(({ value }) => value !== null && EXECUTES.has(value));
  // `{}` becomes the name of a file: as the program, or in the text for a shell, that is anything.
  const [first, ...rest] = inner;
  if (end === -1 || first === undefined || hasMore || first.value?.includes("{}") === true) return null;
  const isCode =
    TAKES_CODE.test(programName(first.value ?? "")) && rest.some(({ value }) => value?.includes("{}") !== false);
  const isMany = args[end]?.value === "+";
  return isCode ? null : inner.map((word) => withFile(word, "{}", isMany));
}

/** `{}` is a name that begins with where the search does, and so no option; with `+` there are as many as were found. */
function withFile(word: ShellWord, mark: string, isMany: boolean): ShellWord {
  if (word.value?.includes(mark) !== true) return word;
  return { ...word, shape: word.value.replaceAll(mark, OPERAND) + (isMany ? MORE_OPERANDS : "") };
}

/** `fd -x rm`: all that stands behind it, with the names that it finds at the end or at `{}`. */
function unwrapFd(args: readonly ShellWord[]): Wrapped {
  if (args.some(({ value, prefix }) => value === null && prefix.startsWith("-"))) return null;
  const at = args.findIndex(({ value }) => /^-[A-Za-z]*[xX]|^--exec/.test(value ?? ""));
  if (at === -1) return "none";
  const inner = args.slice(at + 1);
  const isPlain = /^(?:-[xX]|--exec(?:-batch)?)$/.test(args[at]?.value ?? "");
  const hasName = inner[0]?.value?.includes("{") === false;
  return isPlain && hasName && !TAKES_CODE.test(programName(inner[0]?.value ?? "")) ? inner : null;
}

/** Programs that run another one behind a word of theirs: `poetry run pytest`. Of any program `exec` is such a word. */
const STARTERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    `uv poetry pipenv pdm hatch rye conda mamba pipx rustup volta devbox op doppler infisical toolbox docker podman
    nerdctl`
      .split(/\s+/)
      .map((name) => [name, /^(?:run|exec)$/]),
  ),
  distrobox: /^enter$/,
  nix: /^(?:develop|shell)$/,
  sops: /^exec-\w+$/,
  ...Object.fromEntries(["npm", "pnpm", "yarn", "mise", "bun"].map((name) => [name, /^(?:exec|x|dlx|explore)$/])),
};
const EXECUTE = /^exec$/;

/** Programs that run another one at once. */
const LAUNCHERS: ReadonlySet<string> = new Set(["npx", "bunx", "uvx", "pnpx", "cross-env", "dotenv", "xvfb-run"]);

/** Nobody writes more words before the program. */
const MOST_PLACES = 12;

/**
 * What may be run in such a way. Where an option stands before it, or a word of the starter's own (`direnv exec .`), the
 * second word may be the program as well; of a container (`docker run -v a:b image`) it may be one of many. For rules that
 * stop: to let the whole through, a rule for the starter is enough.
 */
export function startedBy(name: string, args: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const starter = (Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined) ?? EXECUTE;
  const at = LAUNCHERS.has(name) ? -1 : args.findIndex(({ value }) => starter.test(value ?? ""));
  const isOwn = args.slice(0, Math.max(0, at)).every(({ value }, place) => {
    // An option of its own may stand before it, and a value of that.
    return (
      value?.startsWith("-") === true ||
      args[place - 1]?.value?.startsWith("-") === true ||
      /^(?:compose|netns)$/.test(value ?? "")
    );
  });
  if ((at === -1 && !LAUNCHERS.has(name)) || !isOwn) return [];
  const behind = args.slice(at + 1);
  const end = behind.findIndex(({ value }) => value === "--");
  if (end !== -1 && end + 1 < behind.length) return [behind.slice(end + 1)];
  const first = behind.findIndex(isWord);
  if (first === -1) return [];
  const most = IN_A_CONTAINER.test(name) ? MOST_PLACES : first === 0 && !STARTS_LATER.test(name) ? 1 : 2;
  const places = behind
    .slice(first, first + most)
    .flatMap((word, index) => (word.value !== null && isWord(word) ? [first + index] : []));
  return places.map((place) => behind.slice(place));
}

const isWord = ({ value }: ShellWord): boolean => value === null || !value.startsWith("-");

/** A word of their own stands before the program; or a name and many options with values do. */
const STARTS_LATER = /^(?:direnv|rustup|aws-vault|sops|distrobox|cross-env|ip)$/;
const IN_A_CONTAINER = /^(?:docker|podman|nerdctl|kubectl|oc|ip|conda|mamba)$/;

/** Whether it might turn out to be an option that nobody sees, or several words. */
export const isLoose = ({ value, prefix, splits }: ShellWord): boolean =>
  value === null && (splits || !/^(?:[^-]|--[a-z-]+=)/.test(prefix));

/** As GNU's are called where others have the name. */
const GNU = /^g(?=(?:timeout|env|xargs|find|sed|tar|sort|split|nice|nohup|stdbuf|time)$)/;

export const programName = (name: string): string => baseName(name).replace(GNU, "");

const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
