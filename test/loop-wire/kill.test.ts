// kill -9 of real workers, anywhere in an attempt of our own loop: another one finishes it, with the same answer and
// every step taken once, or said to be unknown.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import type { TaskEvent, TaskView } from "../../src/schema/index.ts";
import { randomFrom } from "../torture/random.ts";
import { optionsFor, STEPS } from "./kill-agents.ts";

const TRIALS = 4;
const KILLS = 2;
/** A run of ten steps writes about this many events. */
const EVENTS = 90;

const seed = 20261115;
const random = randomFrom(seed);
const plans = Array.from({ length: TRIALS }, (_, trial) => ({
  agent: trial % 2 === 0 ? "steps" : "lead",
  after: Array.from({ length: KILLS }, () => 5 + Math.floor(random() * (EVENTS / KILLS))),
}));

const eventsIn = (home: string): number => {
  const file = join(home, "cadre.db");
  if (!existsSync(file)) return 0;
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 50 });
    return Number(database.prepare("SELECT count(*) AS n FROM events").get()?.["n"] ?? 0);
  } catch {
    return 0; // locked for a moment
  }
};

/** Starts a worker and kills it once so many more events are there, or when it is done. */
async function workAndDie(project: string, userHome: string, more: number): Promise<boolean> {
  const home = join(project, ".cadre");
  const until = eventsIn(home) + more;
  const file = fileURLToPath(new URL("worker.ts", import.meta.url));
  const worker = spawn(process.execPath, [file, project, userHome], { stdio: "ignore", timeout: 120_000 });
  const ended = new Promise<void>((resolve) => worker.on("close", () => resolve()));
  while (worker.exitCode === null && worker.signalCode === null && eventsIn(home) < until) await delay(1);
  const isKilled = worker.kill("SIGKILL");
  await ended;
  return isKilled;
}

async function play(base: string, { agent, after }: (typeof plans)[number]) {
  const [project, userHome] = [join(base, "project"), join(base, "user")];
  for (const folder of [join(project, ".cadre"), userHome]) mkdirSync(folder, { recursive: true });
  let root: TaskView;
  {
    await using cadre = await openCadre(optionsFor(project, userHome));
    root = await cadre.start({ agent, prompt: "go" });
  }
  let kills = 0;
  for (const more of after) if (await workAndDie(project, userHome, more)) kills++;
  await using cadre = await openCadre(optionsFor(project, userHome));
  await cadre.work({ dispatch: ["auto"] });
  const { tasks } = await cadre.call("task.list", { limit: 100 });
  const steps = tasks.find(({ spec }) => spec.definition.name === "steps");
  if (steps === undefined) throw new Error("the steps were never handed out");
  const log: TaskEvent[] = [];
  for await (const { stream, event } of cadre.tail(root))
    if (stream === `task:${steps.id}`) log.push(event as TaskEvent);
  const effects = existsSync(join(project, "effects")) ? readFileSync(join(project, "effects"), "utf8") : "";
  return { root: await cadre.call("task.get", { task: root.id }), tasks, kills, log, effects: effects.split("\n") };
}

/** The steps of which the agent was told that nobody knows how they went. */
function unknownSteps(log: readonly TaskEvent[]): string[] {
  const unknown = new Set(
    log.flatMap((event) => (event.type === "tool.returned" && event.output.includes("is unknown") ? [event.call] : [])),
  );
  return log.flatMap((event) =>
    event.type === "tool.called" && unknown.has(event.call)
      ? [/echo (\d+)/.exec(JSON.stringify(event.input))?.[1] ?? ""]
      : [],
  );
}

describe.concurrent(`seed ${seed}`, () => {
  test.for(plans)("$agent, killed after $after events", { timeout: 300_000 }, async (plan, { expect }) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-kill-")));
    const { root, tasks, kills, log, effects } = await play(base, plan);
    expect(root.outcome).toMatchObject({ status: "completed", recovered: null });
    expect(root.outcome).toMatchObject({ answer: plan.agent === "steps" ? "all ten" : "they are taken" });
    expect(kills).toBeGreaterThan(0);
    // No second child, whenever its parent died.
    expect(tasks.filter(({ spec }) => spec.definition.name === "steps")).toHaveLength(1);
    const unknown = unknownSteps(log);
    for (let step = 0; step < STEPS; step++) {
      const times = effects.filter((line) => line === String(step)).length;
      expect(times, `step ${step}`).toBeLessThanOrEqual(1);
      if (times === 0) expect(unknown, `step ${step} was not taken`).toContain(String(step));
    }
    expect(unknown.length).toBeLessThanOrEqual(kills);
    rmSync(base, { recursive: true, force: true });
  });
});
