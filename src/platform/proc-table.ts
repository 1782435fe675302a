// The processes of this machine, as its kernel lists them.
import { readdirSync, readFileSync } from "node:fs";
import { listByPs, readByPs } from "./ps-table.ts";
import { yielding } from "./yielding.ts";

/** One very process: its number alone may be another's by now. */
export interface ProcessRef {
  readonly pid: number;
  readonly startTime: string;
}

export interface ProcessEntry extends ProcessRef {
  /** Its program's, cut to 15 characters, unless it gave itself another. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Nothing runs of it any more; only its parent has not heard yet. */
  readonly isZombie: boolean;
}

const hasProc = process.platform === "linux";

/** In no order. Some may have ended meanwhile, and others begun. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  if (!hasProc) return listByPs();
  const pause = yielding();
  const found: ProcessEntry[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const entry = readProcess(Number(name));
    if (entry !== undefined) found.push(entry);
    await pause();
  }
  return found;
}

export function readProcess(pid: number): ProcessEntry | undefined {
  if (!hasProc) return readByPs(pid);
  const stat = read(`/proc/${pid}/stat`);
  // The second field is a name that may hold spaces and brackets: count from its end.
  const nameEnd = stat.lastIndexOf(")");
  const [state, parent, group, session, ...rest] = stat.slice(nameEnd + 2).split(" ");
  const startTime = rest[15];
  if (startTime === undefined) return undefined;
  return {
    pid,
    startTime,
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isZombie: state === "Z" || state === "X",
  };
}

/**
 * The environment that the process was started with, entries parted by NUL. Empty where it cannot be read:
 * another user's, a dying process, and every process of a machine without /proc.
 */
export const environmentOf = (pid: number): string => (hasProc ? read(`/proc/${pid}/environ`) : "");

/** The number that the process has in its own, innermost namespace. */
export function innermostPid(pid: number): number | undefined {
  const numbers = /^NSpid:\s*(.*)$/m.exec(read(`/proc/${pid}/status`))?.[1]?.split(/\s+/);
  return numbers === undefined ? undefined : Number(numbers.at(-1));
}

/** A process may end between any two looks at it: that is no error. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
