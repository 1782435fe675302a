// A signal to a program and what it leads. Launchers stand in between, ours and that of a confinement: they
// pass no signal on and die of it, and with them all that they keep. So they are stepped over.
import { listProcesses, type ProcessEntry, type ProcessRef, readProcess } from "../platform/proc-table.ts";
import { signalGroupOf, signalProcess } from "../platform/processes.ts";
import { systemClock } from "../platform/system-clock.ts";
import { pause } from "./pause.ts";

type Wish = "SIGTERM" | "SIGINT";

const START_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 5;

export interface Listener {
  readonly hasExited: boolean;
  /** The program, as soon as there is one to be signalled. */
  find(): Promise<ProcessRef | undefined>;
}

/** Right after a start nobody listens yet, so it is tried until somebody does. Never rejects. */
export async function wish(listener: Listener, signal: Wish): Promise<void> {
  const start = systemClock.monotonic();
  while (!listener.hasExited && systemClock.monotonic() - start < START_LIMIT_MS) {
    const program = await listener.find();
    if (program !== undefined && (await tell(program, signal))) return;
    await pause(LOOK_EVERY_MS);
  }
}

async function tell(program: ProcessRef, signal: Wish): Promise<boolean> {
  const now = readProcess(program.pid);
  if (now === undefined || now.startTime !== program.startTime) return false;
  if (!isLauncher(now)) return signalGroupOf(program, signal);
  const all = await listProcesses();
  const groups = new Set(behindLaunchers(all, now).map(({ group }) => group));
  const members = all.filter((entry) => groups.has(entry.group) && !isLauncher(entry));
  return members.map((entry) => signalProcess(entry, signal)).includes(true);
}

/** By the name that it gave itself: whoever takes this one is not asked to end, and is ended later. */
const isLauncher = ({ name }: ProcessEntry): boolean => name === "bwrap";

function behindLaunchers(all: readonly ProcessEntry[], entry: ProcessEntry): ProcessEntry[] {
  if (!isLauncher(entry)) return [entry];
  return all.filter(({ parent }) => parent === entry.pid).flatMap((child) => behindLaunchers(all, child));
}
