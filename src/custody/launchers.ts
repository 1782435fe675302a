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
import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { basename } from "node:path";
import { findProgram } from "../platform/find-program.ts";
import { workerEnvironment } from "../platform/process-environment.ts";
import type { Command } from "../ports/index.ts";
import { MARKER } from "./marker.ts";
import { AWAIT_ORDER, orderFor } from "./orders.ts";

export interface Launcher {
  readonly name: "bwrap" | "unshare";
  /** The command that starts this one, whose file is absolute. `marker` is for the launcher, not for the program. */
  wrap(command: Command, marker: string): Command;
  /** The command that only makes the namespace, and waits there for an order. */
  prepare(marker: string): Command;
  /** The order for this command; `undefined` where it has to be wrapped. */
  order(command: Command): string | undefined;
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
  const [file, env, setsid, shell] = [find("bwrap"), find("env"), find("setsid"), find("sh")];
  if (file === undefined || env === undefined || setsid === undefined || shell === undefined) return undefined;
  const whole = ["--dev-bind", "/", "/"];
  const namespace = [file, "--die-with-parent", "--unshare-pid", "--as-pid-1", ...whole, "--proc", "/proc"];
  return {
    name: "bwrap",
    wrap: launch([...namespace, "--", file, ...whole, "--"], env, setsid),
    ...waiting([...namespace, "--new-session", "--"], shell, env),
  };
}

/**
 * It makes no init. A program that is itself the first process ignores SIGTERM, by the kernel's rule, so
 * there must be one: `timeout`, told to wait for ever, which changes nothing else (a shell would change the
 * environment). It does not collect orphans: those that have ended stay listed until the program ends.
 */
function unshare(): Launcher | undefined {
  const [setpriv, file, timeout] = [find("setpriv"), find("unshare"), find("timeout")];
  const [env, setsid, shell] = [find("env"), find("setsid"), find("sh")];
  if (setpriv === undefined || file === undefined || timeout === undefined) return undefined;
  if (env === undefined || setsid === undefined || shell === undefined) return undefined;
  const user = userInfo().uid === 0 ? [] : ["--user", "--map-current-user"];
  const outer = [setpriv, "--pdeathsig", "SIGKILL", "--", file, ...user, "--pid", "--fork"];
  const namespace = [...outer, "--kill-child=SIGKILL", "--mount-proc", "--"];
  return {
    name: "unshare",
    wrap: launch([...namespace, timeout, "--foreground", "0"], env, setsid),
    ...waiting([...namespace, setsid], shell, env),
  };
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

/**
 * The shell is the init: it collects orphans, and ends with the program. It has a session of its own, so that
 * the program can be signalled by a group that the launcher is not in; of signals to that group it hears
 * none, for it is a first process. Its environment has nothing but our marker.
 */
function waiting(
  [file = "", ...args]: readonly string[],
  shell: string,
  env: string,
): Pick<Launcher, "prepare" | "order"> {
  // This one adds nothing to an environment that it cannot take out again.
  const cleaner = basename(realpathSync(shell)) === "dash" ? undefined : env;
  return {
    prepare: (marker) => ({ file, args: [...args, shell, "-c", AWAIT_ORDER], cwd: "/", env: { [MARKER]: marker } }),
    order: (command) => orderFor(command, cleaner),
  };
}
