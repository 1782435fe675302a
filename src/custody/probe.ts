import { spawn } from "node:child_process";
import { findProgram } from "../platform/find-program.ts";
import { workerEnvironment } from "../platform/process-environment.ts";
import { ownPid } from "../platform/processes.ts";
import { hunt } from "./hunt.ts";
import type { Launcher } from "./launchers.ts";
import { MARKER } from "./marker.ts";
import { until } from "./pause.ts";

const START_LIMIT_MS = 3_000;
const END_LIMIT_MS = 2_000;

// A child that has left its session, its parent and its environment. It holds our pipe: when that ends, the
// child is dead. Where nothing ends it, it does so soon by itself.
const ESCAPE = `(setsid env -i sh -c "echo up; exec sleep 5" &); exec sleep 5`;

/**
 * Whether this launcher keeps its promise on this machine: containers, kernels and distributions forbid
 * different parts of it. Tried with the real thing: a parent is killed by SIGKILL, as a worker may be, and
 * then nothing of what the launcher started may be left.
 */
export async function keepsItsPromise(launcher: Launcher): Promise<boolean> {
  const path = workerEnvironment()["PATH"];
  const shell = findProgram("sh", { cwd: "/", path });
  if (!shell.ok) return false;
  const marker = `probe:${ownPid()}:${launcher.name}`;
  const escape = { file: shell.file, args: ["-c", ESCAPE], cwd: "/", env: path === undefined ? {} : { PATH: path } };
  const { file, args, cwd, env } = launcher.wrap(escape, marker);
  // This shell stands for the worker: the launcher is its child.
  const worker = spawn(shell.file, ["-c", '"$@" & wait', "sh", file, ...args], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let isUp = false;
  let isOver = false;
  worker.on("error", () => (isOver = true));
  worker.stdout.on("data", () => (isUp = true)).on("end", () => (isOver = true));
  await until(() => isUp || isOver, START_LIMIT_MS);
  worker.kill("SIGKILL");
  const isKept = (await until(() => isOver, END_LIMIT_MS)) && isUp;
  if (!isKept) await hunt({ isMarked: (environment) => environment.includes(`${MARKER}=${marker}`), leaders: [] });
  worker.stdout.destroy();
  return isKept;
}
