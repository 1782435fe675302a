// A network with nothing in it but its own loopback, and servers of this worker listening there.
//
// Node cannot enter a namespace. So a small program of ours is started in it, listens, hands the listening sockets
// over and ends: a socket belongs to the network that it was made in, whoever holds it. The network itself is held
// by a descriptor of this process. So no process is left, no bytes are copied, and all of it goes when this process
// does. It is not started in custody, which has no channel for handing sockets over: it ends with that channel.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Server } from "node:net";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { admissionRefused, CadreError } from "../../errors/index.ts";
import { findProgram } from "../../platform/find-program.ts";
import { later } from "../../platform/later.ts";
import { ownProgram } from "../../platform/own-program.ts";
import { workerEnvironment } from "../../platform/process-environment.ts";
import { ownPid } from "../../platform/processes.ts";
import type { ReachableHost } from "../../ports/index.ts";
import { LISTEN_INSIDE, type Told } from "./listen-inside.ts";

export interface Listening {
  readonly server: Server;
  readonly port: number;
}

export interface Namespace {
  /** The command that puts the one behind it into this network. */
  readonly enter: readonly string[];
  /** One server for each of these places in there, in their order. Port 0 is any that is free. */
  listen(places: readonly ReachableHost[]): Promise<readonly Listening[]>;
  readonly close: () => void;
}

const run = promisify(execFile);

const held = (fd: number): string => `/proc/${ownPid()}/fd/${fd}`;

const START_LIMIT_MS = 15_000;
const HINT = "To give programs a network, Cadre needs bubblewrap and nsenter, and leave to make namespaces";

/** With servers at these places in it. Rejects where this machine does not let us. */
export async function openNamespace(
  places: readonly ReachableHost[],
): Promise<{ readonly namespace: Namespace; readonly servers: readonly Listening[] }> {
  const [bwrap, nsenter] = [find("bwrap"), find("nsenter")];
  const isRoot = userInfo().uid === 0;
  let problem: unknown;
  // Root in a container may have to do what everybody else does.
  for (const ofOwnUser of isRoot ? [false, true] : [true]) {
    const user = ofOwnUser ? ["--unshare-user"] : [];
    const make = [bwrap, ...user, "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/", "--"];
    try {
      return await withProgram(make, places, async ({ pid, servers }) => {
        const namespace = namespaceOf(nsenter, hold(pid, ofOwnUser));
        await tryToEnter(namespace);
        return { namespace, servers };
      });
    } catch (error) {
      problem ??= error;
    }
  }
  throw unavailable(problem);
}

interface Held {
  readonly net: number;
  readonly user: number | undefined;
}

/** By descriptors: a number of a process may be another one's a moment later, with another network. */
function hold(pid: number, ofOwnUser: boolean): Held {
  const net = openSync(`/proc/${pid}/ns/net`, "r");
  try {
    return { net, user: ofOwnUser ? openSync(`/proc/${pid}/ns/user`, "r") : undefined };
  } catch (error) {
    closeSync(net);
    throw error;
  }
}

function namespaceOf(nsenter: string, { net, user }: Held): Namespace {
  const asUser = user === undefined ? [] : [`--user=${held(user)}`, "--preserve-credentials"];
  const enter = [nsenter, ...asUser, `--net=${held(net)}`, "--"];
  return {
    enter,
    listen: (places) => withProgram(enter, places, async ({ servers }) => servers).catch(notThere),
    close: () => {
      closeSync(net);
      if (user !== undefined) closeSync(user);
    },
  };
}

/** Making one and entering it are two rights. Found out here, and not by the program that is to run in it. */
async function tryToEnter({ enter, close }: Namespace): Promise<void> {
  const [file, ...args] = [...enter, find("true")];
  try {
    await run(file, args, { cwd: "/", env: {}, timeout: START_LIMIT_MS });
  } catch (error) {
    close();
    throw error;
  }
}

interface Inside {
  readonly pid: number;
  readonly servers: readonly Listening[];
}

/** Starts our program behind `prefix`, has it listen, does the work, and waits for its end. */
async function withProgram<T>(
  prefix: readonly string[],
  places: readonly ReachableHost[],
  work: (inside: Inside) => Promise<T>,
): Promise<T> {
  const [file, ...args] = [...prefix, ownProgram(), "-e", LISTEN_INSIDE, JSON.stringify(places)];
  const child = spawn(file, args, { cwd: "/", env: {}, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const servers: Listening[] = [];
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve()); // "close" does not come to whoever has disconnected
    child.once("error", () => resolve());
  });
  try {
    return await work({ pid: await pidOf(child, servers, places.length), servers });
  } catch (error) {
    for (const { server } of servers) server.close();
    throw error;
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}

/** Its number, once it listens everywhere and all of that is here. */
function pidOf(child: ChildProcess, servers: Listening[], count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let errors = "";
    let pid: number | undefined;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors = `${errors}${text}`.slice(0, 500);
    });
    child.on("message", (told: Told, server: unknown) => {
      if (told.kind === "problem") reject(new Error(told.text));
      else if (told.kind === "ready") ({ pid } = told);
      else if (server instanceof Server) servers.push({ server, port: told.port });
      if (pid !== undefined && servers.length === count) resolve(pid);
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(errors.trim() === "" ? `${child.spawnfile} ended` : errors.trim())));
    later(START_LIMIT_MS, () => {
      reject(new Error(`no answer within ${START_LIMIT_MS / 1000} seconds`));
      child.kill("SIGKILL");
    });
  });
}

function find(name: string): string {
  const found = findProgram(name, { cwd: "/", path: workerEnvironment()["PATH"] });
  if (!found.ok) throw unavailable(new Error(found.problem));
  return found.file;
}

const notThere = (error: unknown): never => {
  throw unavailable(error);
};

function unavailable(problem: unknown): CadreError {
  if (CadreError.isInstance(problem)) return problem;
  const why = problem instanceof Error ? problem.message.trim() : String(problem);
  return admissionRefused("network", `the network of this attempt could not be set up: ${why}. ${HINT}.`);
}
