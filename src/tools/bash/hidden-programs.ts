// Programs that can be told to run something else, or to write somewhere, by an option or in a small language of
// their own. Where that cannot be ruled out, what would run is not understood.
import type { RuleSide } from "../../domain/tool-rules.ts";
import { knownStart, OPERAND } from "../../domain/partly-known.ts";
import { changesWhatRuns } from "./changes-what-runs.ts";
import { codeRuns, IS_INPUT, isLanguage } from "./hidden-code.ts";
import { awkHides, sedHides } from "./hidden-in-scripts.ts";
import { type ShellWord, startOf, typedOut } from "./shell-words.ts";
import { isLoose } from "./wrappers.ts";

type Args = readonly ShellWord[];
type Judge = (args: Args, side: RuleSide) => boolean;

/** Programs that run others in ways that we do not look through. */
const OPAQUE = new Set(
  `eval source . alias unalias trap let enable hash bind complete compgen fc shopt mapfile readarray getopts caller
  zsh ksh mksh fish csh tcsh ash rbash su runuser sg newgrp pkexec chroot unshare nsenter setpriv capsh bwrap firejail
  proot fakeroot faketime flock strace ltrace gdb lldb valgrind perf script watch entr parallel at batch crontab
  systemd-run start-stop-daemon tmux screen expect rlwrap unbuffer taskset numactl prlimit setarch linux64 choom runcon
  run-parts dbus-run-session torsocks proxychains cgexec logsave chrt linux32 i386 i486 i586 i686 x86_64 uname26 arm64e
  ppc ppc32 ppc64 sparc sparc32 sparc64 s390 s390x mips mips64 parisc ia64 alpha coreutils catchsegv setuidgid softlimit
  chpst su-exec gosu run0 machinectl systemd-inhibit dbus-launch ssh-agent xvfb-run cpulimit timelimit tsocks torify
  proxychains4 eatmydata caffeinate dtach abduco daemonize envdir setlock uclampset fakechroot nsjail bubblewrap tini
  dumb-init pwsh powershell powershell.exe cmd cmd.exe wsl wsl.exe xterm gnome-terminal konsole alacritty kitty chronic
  ifne pee mispipe zrun lckdo sem rust-parallel watchexec nodemon concurrently hyperfine with-contenv s6-setuidgid
  nix-shell flatpak-spawn ed ex osascript sshpass socat ksh93 yash nu bash-static hush dc m4`.split(/\s+/),
);

/** The loader of the system, called by its own name. */
const LOADER = /^ld(?:-.*)?\.so(?:\..*)?$/;

const isOption = (args: Args, ...patterns: readonly RegExp[]): boolean =>
  args.some((word) => patterns.some((pattern) => pattern.test(startOf(word))));

/** Long options may be cut short as long as they are not ambiguous. */
export const longOption =
  (...names: readonly string[]) =>
  (word: ShellWord): boolean => {
    const given = startOf(word).split("=", 1)[0] ?? "";
    return given.length > 2 && given.startsWith("--") && names.some((name) => `--${name}`.startsWith(given));
  };

const tarHides: Judge = (args) =>
  args.some(isLoose) ||
  args.some(longOption("checkpoint-action", "to-command", "use-compress-program", "rsh-command", "rmt-command")) ||
  args.some(longOption("info-script", "new-volume-script")) ||
  args[0]?.value === null || // letters are options there, without a dash
  isOption(args.slice(0, 1), /^[A-Za-z]*[IF]/) ||
  isOption(args, /^-[A-Za-z]*[IF]/);

/** They start a program, or a command of their own that can, where one is named on their line. */
const editorHides: Judge = (args) =>
  isOption(args, /^\+/, /^-[A-Za-z]*[cSself]/, /^--(?:cmd|eval|exec|load|funcall|batch|script)/);
const pagerHides: Judge = (args) => isOption(args, /^\+/, /^-[A-Za-z]*k/, /^--lesskey/);
/** The shell that scripts are run by, a line for it, or a file that names one. */
const PACKAGES_RUN = longOption(
  "script-shell",
  "call",
  "userconfig",
  "globalconfig",
  "node-options",
  "shell-auto-fallback",
);
const packagesHide: Judge = (args) =>
  args.map(asLongOption).some((word) => PACKAGES_RUN(word) && !/^--(?:global|no)$/.test(word.value ?? "")) ||
  isOption(args, /^--config\./) ||
  (isOption(args, /^-[A-Za-z]{0,3}c$/) && isOption(args, /^(?:exec|x)$/));

/** They take `-script-shell` for it, too, and `--no-no-script-shell`. */
function asLongOption(word: ShellWord): ShellWord {
  const start = startOf(word);
  return /^-.{2}/.test(start) ? { ...word, value: start.replace(/^-+(?:no-)*(?!$)/i, "--") } : word;
}

const compilerHides: Judge = (args) => isOption(args, /^-(?:wrapper|fplugin|specs|B)/);

function beforeDashes(args: Args): Args {
  const end = args.findIndex(({ value }) => value === "--");
  return end === -1 ? args : args.slice(0, end);
}

const BY_PROGRAM: Readonly<Record<string, Judge>> = {
  git: gitHides,
  rg: (args) => args.some(isLoose) || args.some(longOption("pre", "hostname-bin")),
  sed: sedHides,
  awk: awkHides,
  gawk: awkHides,
  mawk: awkHides,
  nawk: awkHides,
  tar: tarHides,
  bsdtar: tarHides,
  less: pagerHides,
  more: pagerHides,
  most: pagerHides,
  ...Object.fromEntries(["vim", "vi", "nvim", "view", "gvim", "emacs"].map((name) => [name, editorHides])),
  npm: packagesHide,
  pnpm: packagesHide,
  yarn: packagesHide,
  npx: (args) => packagesHide(args, "pass") || isOption(args, /^-c/),
  make: makeHides,
  gmake: makeHides,
  go: (args) => isOption(args, /^--?(?:exec|toolexec|vettool)(?:=|$)/),
  ...Object.fromEntries(["gcc", "g++", "cc", "c++", "clang", "clang++"].map((name) => [name, compilerHides])),
  cargo: (args) => isOption(beforeDashes(args), /^--config/),
  wget: (args) => args.some(longOption("use-askpass")),
  ...Object.fromEntries(
    ["nc", "ncat", "netcat"].map((name) => [
      name,
      (args: Args) => isOption(args, /^-[A-Za-z]*[ec]/, /^--(?:sh-)?exec/),
    ]),
  ),
  cmake: (args) => isOption(args, /^-E$/) && isOption(args, /^(?:env|time|chdir)$/),
  zip: (args) => isOption(args, /^-[A-Za-z]*TT/, /^--unzip-command/),
  tcpdump: (args) => isOption(args, /^-[A-Za-z]*z/),
  man: (args) =>
    args.some(isLoose) || args.some(longOption("pager", "html", "preprocessor")) || isOption(args, /^-[A-Za-z]*[PHC]/),
  // A file that is written is no program: rules that stop something have nothing to fear from it.
  sort: (args, side) =>
    args.some(isLoose) ||
    args.some(longOption("compress-program")) ||
    (side === "pass" && (args.some(longOption("output")) || isOption(args, /^-[A-Za-z]*o/))),
  split: (args) => args.some(isLoose) || args.some(longOption("filter")),
  rsync: (args, side) => {
    const others = side === "pass" ? args : without(args, /^-[A-Za-z]*e$/, /^ssh(?: -[pi] [\w./-]+)*$/);
    return others.some(isLoose) || others.some(longOption("rsh", "rsync-path")) || isOption(others, /^-[A-Za-z]*e/);
  },
  ssh: (args, side) => {
    const others =
      side === "pass" ? args : without(args, /^-o$/, SSH_OPTION).filter(({ value }) => !SSH_OPTION.test(value ?? ""));
    return others.some(isLoose) || isOption(others, /^-[A-Za-z0-9]*[oF]/);
  },
  scp: (args) => args.some(isLoose) || isOption(args, /^-[A-Za-z0-9]*[oFS]/),
  sftp: (args) => args.some(isLoose) || isOption(args, /^-[A-Za-z0-9]*[oFSb]/),
  set: (args) =>
    !args.every(({ value }) => value !== null && /^(?:-[eux]+o?|\+[eux]+|-o|pipefail|errexit|nounset)$/.test(value)),
  printf: (args) => (args[0]?.value ?? "-v").startsWith("-v"),
  jobs: (args) => args.some(isLoose) || isOption(args, /^-[a-z]*x/),
  arch: (args) => args.length > 0, // elsewhere than on Linux it runs the rest
  // The text that it shows is only shown.
  read: (args, side) => namesHide(side === "pass" ? args : without(args, /^-[rs]*p$/, /./s).filter(isNoArrayOption)),
  unset: namesHide,
  wait: (args, side) =>
    namesHide(side === "pass" ? args : args.filter(({ text }) => !/^"?\$(?:[A-Za-z_]\w*|!)"?$/.test(text))),
  export: assignmentsHide,
  declare: assignmentsHide,
  typeset: assignmentsHide,
  local: assignmentsHide,
  readonly: assignmentsHide,
  test: testHides,
  "[": testHides,
};

/**
 * `input`: see `ShellCommand`. For the sides see `readScript`; on the side that stops, `args` are as `asMeant` has them. To
 * let something through, neither what is written nor what comes of it when it is typed out may hide anything.
 */
export function hidesPrograms(name: string, args: Args, side: RuleSide = "pass", input: string | null = null): boolean {
  if (hides(name, args, side, input)) return true;
  if (side === "stop" || args.every(({ becomes }) => becomes === undefined)) return false;
  const isAnything =
    args.some(({ becomes }) => becomes === null) && (Object.hasOwn(BY_PROGRAM, name) || isLanguage(name));
  return isAnything || hides(name, typedOut(args), side, input);
}

function hides(name: string, args: Args, side: RuleSide, input: string | null): boolean {
  if (side === "stop" && Object.hasOwn(MEANT, name)) return MEANT[name]?.(args) !== true;
  if (OPAQUE.has(name) || LOADER.test(name) || codeRuns(name, args, input)) return true;
  return Object.hasOwn(BY_PROGRAM, name) && BY_PROGRAM[name]?.(args, side) === true;
}

/** Who quotes a variable means a value, and no option. */
export function asMeant(word: ShellWord): ShellWord {
  if (word.value !== null || word.splits || word.prefix !== "") return word;
  return { ...word, prefix: knownStart(word.shape) || OPERAND };
}

const every = (args: Args, pattern: RegExp): boolean => args.every(({ value }) => pattern.test(value ?? "-"));

/**
 * These change what a later word of the line means, so no rule lets it through. For rules that stop, a file that is
 * read here is like one that a shell is given.
 */
const MEANT: Readonly<Record<string, (args: Args) => boolean>> = {
  source: readsFile,
  ".": readsFile,
  hash: (args) => every(args, /^-r$/),
  shopt: (args) => every(args, /^(?:-[su]|globstar|nullglob|dotglob|failglob|nocasematch|nocaseglob|inherit_errexit)$/),
  mapfile: (args) => every(args, /^(?:-t|[A-Za-z_]\w*)$/) && !args.some(({ value }) => changesWhatRuns(value ?? "")),
  readarray: (args) => every(args, /^(?:-t|[A-Za-z_]\w*)$/) && !args.some(({ value }) => changesWhatRuns(value ?? "")),
};

/** Of a file whose folder is a variable, or somebody's home, its own name is known. */
function readsFile([file]: Args): boolean {
  if (file === undefined || file.splits || file.isGlob) return false;
  const path = file.value ?? (file.text.startsWith("~") ? file.text : file.shape.replaceAll("'", ""));
  return /(?:^|\/)[\w.@+%-]+$/.test(path) && !path.startsWith("-") && !IS_INPUT.test(path);
}

const SSH_OPTION =
  /^(?:-o)?(?:StrictHostKeyChecking|UserKnownHostsFile|ConnectTimeout|BatchMode|LogLevel|IdentitiesOnly|ServerAlive\w+|Port|User|RequestTTY)=\S*$/;

/** Without the options that are followed by such a value, and without these. */
function without(args: Args, option: RegExp, value: RegExp): Args {
  const isSuch = (at: number): boolean => option.test(args[at]?.value ?? "") && value.test(args[at + 1]?.value ?? "");
  return args.filter((_, at) => !isSuch(at) && !isSuch(at - 1));
}

/** Another shell, text that make runs by itself, or a makefile that is written here or known only later. */
function makeHides(args: Args): boolean {
  return (
    isOption(args, /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE)[:?+]*=/, /^-[A-Za-z]*E/) ||
    args.some(longOption("eval")) ||
    args.some(({ value, shape }) => /\$[({]|!=/.test(value ?? shape)) ||
    args.some((word, at) => isMakefileOption(word) && isUnseenMakefile(word, args[at + 1]))
  );
}

const LONG_MAKEFILE = longOption("file", "makefile");
const isMakefileOption = (word: ShellWord): boolean => LONG_MAKEFILE(word) || /^-[A-Za-z]*f/.test(startOf(word));

function isUnseenMakefile({ value }: ShellWord, next: ShellWord | undefined): boolean {
  const own = value === null ? null : value.replace(/^(?:--[a-z]+=?|-[A-Za-z]*?f)/, "");
  const file = own === "" ? next?.value : own;
  return file === undefined || file === null || file === "-" || IS_INPUT.test(file);
}

const GIT_RUNS = longOption(
  "exec",
  "exec-path",
  "upload-pack",
  "receive-pack",
  "open-files-in-pager",
  "extcmd",
  "config",
  "output",
  "ext-diff",
);
const GIT_RUNNERS =
  /^(?:filter-branch|bisect|submodule|difftool|mergetool|daemon|send-email|instaweb|config|alias|hook|web--browse|remote-ext|shell|for-each-repo|merge-index)$/;

/** `git -c` sets anything, an alias or a pager too; and an unknown word may be an alias. */
function gitHides(all: Args, side: RuleSide): boolean {
  const args = side === "pass" ? all : withoutGlobal(all);
  const at = args.findIndex(
    ({ value }) => value === null || !/^(?:--no-pager|-P|--no-optional-locks|--bare|--literal-pathspecs)$/.test(value),
  );
  const [sub, ...rest] = at === -1 ? [] : args.slice(at);
  if (sub === undefined) return false;
  if (sub.value === "--version") return rest.length > 0;
  if (sub.value === null || !/^[a-z][a-z-]*$/.test(sub.value)) return true;
  if (isOption(rest, /^ext::/)) return true;
  if (GIT_RUNNERS.test(sub.value))
    return !isReadingConfig(sub.value, rest) && !(side === "stop" && isUsual(sub.value, rest));
  if (rest.some(GIT_RUNS)) return true;
  return isOption(rest, ...(GIT_SHORT[sub.value] ?? []));
}

/** Another folder, and settings that name no program. */
function withoutGlobal(args: Args): Args {
  const [option, value] = args;
  if (option?.value === "-C" && value !== undefined && !value.splits) return withoutGlobal(args.slice(2));
  const [key = "", given] = (value?.value ?? value?.prefix ?? "").split("=", 2);
  return option?.value === "-c" && given !== undefined && HARMLESS_KEY.test(key) ? withoutGlobal(args.slice(2)) : args;
}

const HARMLESS_KEY =
  /^(?:user\.(?:name|email)|core\.(?:quotepath|autocrlf|filemode|ignorecase|longpaths)|color\.\w+|advice\.\w+|init\.defaultbranch|(?:commit|tag)\.gpgsign|(?:pull|merge|rebase|fetch|push)\.(?:rebase|ff|autostash|prune|default|autosetupremote)|safe\.directory|protocol\.version|http\.postbuffer)$/i;

/** Of those that can run something, what does not. */
function isUsual(sub: string, args: Args): boolean {
  const [first, ...more] = args.filter(({ value }) => !/^--(?:global|local|system|worktree)$/.test(value ?? ""));
  const word = first?.value ?? "";
  if (sub === "bisect") return /^(?:start|good|bad|old|new|skip|reset|log|terms)$/.test(word);
  if (sub === "submodule") return /^(?:status|init|update|sync|add|deinit|summary|absorbgitdirs)$/.test(word);
  if (sub !== "config" || more.some(isLoose)) return false;
  const [key = "", ...values] = [first, ...more]
    .flatMap((one) => one?.value ?? [])
    .filter((text) => !/^(?:--(?:add|unset|bool|int|replace-all)|get|set|unset)$/.test(text));
  return HARMLESS_KEY.test(key) || (values.length === 0 && more.length === 0 && /^[a-z][\w.-]*$/i.test(key));
}

const GIT_SHORT: Readonly<Record<string, readonly RegExp[]>> = {
  grep: [/^-[A-Za-z]*O/],
  rebase: [/^-[A-Za-z]*x/],
  clone: [/^-[A-Za-z]*[uc]/, /^--te/],
  init: [/^--te/],
};

export const isReadingConfig = (sub: string, [first]: Args): boolean =>
  sub === "config" &&
  first?.value !== undefined &&
  first.value !== null &&
  /^(?:--get|--get-all|--list|-l)$/.test(first.value);

/** Names of variables: a subscript in one is run, and some change what runs. */
function namesHide(args: Args): boolean {
  return !args.every(
    ({ value }) => value !== null && /^(?:-[rs]+|-f|-n|%?\d+|[A-Za-z_]\w*)$/.test(value) && !changesWhatRuns(value),
  );
}

/** `read -a`. */
const isNoArrayOption = ({ value }: ShellWord): boolean => !/^-[rs]*a$/.test(value ?? "");

function assignmentsHide(all: Args, side: RuleSide): boolean {
  const args = side === "pass" ? all : withoutArrays(all);
  // Those that the parser knows as assignments were looked at there; here a name in quotes is found.
  return !args.every(({ value, prefix }) => {
    const [name = "", rest] = (/^\w+=$/.test(prefix) ? prefix : (value ?? "")).split("=", 2);
    if (rest === undefined && /^-[xrgp]+$/.test(name)) return true;
    return (
      /^[A-Za-z_]\w*$/.test(name) && !changesWhatRuns(name, side === "stop" ? value?.slice(name.length + 1) : undefined)
    );
  });
}

/** What stands in parentheses was looked at where the line was read. In quotes bash would read it once more. */
function withoutArrays(args: Args): Args {
  const others = args.filter(({ value }) => value !== "-a");
  const isArrays = others.every(({ value, text }) => /^\w+$/.test(value ?? "") || /^\w+\+?=\(/.test(text));
  return isArrays ? others : args;
}

/** `-v` looks at a variable by a name that may have a subscript. */
function testHides(args: Args, side: RuleSide): boolean {
  if (args.some(({ value }) => value === "-v" || value === "-R")) return true;
  const unknown = args.filter(({ value }) => value === null);
  if (unknown.length === 0) return false;
  const inner = args.slice(args[0]?.value === "!" ? 1 : 0, args.at(-1)?.value === "]" ? -1 : undefined);
  // What is compared as a number was looked at where the line was read.
  const isCompared = side === "stop" && /^-(?:eq|ne|lt|le|gt|ge)$/.test(inner[1]?.value ?? "") && inner.length === 3;
  const isQuoted = unknown.every(
    ({ text }) => /^"[^"]*"$/.test(text) || (isCompared && /^\$(?:[?#!$]|\{?[A-Za-z_]\w*\}?|\{#\w+\})$/.test(text)),
  );
  const operator = inner.length === 2 ? inner[0]?.value : inner.length === 3 ? inner[1]?.value : null;
  return !isQuoted || typeof operator !== "string" || !/^(?:-[a-zA-Z]{1,2}|[!=]?=)$/.test(operator);
}
