// Finds processes by everything that ties them to an attempt, and ends them until none is left.
import { environmentOf, listProcesses, type ProcessEntry, type ProcessRef } from "../platform/proc-table.ts";
import { ownPid, signalProcess } from "../platform/processes.ts";
import { systemClock } from "../platform/system-clock.ts";
import { pause } from "./pause.ts";

export interface Quarry {
  /** Whether an environment has the marker that is looked for. */
  readonly isMarked: (environment: string) => boolean;
  /** Programs that were started here. Each leads a session of its own, and with it all groups in there. */
  readonly leaders: readonly ProcessRef[];
}

const LIMIT_MS = 5_000;
const PAUSE_MS = 10;

/**
 * Looks and kills until two looks in a row find nothing: a process may be born between the listing and the
 * signal, and its parent dies in the same round. Says how many there were.
 *
 * Bounded. What is still there then has been sent SIGKILL and hangs in the kernel: it never runs a line of
 * its own again, so waiting for it would gain nothing.
 */
export async function hunt(quarry: Quarry): Promise<number> {
  const known = new Map<string, ProcessRef>(quarry.leaders.map((leader) => [keyOf(leader), leader]));
  const killed = new Set<string>();
  const start = systemClock.monotonic();
  for (let empty = 0; empty < 2 && systemClock.monotonic() - start < LIMIT_MS;) {
    const found = belonging(await listProcesses(), quarry, known).filter(({ isZombie }) => !isZombie);
    for (const entry of found) {
      known.set(keyOf(entry), entry);
      if (signalProcess(entry, "SIGKILL")) killed.add(keyOf(entry));
    }
    empty = found.length === 0 ? empty + 1 : 0;
    if (empty < 2) await pause(PAUSE_MS);
  }
  return killed.size;
}

const keyOf = ({ pid, startTime }: ProcessRef): string => `${pid}@${startTime}`;

/** Those of the listing that are known, led by a leader, marked, or below one of these. Never the worker itself. */
function belonging(
  all: readonly ProcessEntry[],
  { isMarked, leaders }: Quarry,
  known: ReadonlyMap<string, ProcessRef>,
): ProcessEntry[] {
  const own = ownPid();
  const sessions = sessionsOf(all, leaders);
  const found = new Map<number, ProcessEntry>();
  let open = all.filter(({ pid }) => pid !== own);
  const take = (belongs: (entry: ProcessEntry) => boolean): boolean => {
    const taken = open.filter(belongs);
    for (const entry of taken) found.set(entry.pid, entry);
    open = open.filter(({ pid }) => !found.has(pid));
    return taken.length > 0;
  };
  take((entry) => known.has(keyOf(entry)) || sessions.has(entry.session));
  take(({ pid }) => isMarked(environmentOf(pid)));
  while (take((entry) => isChildOf(entry, found.get(entry.parent)))); // to the last generation
  return [...found.values()];
}

/** A child is never older than its parent: one that seems to be has it by a number that was used again. */
const isChildOf = (entry: ProcessEntry, parent: ProcessEntry | undefined): boolean =>
  parent !== undefined && !(Number(entry.startTime) < Number(parent.startTime)); // no numbers on macOS: not "<"

/**
 * The sessions that are still ours. The kernel gives a session's number to nobody while it has members: it is
 * ours as long as no other process has it for its own number. (A stranger would have to get the number, open
 * a session, and leave it behind, all since our last member ended.)
 */
function sessionsOf(all: readonly ProcessEntry[], leaders: readonly ProcessRef[]): Set<number> {
  const startTimes = new Map(all.map(({ pid, startTime }) => [pid, startTime]));
  const ours = leaders.filter(({ pid, startTime }) => (startTimes.get(pid) ?? startTime) === startTime);
  return new Set(ours.map(({ pid }) => pid));
}
