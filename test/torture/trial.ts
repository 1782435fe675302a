// One trial: start work, kill -9 somebody, and see that everything is accounted for.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { type Cadre, openCadre } from "../../src/app/index.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { makePlace, type TrialPlace } from "./place.ts";

export interface Plan {
  readonly trial: number;
  readonly seed: number;
  /** `run`: the command line is the worker. `background`: a resident is. */
  readonly shape: "run" | "background";
  readonly victim: "cli" | "worker" | "both";
  readonly when: { readonly event: number } | { readonly ms: number };
}

export interface Verdict {
  readonly problems: readonly string[];
  /** How many events there were when it was killed: what `when.event` can be swept over. */
  readonly events: number;
}

const GONE_WITHIN_MS = 5_000;
const TRIAL_LIMIT_MS = 60_000;

export async function playTrial(plan: Plan, main: string): Promise<Verdict> {
  const place = makePlace(plan.trial, plan.seed);
  const problems: string[] = [];
  const cli = startCli(plan, place, main);
  try {
    const events = await waitForMoment(plan, place, cli.process);
    await kill(plan, place, cli.process);
    await cli.ended;
    problems.push(...(await survivors(plan, place)));
    problems.push(...(await account(place, cli.acknowledged())));
    return { problems, events };
  } finally {
    for (const pid of [...residentsOf(place), ...marked(place)]) end(pid);
    cli.process.kill("SIGKILL");
    await delay(20);
    place.remove();
  }
}

function startCli({ shape }: Plan, { project, userHome }: TrialPlace, main: string) {
  const env = { PATH: process.env["PATH"] ?? "", HOME: userHome, NO_COLOR: "1" };
  const args = shape === "run" ? ["run", "lead", "go"] : ["run", "--background", "lead", "go"];
  const child = spawn(process.execPath, [main, ...args], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: TRIAL_LIMIT_MS,
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    process: child,
    ended,
    acknowledged: () => (shape === "background" ? stdout.trim().split("\n").filter(Boolean) : []),
  };
}

/** Until the k-th event stands in the log, or for so long; or until there is nothing left to interrupt. */
async function waitForMoment({ when, shape }: Plan, place: TrialPlace, child: ChildProcess): Promise<number> {
  const until = performance.now() + ("ms" in when ? when.ms : TRIAL_LIMIT_MS);
  for (;;) {
    const { events, isDone } = look(place);
    if ("event" in when && events >= when.event) return events;
    if (isDone || (shape === "run" && child.exitCode !== null) || performance.now() >= until) return events;
    await delay(1);
  }
}

function look({ home }: TrialPlace): { events: number; isDone: boolean } {
  const file = join(home, "cadre.db");
  if (!existsSync(file)) return { events: 0, isDone: false };
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 5 });
    const events = Number(database.prepare("SELECT count(*) AS n FROM events").get()?.["n"] ?? 0);
    const roots = database.prepare("SELECT status FROM tasks WHERE parent IS NULL").all();
    return {
      events,
      isDone: roots.length > 0 && roots.every(({ status }) => status === "completed" || status === "failed"),
    };
  } catch {
    return { events: 0, isDone: false }; // not made yet, or locked for a moment
  }
}

async function kill({ victim, shape }: Plan, place: TrialPlace, child: ChildProcess): Promise<void> {
  if (victim !== "worker" || shape === "run") child.kill("SIGKILL");
  if (victim === "cli" && shape === "background") return;
  if (shape === "background") for (const pid of residentsOf(place)) end(pid);
}

/** Processes that a dead worker's jobs have left. A worker that lives may still have some. */
async function survivors({ victim, shape }: Plan, place: TrialPlace): Promise<string[]> {
  if (shape === "background" && victim === "cli") return [];
  const until = performance.now() + GONE_WITHIN_MS;
  while (performance.now() < until) {
    if (residentsOf(place).length === 0 && marked(place).length === 0) return [];
    if (residentsOf(place).length > 0) return []; // another resident has come and is at work
    await delay(20);
  }
  return [`${marked(place).length} processes live ${GONE_WITHIN_MS} ms after their worker was killed`];
}

/** Lets the next worker recover, tries again what was interrupted, and reads the whole log. */
async function account(place: TrialPlace, acknowledged: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  await residentsGone(place);
  const options = {
    home: place.home,
    userHome: place.userHome,
    cwd: place.project,
    env: {},
    settings: { rateLimitPerMin: 10_000 },
  };
  {
    await using cadre = await openCadre(options);
    const all = async () => (await cadre.call("task.list", { limit: 1000 })).tasks;
    for (const id of acknowledged)
      if (!(await all()).some((task) => task.id === id)) problems.push(`${id} was acknowledged, and is lost`);
    await finishHere(cadre, place);
    for (const task of await all()) if (!isSettled(task)) problems.push(`${task.id} is stuck: ${task.status}`);
    for (const task of (await all()).filter(({ status, spec }) => status === "interrupted" && spec.parent === null)) {
      await cadre.call("task.retry", { task: task.id });
    }
    await finishHere(cadre, place);
    for (const task of await all()) {
      if (task.spec.parent === null && task.status !== "completed")
        problems.push(`${task.id} cannot be finished: ${task.status}`);
      problems.push(...ranTwice(task, place));
    }
  }
  problems.push(...(await foldsAlike(place)));
  if (marked(place).length > 0) problems.push("processes live after everything has ended");
  return problems;
}

/** A resident may just be starting, unseen: what it holds is not stuck, so it is given the time to finish. */
async function finishHere(cadre: Cadre, place: TrialPlace): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await residentsGone(place);
    await cadre.work({ dispatch: ["auto", "manual"] });
    const { tasks } = await cadre.call("task.list", { limit: 1000 });
    if (tasks.every(isSettled)) return;
    await delay(500);
  }
}

const isSettled = ({ status }: TaskView): boolean =>
  ["completed", "failed", "cancelled", "interrupted"].includes(status);

/** A job leaves one trace per run: more than it has attempts means that one ran unsaid. */
function ranTwice(task: TaskView, { effects }: TrialPlace): string[] {
  const runs = readFileSync(effects, "utf8")
    .split("\n")
    .filter((line) => line === task.id).length;
  if (runs > task.attempts.length) return [`${task.id} ran ${runs} times in ${task.attempts.length} attempts`];
  const isDoneJob = task.status === "completed" && task.backend === "command";
  return isDoneJob && runs === 0 ? [`${task.id} is completed and left no trace`] : [];
}

async function foldsAlike({ home }: TrialPlace): Promise<string[]> {
  const store = await sqliteStore(join(home, "cadre.db"), systemClock, { token: () => "" });
  try {
    const log = await store.read({ after: 0, limit: 100_000 });
    const tasks = await store.tasks({ limit: 1000 });
    return tasks
      .filter((task) => JSON.stringify(sorted(foldTask(task.id, log))) !== JSON.stringify(sorted(task)))
      .map(({ id }) => `${id} is not what its log says`);
  } finally {
    await store.close();
  }
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
};

async function residentsGone(place: TrialPlace): Promise<void> {
  for (let tries = 0; tries < 2000 && residentsOf(place).length > 0; tries++) await delay(10);
}

const residentsOf = ({ home }: TrialPlace): number[] =>
  processes((words) => words.includes("--resident") && words.includes(home));
const marked = ({ mark }: TrialPlace): number[] => processes((words) => words.some((word) => word.includes(mark)));

function processes(fits: (words: string[]) => boolean): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const isZombie = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
        return !isZombie && fits(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"));
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}
