// Who a process is, such that another process cannot be taken for it: a pid alone is used again.
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

const UNKNOWN = "unknown"; // where there is no /proc

const orUnknown = (text: Promise<string | null>): Promise<string> =>
  text.then((found) => found?.trim() ?? UNKNOWN).catch(() => UNKNOWN);

/**
 * The 22nd field of /proc/<pid>/stat. The second is a name that may hold spaces and brackets: count from its
 * end. A zombie is dead, and keeps its number until somebody asks after it, which may be never.
 */
async function startTimeOf(pid: number | "self"): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    bootId: await orUnknown(readFile("/proc/sys/kernel/random/boot_id", "utf8")),
    pidNamespace: await orUnknown(readlink("/proc/self/ns/pid")),
    pid: process.pid,
    startTime: await orUnknown(startTimeOf("self")),
  };
}

/** Whether that very process lives. `unknown` where this machine cannot tell: elsewhere, or without /proc. */
export async function checkIdentity(other: ProcessIdentity): Promise<"alive" | "dead" | "unknown"> {
  const own = await ownIdentity();
  if (other.host !== own.host || own.bootId === UNKNOWN) return "unknown";
  if (other.bootId !== own.bootId) return "dead";
  if (other.pidNamespace !== own.pidNamespace) return "unknown";
  const startTime = await startTimeOf(other.pid).catch(() => null);
  return startTime === other.startTime ? "alive" : "dead";
}
