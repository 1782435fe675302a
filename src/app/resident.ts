// The detached worker of a store: what is only admitted (by `run --background`, by a protocol) still runs, and
// outlives whoever admitted it.
import { spawn } from "node:child_process";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "../engine/index.ts";
import { waitsForResident } from "../domain/for-resident.ts";
import { packageRoot } from "../platform/package-root.ts";
import { ATTEMPT_VARIABLE, TOKEN_VARIABLE } from "./attempt-variables.ts";
import type { Home } from "./find-home.ts";

/** How long it stays when nothing is left to do. */
const LINGER_MS = 5_000;
const LOOKED_AT = 200;

/** Runs as the resident until nothing is left to do. False: another one lives. */
export async function reside(engine: Engine, signal: AbortSignal): Promise<boolean> {
  const { store, liveness } = engine.parts;
  const before = await store.resident();
  if (before !== undefined && (await liveness.check(before)) !== "dead") return false;
  if (!(await store.moveIn(liveness.self, before?.id ?? null))) return false;
  await engine.work({ dispatch: ["auto"], until: "idle", lingerMs: LINGER_MS, isResident: true }, signal);
  return true;
}

/** Starts one where none lives. Called after admitting: whoever is about to leave has seen the task by then. */
export async function ensureResident(engine: Engine, { home, project }: Home): Promise<void> {
  const { store, liveness } = engine.parts;
  const resident = await store.resident();
  if (resident !== undefined && (await liveness.check(resident)) !== "dead") return;
  const logs = join(home, "logs");
  await mkdir(logs, { recursive: true, mode: 0o700 });
  await using log = await open(join(logs, "worker.log"), "a", 0o600);
  const { [ATTEMPT_VARIABLE]: _attempt, [TOKEN_VARIABLE]: _token, ...env } = process.env;
  const args = [...process.execArgv, commandFile(), "--home", home, "work", "--resident"];
  const [file, ...words] = orphaned([process.execPath, ...args]);
  // Its own session, so that closing a terminal or stopping a host does not reach it.
  spawn(file, words, { cwd: project, env, detached: true, stdio: ["ignore", log.fd, log.fd] }).unref();
}

/** Starts one where something waits for it, such as what a resident that was killed had to leave. */
export async function wakeResident(engine: Engine, home: Home): Promise<void> {
  const { store, clock, credentials, liveness } = engine.parts;
  const resident = await store.resident();
  const hasLeft = resident !== undefined && (await store.holders()).some(({ id }) => id === resident.id);
  // What it held is nobody's yet: the next one sees to that first.
  if (hasLeft && (await liveness.check(resident)) === "dead") return ensureResident(engine, home);
  const queued = await store.tasks({ status: ["pending"], limit: LOOKED_AT });
  const waiting = queued.filter((task) => waitsForResident(task, clock.now()));
  if (waiting.length === 0) return;
  // One that lacks a key would leave again at once.
  const needs = waiting.flatMap(({ spec }) => spec.needs);
  const has = new Set((await credentials.available(needs.map(({ name }) => name))).map(({ sha256 }) => sha256));
  if (waiting.some(({ spec }) => spec.needs.every(({ sha256 }) => has.has(sha256)))) await ensureResident(engine, home);
}

/** Nobody's child: some hosts end whatever descends from a server that they have started, in whichever session it is. */
const orphaned = (command: readonly [string, ...string[]]): readonly [string, ...string[]] =>
  process.platform === "win32" ? command : ["/bin/sh", "-c", '"$@" &', "sh", ...command];

/** The command line, from the sources or as it was built: whichever this code is. */
const commandFile = (): string =>
  join(packageRoot(), ...(import.meta.url.endsWith(".ts") ? ["src", "cli", "main.ts"] : ["dist", "cli", "main.js"]));
