// Who a process is, such that another process cannot be taken for it: a pid alone is used again.
import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { readProcess } from "./proc-table.ts";

export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

const UNKNOWN = "unknown";

const orUnknown = (text: Promise<string>): Promise<string> => text.then((found) => found.trim()).catch(() => UNKNOWN);

/** Changes with every start of the machine. Elsewhere than on Linux, the time of that start (not tried on a Mac). */
const bootId = (): Promise<string> =>
  process.platform === "linux"
    ? readFile("/proc/sys/kernel/random/boot_id", "utf8")
    : promisify(execFile)("sysctl", ["-n", "kern.boottime"], { timeout: 5_000 }).then(({ stdout }) => stdout);

const pidNamespace = async (): Promise<string> =>
  process.platform === "linux" ? readlink("/proc/self/ns/pid") : "one for all";

/** A zombie is dead, and keeps its number until somebody asks after it, which may be never. */
function startTimeOf(pid: number): string | null {
  const found = readProcess(pid);
  return found === undefined || found.isZombie ? null : found.startTime;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    bootId: await orUnknown(bootId()),
    pidNamespace: await orUnknown(pidNamespace()),
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? UNKNOWN,
  };
}

/** Whether that very process lives. `unknown` where this machine cannot tell: of another one, or of another pid namespace. */
export async function checkIdentity(other: ProcessIdentity): Promise<"alive" | "dead" | "unknown"> {
  const own = await ownIdentity();
  if (other.host !== own.host || own.bootId === UNKNOWN) return "unknown";
  if (other.bootId !== own.bootId) return "dead";
  if (other.pidNamespace !== own.pidNamespace) return "unknown";
  return startTimeOf(other.pid) === other.startTime ? "alive" : "dead";
}
