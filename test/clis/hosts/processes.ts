// Processes of a world, found by what they were started with, and ended by their own numbers.
import { readdirSync, readFileSync } from "node:fs";

/** Whatever names the folder in its command line or environment, and has all of these words in its command line. */
export function processesOf(folder: string, words: readonly string[]): number[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      try {
        const started = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        if (!words.every((word) => started.includes(word))) return false;
        return `${started.join(" ")} ${readFileSync(`/proc/${pid}/environ`, "utf8")}`.includes(folder);
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}

/** The leader of a group, and all that is in it: a wrapper and the program that it has started. */
export const killGroup = (pid: number): void => kill(-pid);

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
