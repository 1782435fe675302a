import type { Attempt, Clock, Exited } from "../../ports/index.ts";
import type { Shell } from "./find-shell.ts";
import { OutputWindow } from "./output-window.ts";

export interface ShellStart {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What comes out, as it comes. */
  readonly show: (text: string) => void;
  /** How many bytes of its beginning, and of its end, are kept; without it, as many as of one in the background. */
  readonly half?: number | undefined;
}

export interface StartedShell {
  readonly output: OutputWindow;
  /** How it ended, when all that it wrote is read. */
  readonly ended: Promise<Exited>;
  /** Where it was at its end, if it said so: it may have been replaced by another program. */
  readonly lastFolder: () => string | undefined;
  /** Ends it with all that it leads. False: it goes on, and is ended with the attempt. */
  stop(): Promise<boolean>;
}

// Both streams of the command come by one pipe, in the order in which they were written. The other pipe is for the
// folder in which the command leaves the shell. Told to end, a shell that listens waits for the program that it runs:
// so it does not leave one behind that would not follow. On a line of its own, as a command that cannot be parsed is
// to be heard, too.
const PREAMBLE = `exec 9>&2 2>&1; trap 'pwd -P >&9' EXIT; trap 'exit 143' TERM\n`;
const LIVE_BYTES = 8 * 1024;
const LONGEST_FOLDER = 8 * 1024;
const STOP_LIMIT_MS = 6_000;

/** As much of an attempt as a shell needs. */
export type ShellAttempt = Pick<Attempt, "task" | "attempt" | "token" | "workspace" | "confinement" | "keep" | "own">;

export function startShell(attempt: ShellAttempt, clock: Clock, shell: Shell, start: ShellStart): StartedShell {
  const [file = shell.file, ...args] = [...shell.supervisor, shell.file, ...shell.options];
  const script = PREAMBLE + start.command;
  const program = attempt.keep.spawn(
    attempt.confinement.wrap({ file, args: [...args, "-c", script], cwd: start.cwd, env: start.env }),
  );
  program.endInput();
  const output = new OutputWindow(start.half);
  const said = new OutputWindow(LONGEST_FOLDER);
  const read = Promise.all([
    program.exited,
    readAll(program.stdout, (bytes) => output.take(bytes), start.show),
    readAll(program.stderr, (bytes) => said.take(bytes)),
  ]);
  const folderSaid = (): string | undefined => /^(\/.*)\n$/s.exec(said.text)?.[1];
  const ended = read.then(([exited]) => {
    // Without a shell nothing came by its pipe: then the other one has the words of what was to start it.
    if (output.text === "" && folderSaid() === undefined) output.take(Buffer.from(said.text));
    return exited;
  });
  return {
    output,
    ended,
    lastFolder: folderSaid,
    stop: async () => {
      program.signal("SIGTERM");
      const limit = new AbortController();
      const isEnded = await Promise.race([
        ended.then(() => true),
        clock.sleep(STOP_LIMIT_MS, limit.signal).then(() => false),
      ]);
      limit.abort();
      return isEnded;
    },
  };
}

async function readAll(
  stream: AsyncIterable<Uint8Array>,
  take: (bytes: Uint8Array) => void,
  show: (text: string) => void = () => undefined,
): Promise<void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const shown = (text: string) => {
    if (text !== "") show(text);
  };
  for await (const chunk of stream) {
    take(chunk);
    for (let at = 0; at < chunk.length; at += LIVE_BYTES) {
      shown(decoder.decode(chunk.subarray(at, at + LIVE_BYTES), { stream: true }));
    }
  }
  shown(decoder.decode());
}
