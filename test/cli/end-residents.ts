// Workers in the background outlive the command that has started them, and the test: they would go on writing.
import { readFileSync } from "node:fs";
import { listProcesses, readProcess } from "../../src/platform/proc-table.ts";
import { systemClock } from "../../src/platform/system-clock.ts";

const PATIENCE_MS = 3_000;
const LOOK_MS = 20;

/** Ends those of homes in this folder, and waits for their end. */
export async function endResidentsIn(folder: string): Promise<void> {
  const all = await listProcesses();
  const residents = all.filter(({ pid }) => isResidentIn(pid, folder)).map(({ pid }) => pid);
  await Promise.all(residents.map(end));
}

function isResidentIn(pid: number, folder: string): boolean {
  const words = wordsOf(pid);
  return words.at(-1) === "--resident" && words[words.indexOf("--home") + 1]?.startsWith(`${folder}/`) === true;
}

function wordsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return []; // it has ended meanwhile; or this machine does not say
  }
}

async function end(pid: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const until = systemClock.monotonic() + PATIENCE_MS;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    while (systemClock.monotonic() < until) {
      const now = readProcess(pid);
      if (now === undefined || now.isZombie) return;
      await systemClock.sleep(LOOK_MS, new AbortController().signal);
    }
  }
}
