// Programs whose arguments are another program to run. What they run is looked at as if it stood by itself.
import { MORE_OPERANDS, MORE_WORDS, OPERAND } from "../../domain/partly-known.ts";
import type { RuleSide } from "../../domain/tool-rules.ts";
import { changesWhatRuns } from "./changes-what-runs.ts";
import { quoted, type ShellWord, startOf, typedOut } from "./shell-words.ts";

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
  if (name === "find") return unwrapFind(args, side);
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
    if (wrapper.valued?.test(value) === true) {
      const next = args[(at += 1)];
      if (side === "pass" && (next?.splits === true || next?.isGlob === true)) return null; // the command may be in it
    } else if (value.startsWith("-")) return null;
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
  const { mark, at, args } = replacedIn(all);
  const inner = skip(XARGS, args, side);
  if (inner === null || inner === "none") return inner;
  const [first, ...rest] = inner;
  const name = programName(first?.value ?? "");
  if (Object.hasOwn(WRAPPERS, name) || name === "find" || name === "xargs") return null;
  if (TAKES_CODE.test(name) && !(side === "stop" && hasCode(name, rest, mark))) return null;
  if (mark === undefined) return inner;
  const isUndone = args.slice(at, -inner.length).some(({ value }) => /^(?:-[nL]|--max-[al])/.test(value ?? ""));
  // What a word of the line means anywhere else is not told from the mark where it is not fully known.
  const isMixed = /\w/.test(mark) && rest.some((word) => word.value === null && hasMark(word, mark));
  if (isUndone || isMixed || first?.value?.includes(mark) !== false) return null;
  return inner.map((word) => withFile(word, mark, false));
}

interface Replaced {
  readonly mark?: string;
  /** Where it stood. */
  readonly at: number;
  readonly args: readonly ShellWord[];
}

/** `-I {}`: what stands for one line of the input, and the other words. Another option behind it may undo it. */
function replacedIn(args: readonly ShellWord[]): Replaced {
  const at = args.findIndex(({ value }) => value?.startsWith("-") !== true || /^-I|^--replace=/.test(value ?? ""));
  const found = /^(?:-I|--replace=(?=.))(.*)$/s.exec(args[at]?.value ?? "");
  if (found === null) return { at, args };
  const isNext = found[1] === "";
  const mark = isNext ? args[at + 1]?.value : found[1];
  return mark === undefined || mark === null || mark === ""
    ? { at, args }
    : { mark, at, args: args.toSpliced(at, isNext ? 2 : 1) };
}

export const replacesWords = (args: readonly ShellWord[]): boolean => replacedIn(args).mark !== undefined;

/**
 * Their script, or the part of them that is called, is the first word that is no option, behind options like these. What
 * `sed`, `awk` and `rg` are given is looked at by itself.
 */
const CODE_FIRST: readonly (readonly [name: RegExp, before: RegExp])[] = [
  [/^(?:awk|gawk|mawk|nawk|sed|rg)$/, /^-/],
  [/^python/, /^-[uBOsSEIqb]*[cm]?$/],
  [/^(?:perl|ruby)$/, /^-(?:[pnlwasW0-7]*e?|[pnlwas0-7]*i(?:\.\w+)?)$/],
  [/^node$/, /^(?:-e|-p|-pe|--eval|--print|--(?:no|enable|trace)-[a-z-]+)$/],
  [/^git$/, /^(?:-P|--no-pager)$/],
];

/** Such a word comes before all that is added, and no option that could take that for itself. */
function hasCode(name: string, all: readonly ShellWord[], mark: string | undefined): boolean {
  const before = CODE_FIRST.find(([names]) => names.test(name))?.[1];
  const args = name === "git" ? behindFolders(all) : all;
  const isAdded = ({ value }: ShellWord): boolean => mark !== undefined && value?.includes(mark) !== false;
  const code = args.findIndex(({ value }) => /^[^-]/.test(value ?? "-"));
  const isLastOpen = mark === undefined && /^-(?!-$)/.test(args.at(-1)?.value ?? "-");
  return (
    before !== undefined &&
    code !== -1 &&
    !isLastOpen &&
    args.slice(0, code).every(({ value }) => before.test(value ?? "")) &&
    args.every((word, at) => !isAdded(word) || (at > code && args[at - 1]?.value?.startsWith("-") === false))
  );
}

/** `git -C a`. */
const behindFolders = (args: readonly ShellWord[]): readonly ShellWord[] =>
  args[0]?.value === "-C" && args[1]?.splits === false ? behindFolders(args.slice(2)) : args;

const TAKES_CODE = /^(?:.*sh|awk|gawk|mawk|nawk|sed|python.*|perl|ruby|node|git|tar|rg|ssh|make|eval|source|\.)$/;

const EXECUTES = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const CHANGES = /^-(?:delete|fprint.*|fls)$/;

/** All commands one after the other: `;` ends each of them. */
function unwrapFind(args: readonly ShellWord[], side: RuleSide): Wrapped {
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
  const name = programName(first.value ?? "");
  const isCode =
    TAKES_CODE.test(name) &&
    rest.some(({ value }) => value?.includes("{}") !== false) &&
    !(side === "stop" && hasCode(name, rest, "{}"));
  const isMany = args[end]?.value === "+";
  return isCode ? null : inner.map((word) => withFile(word, "{}", isMany));
}

/**
 * `{}` is a name that begins with where the search does, and so no option; with `+` there are as many as were found. Whatever
 * is written for it, a rule sees `{}`: `xargs -I test npm test` is not `npm test`.
 */
function withFile(word: ShellWord, mark: string | RegExp, isMany: boolean): ShellWord {
  const { value, text, shape } = word;
  const known = value ?? shape;
  if (known.replaceAll(mark, "") === known) return word;
  return {
    ...word,
    text: value === null ? text.replaceAll(mark, "{}") : quoted(value.replaceAll(mark, "{}")),
    shape: known.replaceAll(mark, OPERAND) + (isMany ? MORE_OPERANDS : ""),
  };
}

const hasMark = (word: ShellWord, mark: string): boolean =>
  typedOut([word]).some(({ value, shape }) => (value ?? shape.replaceAll("'", "")).includes(mark));

/** `fd -x rm`: all that stands behind it, with the names that it finds at the end or at `{}`. */
function unwrapFd(args: readonly ShellWord[]): Wrapped {
  if (args.some(mayBeOption)) return null;
  const at = args.findIndex(({ value }) => /^-[A-Za-z]*[xX]|^--exec/.test(value ?? ""));
  if (at === -1) return "none";
  const inner = args.slice(at + 1);
  const isPlain = /^(?:-[xX]|--exec(?:-batch)?)$/.test(args[at]?.value ?? "");
  const hasName = inner[0]?.value?.includes("{") === false;
  const isOne = typedOut(inner).every(({ value }) => value !== ";"); // behind it there may be another
  const takesCode = TAKES_CODE.test(programName(inner[0]?.value ?? ""));
  return isPlain && hasName && isOne && !takesCode ? inner.map((word) => withFile(word, FD_NAME, false)) : null;
}

const mayBeOption = (word: ShellWord): boolean =>
  word.becomes === null || (word.value === null && typedOut([word]).some((one) => startOf(one).startsWith("-")));

/** The whole path, its last name, its folder, and the first two without their ending. */
const FD_NAME = /\{(?:\/\/|\/\.|[/.])?\}/g;

/** Programs that run another one behind a word of theirs: `poetry run pytest`. Of any program `exec` is such a word. */
const STARTERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    `uv poetry pipenv pdm hatch rye conda mamba pipx rustup volta devbox op doppler infisical toolbox docker podman
    nerdctl docker-compose podman-compose`
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

/** `isSure`: nothing else can be the program, or it can be any. */
export interface Started {
  readonly words: readonly ShellWord[];
  readonly isSure: boolean;
}

/**
 * What may be run in such a way. Where an option stands before it, or a word of the starter's own (`direnv exec .`), the
 * second word may be the program as well; of a container (`docker run -v a:b image`) it may be one of many. For rules that
 * stop: to let the whole through, a rule for the starter is enough.
 */
export function startedBy(name: string, args: readonly ShellWord[]): readonly Started[] {
  const starter = (Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined) ?? EXECUTE;
  const at = LAUNCHERS.has(name) ? -1 : args.findIndex(({ value }) => starter.test(value ?? ""));
  if ((at === -1 && !LAUNCHERS.has(name)) || !args.slice(0, Math.max(0, at)).every(isStartersOwn)) return [];
  const behind = args.slice(at + 1);
  const entries = IN_A_CONTAINER.test(name) ? entryPoints(behind) : [];
  const end = behind.findIndex(({ value }) => value === "--");
  if (end !== -1 && end + 1 < behind.length) return [...entries, { words: behind.slice(end + 1), isSure: true }];
  const first = behind.findIndex(isWord);
  if (first === -1) return entries;
  const most = IN_A_CONTAINER.test(name) ? MOST_PLACES : first === 0 && !STARTS_LATER.test(name) ? 1 : 2;
  const isSure = most === 1;
  const isExec = EXECUTE.test(args[at]?.value ?? "");
  const places = behind.slice(first, first + most).flatMap((word, index) => {
    // Behind the name of a container, or the value of an option before it: whatever it turns out to be.
    const isAny = isExec && word.value === null && index > 0 && index <= Math.min(first + 1, 2);
    const mayBeIt = isSure || isAny || (word.value !== null && isWord(word));
    return mayBeIt ? [{ words: behind.slice(first + index), isSure: isSure || isAny }] : [];
  });
  return [...entries, ...places];
}

/** An option of its own may stand before the word that starts, and a value of that. */
const isStartersOwn = ({ value }: ShellWord, at: number, args: readonly ShellWord[]): boolean =>
  value?.startsWith("-") === true ||
  /^(?:-.*|workspace)$/s.test(args[at - 1]?.value ?? "") ||
  /^(?:compose|netns|vrf|container|workspaces?|foreach)$/.test(value ?? "");

/** `--entrypoint=rm`: what it is given stands behind the name of the image. */
const entryPoints = (args: readonly ShellWord[]): Started[] =>
  args.flatMap((word, at) => {
    const program = /^--entrypoint(?:=(.+))?$/.exec(word.value ?? "");
    const value = program === null ? undefined : (program[1] ?? args[at + 1]?.value);
    if (value === undefined || value === null) return [];
    const more = { text: "", value: null, isGlob: false, splits: true, prefix: "", shape: MORE_WORDS };
    return [
      { words: [{ ...more, text: quoted(value), value, splits: false, shape: quoted(value) }, more], isSure: false },
    ];
  });

const isWord = ({ value }: ShellWord): boolean => value === null || !value.startsWith("-");

/** A word of their own stands before the program; or a name and many options with values do. */
const STARTS_LATER = /^(?:direnv|rustup|aws-vault|sops|distrobox|cross-env|ip)$/;
const IN_A_CONTAINER = /^(?:docker|podman|docker-compose|podman-compose|nerdctl|kubectl|oc|ip|conda|mamba)$/;

/** Whether it might turn out to be an option that nobody sees, or several words. */
export const isLoose = ({ value, prefix, splits }: ShellWord): boolean =>
  value === null && (splits || !/^(?:[^-]|--[a-z-]+=)/.test(prefix));

/** As GNU's are called where others have the name. */
const GNU = /^g(?=(?:timeout|env|xargs|find|sed|tar|sort|split|nice|nohup|stdbuf|time)$)/;

export const programName = (name: string): string => baseName(name).replace(GNU, "");

const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
