// The peer's process: started in custody, told to end when it is not needed any more.
import { findProgram } from "../../platform/find-program.ts";
import { namedFiles } from "../../platform/named-files.ts";
import type { Attempt, AttemptScope, BackendEnd, Clock, Command, Exited } from "../../ports/index.ts";
import { capture, Tail } from "../command/captured-output.ts";
import type { RawLog } from "../driven/raw-log.ts";
import { Connection, type Handlers, PeerGone } from "./connection.ts";
import { fail, failureOf } from "./peer-end.ts";
import { within } from "./within.ts";

const STDERR_TAIL = 8 * 1024;
const EXIT_NEWS_MS = 2_000;
const AFTER_END_OF_INPUT_MS = 300;
const AFTER_SIGTERM_MS = 700;

export interface Peer {
  readonly connection: Connection;
  failureOf(error: unknown): Promise<BackendEnd>;
  /** Asks it to end, and waits a little. What does not follow is ended with the attempt. */
  close(): Promise<void>;
}

type PeerAttempt = Pick<Attempt, "keep" | "confinement">;

export function startPeer(
  { keep, confinement }: PeerAttempt,
  scope: Pick<AttemptScope, "live">,
  command: Command,
  handlers: Handlers,
  clock: Clock,
  raw: Pick<RawLog, "add">,
): Peer | BackendEnd {
  // Looked for here as well: behind a confinement's launcher, custody would find the launcher.
  const found = findProgram(command.file, { cwd: command.cwd, path: command.env["PATH"] });
  if (!found.ok) return fail("backend_unavailable", found.problem);
  const home = command.env["HOME"]; // the session's own
  const needs = { reads: namedFiles(command.args), writes: home === undefined ? [] : [home] };
  const program = keep.spawn(confinement.wrap({ ...command, ...needs }));
  const stderr = new Tail(STDERR_TAIL);
  const read = capture(program.stderr, "stderr", stderr, scope);
  const connection = new Connection(program, handlers, raw);
  let exited: Exited | undefined;
  const ended = Promise.all([program.exited, read]).then(([how]) => (exited = how));
  return {
    connection,
    failureOf: async (error) => {
      // One that is gone has ended, or is about to: how, says more.
      if (error instanceof PeerGone) await within(clock, EXIT_NEWS_MS, ended);
      return failureOf(error, { exited, stderr });
    },
    close: async () => {
      program.endInput();
      if ((await within(clock, AFTER_END_OF_INPUT_MS, program.exited)) !== undefined) return;
      program.signal("SIGTERM");
      await within(clock, AFTER_SIGTERM_MS, program.exited);
    },
  };
}
