// Programs as plain children, found again by session, parents and a marker in the environment.
//
// Not covered: a process that scrubs (or overwrites) its environment, opens a session of its own, and whose
// parent has ended before anybody looked. Nothing ties it to the attempt any more. Nor is a worker's death by
// SIGKILL noticed by what it started: that is swept by the next worker.
import { staleAttempt } from "../errors/index.ts";
import type { ProcessRef } from "../platform/proc-table.ts";
import type { Command, Custody, Keep, Kept } from "../ports/index.ts";
import { exitedOf } from "./exit-status.ts";
import { hunt } from "./hunt.ts";
import { MARKER, markedAs, markedBy, markerOf, type Owner } from "./marker.ts";
import { until } from "./pause.ts";
import { type Program, startProgram } from "./program.ts";
import { startOrSay } from "./start-or-say.ts";
import { wish } from "./wish.ts";

const EXIT_LIMIT_MS = 1_000;

export function trackedCustody(): Custody {
  return {
    tier: "tracked",
    open: (owner) => new TrackedKeep(owner),
    sweep: (worker) => hunt({ isMarked: markedBy(worker), leaders: [] }),
  };
}

class TrackedKeep implements Keep {
  readonly #owner: Owner;
  readonly #programs: Program[] = [];
  #ending: Promise<void> | undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  spawn(command: Command): Kept {
    if (this.#ending !== undefined) throw staleAttempt(this.#owner.task, this.#owner.attempt);
    return startOrSay(command, (resolved) => {
      const program = startProgram({ ...resolved, env: { ...resolved.env, [MARKER]: markerOf(this.#owner) } });
      this.#programs.push(program);
      return keptOf(program);
    });
  }

  endAll(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (this.#programs.length === 0) return;
    const leaders = this.#programs.flatMap(({ ref }): ProcessRef[] => (ref === undefined ? [] : [ref]));
    await hunt({ isMarked: markedAs(markerOf(this.#owner)), leaders });
    await until(() => this.#programs.every(({ hasExited }) => hasExited), EXIT_LIMIT_MS); // so that none is a zombie
    for (const program of this.#programs) program.release();
  }
}

function keptOf(program: Program): Kept {
  const { ref, exit, stdout, stderr, write, endInput } = program;
  const listener = {
    get hasExited() {
      return program.hasExited;
    },
    find: async () => ref,
  };
  return {
    pid: ref?.pid,
    stdout,
    stderr,
    exited: exit.then(exitedOf),
    write,
    endInput,
    signal: (name) => void wish(listener, name),
  };
}
