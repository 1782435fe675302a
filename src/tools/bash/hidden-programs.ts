// Programs that can be told to run something else, or to write somewhere, by an option or in a small language of
// their own. Where that cannot be ruled out, what would run is not understood.
import { CHANGES_WHAT_RUNS } from "./read-script.ts";
import type { ShellWord } from "./shell-words.ts";
import { isLoose } from "./wrappers.ts";

type Args = readonly ShellWord[];

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
  dumb-init`.split(/\s+/),
);

/** The loader of the system, called by its own name. */
const LOADER = /^ld(?:-.*)?\.so(?:\..*)?$/;

const isOption = (args: Args, ...patterns: readonly RegExp[]): boolean =>
  args.some(({ value, prefix }) => patterns.some((pattern) => pattern.test(value ?? prefix)));

/** Long options may be cut short as long as they are not ambiguous. */
export const longOption =
  (...names: readonly string[]) =>
  ({ value, prefix }: ShellWord): boolean => {
    const given = (value ?? prefix).split("=", 1)[0] ?? "";
    return given.length > 2 && given.startsWith("--") && names.some((name) => `--${name}`.startsWith(given));
  };

const BY_PROGRAM: Readonly<Record<string, (args: Args) => boolean>> = {
  git: gitHides,
  rg: (args) => args.some(isLoose) || args.some(longOption("pre", "hostname-bin")),
  sed: (args) => readSed(args)?.inPlace !== false,
  awk: awkHides,
  gawk: awkHides,
  mawk: awkHides,
  nawk: awkHides,
  tar: (args) =>
    args.some(isLoose) ||
    args.some(longOption("checkpoint-action", "to-command", "use-compress-program", "rsh-command", "rmt-command")) ||
    args.some(longOption("info-script", "new-volume-script")) ||
    isOption(args.slice(0, 1), /^[A-Za-z]*[IF]/) ||
    isOption(args, /^-[A-Za-z]*[IF]/),
  man: (args) =>
    args.some(isLoose) || args.some(longOption("pager", "html", "preprocessor")) || isOption(args, /^-[A-Za-z]*[PHC]/),
  sort: (args) =>
    args.some(isLoose) || args.some(longOption("compress-program", "output")) || isOption(args, /^-[A-Za-z]*o/),
  split: (args) => args.some(isLoose) || args.some(longOption("filter")),
  rsync: (args) => args.some(isLoose) || args.some(longOption("rsh", "rsync-path")) || isOption(args, /^-[A-Za-z]*e/),
  ssh: (args) => args.some(isLoose) || isOption(args, /^-[A-Za-z0-9]*[oF]/),
  scp: (args) => args.some(isLoose) || isOption(args, /^-[A-Za-z0-9]*[oFS]/),
  sftp: (args) => args.some(isLoose) || isOption(args, /^-[A-Za-z0-9]*[oFSb]/),
  set: (args) =>
    !args.every(({ value }) => value !== null && /^(?:-[eux]+o?|\+[eux]+|-o|pipefail|errexit|nounset)$/.test(value)),
  printf: (args) => (args[0]?.value ?? "-v").startsWith("-v"),
  jobs: (args) => args.some(isLoose) || isOption(args, /^-[a-z]*x/),
  arch: (args) => args.length > 0, // elsewhere than on Linux it runs the rest
  read: namesHide,
  unset: namesHide,
  wait: namesHide,
  export: assignmentsHide,
  declare: assignmentsHide,
  typeset: assignmentsHide,
  local: assignmentsHide,
  readonly: assignmentsHide,
  test: testHides,
  "[": testHides,
};

export const hidesPrograms = (name: string, args: Args): boolean =>
  OPAQUE.has(name) || LOADER.test(name) || (Object.hasOwn(BY_PROGRAM, name) && BY_PROGRAM[name]?.(args) === true);

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
  /^(?:filter-branch|bisect|submodule|difftool|mergetool|daemon|send-email|instaweb|config|alias|hook|web--browse|remote-ext)$/;

/** `git -c` sets anything, an alias or a pager too; and an unknown word may be an alias. */
function gitHides(args: Args): boolean {
  const at = args.findIndex(
    ({ value }) => value === null || !/^(?:--no-pager|-P|--no-optional-locks|--bare|--literal-pathspecs)$/.test(value),
  );
  const [sub, ...rest] = at === -1 ? [] : args.slice(at);
  if (sub === undefined) return false;
  if (sub.value === "--version") return rest.length > 0;
  if (sub.value === null || !/^[a-z][a-z-]*$/.test(sub.value)) return true;
  if (GIT_RUNNERS.test(sub.value)) return !isReadingConfig(sub.value, rest);
  if (isOption(rest, /^ext::/) || rest.some(GIT_RUNS)) return true;
  return isOption(rest, ...(GIT_SHORT[sub.value] ?? []));
}

const GIT_SHORT: Readonly<Record<string, readonly RegExp[]>> = {
  grep: [/^-[A-Za-z]*O/],
  rebase: [/^-[A-Za-z]*x/],
  clone: [/^-[A-Za-z]*[uc]/],
};

export const isReadingConfig = (sub: string, [first]: Args): boolean =>
  sub === "config" &&
  first?.value !== undefined &&
  first.value !== null &&
  /^(?:--get|--get-all|--list|-l)$/.test(first.value);

/** Names of variables: a subscript in one is run, and some change what runs. */
function namesHide(args: Args): boolean {
  return !args.every(
    ({ value }) =>
      value !== null && /^(?:-[rs]+|-f|-n|%?\d+|[A-Za-z_]\w*)$/.test(value) && !CHANGES_WHAT_RUNS.test(value),
  );
}

function assignmentsHide(args: Args): boolean {
  // Those that the parser knows as assignments were looked at there; here a name in quotes is found.
  return !args.every(({ value, prefix }) => {
    const [name = "", rest] = (/^\w+=$/.test(prefix) ? prefix : (value ?? "")).split("=", 2);
    if (rest === undefined && /^-[xrgp]+$/.test(name)) return true;
    return /^[A-Za-z_]\w*$/.test(name) && !CHANGES_WHAT_RUNS.test(name);
  });
}

/** `-v` looks at a variable by a name that may have a subscript. */
function testHides(args: Args): boolean {
  if (args.some(({ value }) => value === "-v" || value === "-R")) return true;
  const unknown = args.filter(({ value }) => value === null);
  if (unknown.length === 0) return false;
  const inner = args.filter(({ value }) => value !== "]" && value !== "!");
  const isQuoted = unknown.every(({ text }) => /^"[^"]*"$/.test(text));
  const operator = inner.length === 2 ? inner[0]?.value : inner.length === 3 ? inner[1]?.value : null;
  return !isQuoted || typeof operator !== "string" || !/^(?:-[a-zA-Z]{1,2}|[!=]?=)$/.test(operator);
}

const AWK_ACTS = /[|>@`]|system|getline|close|fflush|extension|ARG|ENVIRON|PROCINFO/;

function awkHides(args: Args): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const value = args[at]?.value ?? null;
    if (value === null) return true;
    if (/^-[Fv]$/.test(value)) at += 1;
    else if (/^-F./.test(value)) continue;
    else if (value.startsWith("-")) return true;
    else return AWK_ACTS.test(value) || args.slice(at + 1).some(isLoose);
  }
  return true;
}

const BODY = (delimiter: string): string => `(?:[^${delimiter}\\\\\\n]|\\\\[^\\n])*`;
const SUBSTITUTION = ["/", "|", "#", ","]
  .map((sign) => `\\${sign}`)
  .map((sign) => `s${sign}${BODY(sign)}${sign}${BODY(sign)}${sign}[gpiI0-9]*`);
const PLACE = `(?:\\d+|\\$|/${BODY("/")}/)`;
const SED_READS = new RegExp(`^(?:${PLACE}(?:,${PLACE})?)? ?!?(?:[pdq=]|${SUBSTITUTION.join("|")})$`);

/** Whether it changes files in place; null: its script may run or write something. */
function readSed(args: Args): { readonly inPlace: boolean } | null {
  let inPlace = false;
  let hasScript = false;
  for (let at = 0; at < args.length; at += 1) {
    const value = args[at]?.value ?? null;
    const word = args[at];
    if (word !== undefined && value === null && hasScript && !isLoose(word)) continue;
    if (value === null) return null;
    if (/^(?:-[nErsuz]+|--quiet|--silent|--regexp-extended|--null-data)$/.test(value)) continue;
    if (/^-[nErsuz]*i|^--in/.test(value)) inPlace = true;
    else if (value === "-e" || (!hasScript && !value.startsWith("-"))) {
      const script = value === "-e" ? args[(at += 1)]?.value : value;
      if (typeof script !== "string" || !SED_READS.test(script)) return null;
      hasScript = true;
    } else if (value.startsWith("-") && value !== "-") return null;
  }
  return hasScript ? { inPlace } : null;
}
