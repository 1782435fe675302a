// Every program in a process namespace of its own. What it left behind ends with it, also what opened a
// session of its own or scrubbed its environment: the kernel sees to that, and nobody has to be found.
import { staleAttempt } from "../errors/index.ts";
import type { Command, Custody, Keep, Kept } from "../ports/index.ts";
import { hunt } from "./hunt.ts";
import type { Launcher } from "./launchers.ts";
import { markedAs, markedBy, markerOf, type Owner } from "./marker.ts";
import { NamespacedProgram } from "./namespaced-program.ts";
import { startProgram } from "./program.ts";
import { startOrSay } from "./start-or-say.ts";

export function namespaceCustody(launcher: Launcher): Custody {
  return {
    tier: "namespace",
    open: (owner) => new NamespaceKeep(launcher, owner),
    // Normally nothing: see launchers.ts for the moment in which something can be left.
    sweep: (worker) => hunt({ isMarked: markedBy(worker), leaders: [] }),
  };
}

class NamespaceKeep implements Keep {
  readonly #launcher: Launcher;
  readonly #owner: Owner;
  readonly #programs: NamespacedProgram[] = [];
  #ending: Promise<void> | undefined;

  constructor(launcher: Launcher, owner: Owner) {
    this.#launcher = launcher;
    this.#owner = owner;
  }

  spawn(command: Command): Kept {
    if (this.#ending !== undefined) throw staleAttempt(this.#owner.task, this.#owner.attempt);
    return startOrSay(command, (resolved) => {
      const program = new NamespacedProgram(startProgram(this.#launcher.wrap(resolved, markerOf(this.#owner))));
      this.#programs.push(program);
      return program.kept;
    });
  }

  endAll(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const isSure = await Promise.all(this.#programs.map((program) => program.end()));
    // Killed before its init was to be seen: the init may have come a moment later.
    if (isSure.includes(false)) await hunt({ isMarked: markedAs(this.#owner), leaders: [] });
    for (const program of this.#programs) program.release();
  }
}
