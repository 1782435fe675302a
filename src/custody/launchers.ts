// Small programs of the system that start another one in a process namespace of its own.
//
// What they have in common: the first process in there (its init) is a child of the launcher, the program is
// the init's first child, and so the second process of the namespace. Whatever ends the init ends them all,
// and the launcher ends after it. The kernel ends the launcher with the worker, and the init with the
// launcher ("die with parent").
//
// - "With the worker" is with the thread that spawned: for a worker_threads Worker, when that ends.
// - Both ask the kernel for this a few milliseconds after they were started. A worker that is killed in that
//   moment leaves something behind: it carries the marker, and the next worker sweeps it.
import { userInfo } from "node:os";
import { findProgram } from "../platform/find-program.ts";
import { workerEnvironment } from "../platform/process-environment.ts";
import type { Command } from "../ports/index.ts";
import { MARKER } from "./marker.ts";

export interface Launcher {
  readonly name: "bwrap" | "unshare";
  /** The command that starts this one, whose file is absolute. `marker` is for the launcher, not for the program. */
  wrap(command: Command, marker: string): Command;
}

/** Those whose parts are installed, best first. Whether they work here is another question: see the probe. */
export function installedLaunchers(): Launcher[] {
  return [bwrap(), unshare()].filter((launcher) => launcher !== undefined);
}

/**
 * Twice, for its two halves. The outer one makes the namespace. With an init of its own it would end before
 * that init does and leave it, dead, to whoever adopts orphans: in a container often nobody who collects
 * them. So it is told to have none, and the inner one is the init: it waits for all that is orphaned in
 * there, and ends with the program.
 */
function bwrap(): Launcher | undefined {
  const [file, env, setsid] = [find("bwrap"), find("env"), find("setsid")];
  if (file === undefined || env === undefined || setsid === undefined) return undefined;
  const whole = ["--dev-bind", "/", "/"];
  const outer = [file, "--die-with-parent", "--unshare-pid", "--as-pid-1", ...whole, "--proc", "/proc", "--"];
  return { name: "bwrap", wrap: launch([...outer, file, ...whole, "--"], env, setsid) };
}

/**
 * It makes no init. A program that is itself the first process ignores SIGTERM, by the kernel's rule, so
 * there must be one: `timeout`, told to wait for ever, which changes nothing else (a shell would change the
 * environment). It does not collect orphans: those that have ended stay listed until the program ends.
 */
function unshare(): Launcher | undefined {
  const [setpriv, file, timeout] = [find("setpriv"), find("unshare"), find("timeout")];
  const [env, setsid] = [find("env"), find("setsid")];
  if (setpriv === undefined || file === undefined || timeout === undefined) return undefined;
  if (env === undefined || setsid === undefined) return undefined;
  const user = userInfo().uid === 0 ? [] : ["--user", "--map-current-user"];
  const outer = [setpriv, "--pdeathsig", "SIGKILL", "--", file, ...user, "--pid", "--fork"];
  const init = ["--kill-child=SIGKILL", "--mount-proc", "--", timeout, "--foreground", "0"];
  return { name: "unshare", wrap: launch([...outer, ...init], env, setsid) };
}

const find = (name: string): string | undefined => {
  const found = findProgram(name, { cwd: "/", path: workerEnvironment()["PATH"] });
  return found.ok ? found.file : undefined;
};

/**
 * The launcher itself gets the program's environment, and not the worker's: what is in it can be read from
 * inside, in /proc/1/environ. `env` then takes out what is not the program's: our marker, and the PWD that
 * bwrap sets. `setsid` gives the program a group, apart from the launcher's, so that it can be signalled; and
 * it stands behind `env`, which would take a file with "=" in its path for a variable.
 */
const launch =
  ([file = "", ...args]: readonly string[], env: string, setsid: string): Launcher["wrap"] =>
  (command, marker) => {
    const pwd = command.env["PWD"];
    const clean = [env, "-u", MARKER, ...(pwd === undefined ? ["-u", "PWD"] : [`PWD=${pwd}`])];
    return {
      file,
      args: [...args, ...clean, setsid, command.file, ...command.args],
      cwd: command.cwd,
      env: { ...command.env, [MARKER]: marker },
    };
  };
