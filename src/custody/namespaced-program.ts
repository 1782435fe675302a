import { innermostPid, listProcesses, type ProcessRef, readProcess } from "../platform/proc-table.ts";
import { signalProcess } from "../platform/processes.ts";
import type { Exited, Kept } from "../ports/index.ts";
import { exitedThroughLauncher } from "./exit-status.ts";
import { until } from "./pause.ts";
import type { Program } from "./program.ts";
import { wish } from "./wish.ts";

const END_LIMIT_MS = 5_000;
const PROGRAMS_OWN_NUMBER = 2; // the init is 1, and the program is the first that it starts

const KILLED: Exited = { kind: "killed", signal: "SIGKILL" };

/** A program behind its launcher and its init, of which only the launcher is our child. */
export class NamespacedProgram {
  readonly kept: Kept;
  /** What its launcher and its init carry in their environments. */
  readonly marker: string;
  readonly #launcher: Program;
  #program: ProcessRef | undefined;
  #isEnded = false;
  #isOrphaned = false;

  constructor(launcher: Program, marker: string) {
    this.#launcher = launcher;
    this.marker = marker;
    const { ref, exit, stdout, stderr, write, endInput } = launcher;
    // Somebody killed the launcher: its init follows by itself, but nobody has seen it go.
    void exit.then((how) => (this.#isOrphaned = how.kind === "exit" && how.signal !== null));
    const listener = {
      get hasExited() {
        return launcher.hasExited;
      },
      find: async () => (this.#program ??= await this.#findProgram()),
    };
    this.kept = {
      pid: ref?.pid,
      stdout,
      stderr,
      // A launcher whose init was killed has its own ways to say so.
      exited: exit.then((how) => (this.#isEnded ? KILLED : exitedThroughLauncher(how))),
      write,
      endInput,
      signal: (name) => void wish(listener, name),
    };
  }

  /** Says whether it is certain that nothing is left. */
  async end(): Promise<boolean> {
    const { ref } = this.#launcher;
    if (ref === undefined || this.#launcher.hasExited) return !this.#isOrphaned;
    this.#isEnded = true;
    // Through the init where there is one: then the launcher collects it, and ends by itself when the kernel
    // has ended all of the namespace. The other way round the init would be orphaned, dead, or still about
    // to ask for its own end.
    const init = await childOf(ref);
    const isSure = init !== undefined && signalProcess(init, "SIGKILL");
    if (!isSure) signalProcess(ref, "SIGKILL");
    if (await until(() => this.#launcher.hasExited, END_LIMIT_MS)) return isSure;
    signalProcess(ref, "SIGKILL");
    return false;
  }

  release(): void {
    this.#launcher.release();
  }

  /** The program's own process, by the number that it has out here, once it can be signalled. */
  async #findProgram(): Promise<ProcessRef | undefined> {
    const { ref } = this.#launcher;
    if (ref === undefined) return undefined;
    const init = await childOf(ref);
    if (init === undefined) return undefined;
    const outside = readProcess(ref.pid)?.group;
    const children = (await listProcesses()).filter(({ parent }) => parent === init.pid);
    // In a group apart from the launcher's: before that, the launcher itself would be hit.
    return children.find(({ pid, group }) => group !== outside && innermostPid(pid) === PROGRAMS_OWN_NUMBER);
  }
}

async function childOf(ref: ProcessRef): Promise<ProcessRef | undefined> {
  return (await listProcesses()).find(({ parent, isZombie }) => parent === ref.pid && !isZombie);
}
