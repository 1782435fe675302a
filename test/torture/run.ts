// npm run torture -- [--trials 1000] [--seed 1] [--parallel 2] [--seconds 0]
// Kills workers, command lines or both, half of the times when the k-th event appears (swept over all k), half
// at random, and counts what was lost, run twice unsaid, stuck or left alive. Needs the build.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openCustody } from "../../src/custody/index.ts";
import { randomFrom } from "./random.ts";
import { type Plan, playTrial } from "./trial.ts";

const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "2" },
    seconds: { type: "string", default: "0" },
  },
});
const [trials, seed, parallel, seconds] = [values.trials, values.seed, values.parallel, values.seconds].map(Number) as [
  number,
  number,
  number,
  number,
];
const built = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const main = existsSync(built) ? built : fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Events of an undisturbed run, and a few more: sweeping beyond the end finds nothing left to interrupt. */
const EVENTS = 60;
const SLOWEST_MS = 1_500;

function planOf(trial: number): Plan {
  const random = randomFrom(seed * 1_000_003 + trial);
  const shape = random() < 0.5 ? "run" : "background";
  const victim = (["worker", "cli", "both"] as const)[Math.floor(random() * 3)] ?? "both";
  const when = trial % 2 === 0 ? { event: 1 + ((trial / 2) % EVENTS) } : { ms: Math.floor(random() * SLOWEST_MS) };
  return { trial, seed, shape, victim, when };
}

const { tier } = await openCustody();
const started = performance.now();
const until = seconds === 0 ? Number.POSITIVE_INFINITY : started + seconds * 1000;
let next = 0;
let played = 0;
let failed = 0;
const counts = new Map<string, number>();

async function player(): Promise<void> {
  while (next < trials && performance.now() < until) {
    const plan = planOf(next++);
    const { problems } = await playTrial(plan, main);
    played++;
    const key = `${plan.shape}, ${plan.victim}, ${"event" in plan.when ? "at an event" : "at random"}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (problems.length > 0) {
      failed++;
      process.stdout.write(`trial ${JSON.stringify(plan)}:\n${problems.map((problem) => `  ${problem}\n`).join("")}`);
    }
    if (played % 50 === 0) process.stderr.write(`${played} trials, ${failed} failed\n`);
  }
}

await Promise.all(Array.from({ length: parallel }, player));
for (const [key, count] of [...counts].toSorted(([a], [b]) => a.localeCompare(b)))
  process.stdout.write(`${String(count).padStart(5)}  ${key}\n`);
process.stdout.write(`torture (custody: ${tier}, seed ${seed}): ${played - failed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || played === 0 ? 1 : 0;
