// What happens between custody and bubblewrap, in a shell that then becomes bubblewrap: it opens files that
// cannot be handed over otherwise, and bounds what is to come. Any step that fails ends it: nothing runs then.
import type { ProgramLimits } from "./limits.ts";

const ARGUMENTS_FD = 8;
const FILTER_FD = 9;

export interface Launch {
  readonly shell: string;
  readonly bwrap: string;
  /** bubblewrap's own arguments, each ended by a NUL, in a file: a program's argument list is for anybody to read. */
  readonly argumentsFile: string;
  readonly filterFile: string | undefined;
  /** Files of cgroups to sign up in. */
  readonly doors: readonly string[];
  readonly limits: ProgramLimits;
  /** The namespace around us is custody's own, and its /proc has parts that are covered. */
  readonly maySeeCovers: boolean;
  /** Counted per user, in the sandbox's own namespace: has no meaning for root. */
  readonly boundsProcesses: boolean;
}

/** The whole command line that runs these words confined. */
export function launchWords(launch: Launch, words: readonly string[]): [file: string, ...args: string[]] {
  const { shell, bwrap, filterFile, limits } = launch;
  const filter = filterFile === undefined ? [] : ["--seccomp", String(FILTER_FD)];
  const inner = launch.boundsProcesses ? [shell, "-c", bounding(limits.processes), "sh", ...words] : words;
  return [shell, "-c", scriptOf(launch), "sh", bwrap, "--args", String(ARGUMENTS_FD), ...filter, "--", ...inner];
}

const BLOCK = 512;
const KILOBYTE = 1024;

function scriptOf({ argumentsFile, filterFile, doors, limits, maySeeCovers }: Launch): string {
  const files = [`${ARGUMENTS_FD}<${quoted(argumentsFile)}`];
  if (filterFile !== undefined) files.push(`${FILTER_FD}<${quoted(filterFile)}`);
  return [
    ...boundsFor(doors, limits),
    // A process namespace inside of another one gets a /proc only where all of the outer one's can be seen.
    ...(maySeeCovers ? ["{ [ -w /proc/irq ] || mount -t proc proc /proc; }"] : []),
    `exec ${files.join(" ")}`,
    `exec "$@"`,
  ].join(" && ");
}

/** Steps of a shell that bound it, and all that it becomes. */
export const boundsFor = (doors: readonly string[], limits: ProgramLimits): string[] => [
  ...doors.map((door) => `echo 0 >${quoted(door)}`),
  atMost("n", limits.openFiles),
  atMost("f", Math.floor(limits.fileBytes / BLOCK)),
  atMost("d", Math.floor(limits.memoryBytes / KILOBYTE)),
  atMost("c", 0),
];

/** A limit that is lower already stays: it cannot be raised. */
const atMost = (option: string, value: number): string => `{ ulimit -${option} ${value} 2>/dev/null || :; }`;

/** Shells have two names for it. */
const bounding = (processes: number): string =>
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; exec "$@"`;

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
