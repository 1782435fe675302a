// The processes of a machine without /proc (macOS), through `ps`. UNTESTED: it was written from the manual
// and has never run there.
import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import type { ProcessEntry } from "./proc-table.ts";

const COLUMNS = ["-o", "pid=,ppid=,pgid=,stat=,lstart=,comm="];
const LIMITS = { timeout: 5_000, maxBuffer: 16 * 1024 * 1024, encoding: "utf8" } as const;

export async function listByPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", ...COLUMNS], LIMITS);
  return parse(stdout);
}

export function readByPs(pid: number): ProcessEntry | undefined {
  try {
    return parse(execFileSync("ps", ["-p", String(pid), ...COLUMNS], { ...LIMITS, stdio: "pipe" }))[0];
  } catch {
    return undefined; // `ps` fails for a process that is not there
  }
}

function parse(text: string): ProcessEntry[] {
  return text.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...rest] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || group === undefined || state === undefined) return [];
    const [startTime, name] = [rest.slice(0, 5).join(" "), rest.slice(5).join(" ")];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    // Its session is printed as an address there, which says nothing: the group stands for it.
    return [{ ...numbers, startTime, name, session: Number(group), isZombie: state.startsWith("Z") }];
  });
}
