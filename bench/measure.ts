// Side by side, in one run, as ratios: the machine's noise then falls on both alike.
import { setTimeout } from "node:timers/promises";

export interface Side {
  readonly name: string;
  /** One sample, in milliseconds of work; smaller is better. */
  readonly sample: () => Promise<number>;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/**
 * The samples of each side, taken in turns: a, b, a, b, … What one has left to do afterwards, or does ahead for the next
 * time, falls into the pause, and not into the sample of another.
 */
export async function interleaved(sides: readonly Side[], rounds: number, pauseMs = 0): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, sample } of sides) {
      samples.get(name)?.push(await sample());
      if (pauseMs > 0) await setTimeout(pauseMs);
    }
  }
  return samples;
}

export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly wanted: string;
  /** Undefined: nothing is wanted of it, or it could not be measured. */
  readonly holds: boolean | undefined;
}

export const table = (rows: readonly Row[]): string =>
  [
    "| what | measured | wanted | holds |",
    "|---|---|---|---|",
    ...rows.map(
      ({ what, measured, wanted, holds }) =>
        `| ${what} | ${measured} | ${wanted} | ${holds === undefined ? "-" : holds ? "yes" : "no"} |`,
    ),
  ].join("\n");
