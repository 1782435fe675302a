// Signals, to one very process and to nobody who has got its number since.
import { type ProcessRef, readProcess } from "./proc-table.ts";

type Signal = "SIGTERM" | "SIGINT" | "SIGKILL";

export const ownPid = (): number => process.pid;

/** Whether that very process is there, and more than a name that its parent has not struck off yet. */
export function isRunning({ pid, startTime }: ProcessRef): boolean {
  const now = readProcess(pid);
  return now !== undefined && now.startTime === startTime && !now.isZombie;
}

/**
 * Compares the start time right before the signal. What is left is the time between two system calls, which a
 * process would have to end in, be struck off, and have its number given away.
 */
export function signalProcess(ref: ProcessRef, signal: Signal): boolean {
  return isRunning(ref) && send(ref.pid, signal);
}

/** To all of the group that this very process is in now. */
export function signalGroupOf({ pid, startTime }: ProcessRef, signal: Signal): boolean {
  const now = readProcess(pid);
  return now !== undefined && now.startTime === startTime && now.group > 1 && send(-now.group, signal);
}

function send(pid: number, signal: Signal): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has ended, or is another user's by now
  }
}
