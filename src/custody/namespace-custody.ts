// Every program in a process namespace of its own. What it left behind ends with it, also what opened a
// session of its own or scrubbed its environment: the kernel sees to that, and nobody has to be found.
import { staleAttempt } from "../errors/index.ts";
import { unnamedFile } from "../platform/unnamed-file.ts";
import type { Command, Custody, Keep, Kept } from "../ports/index.ts";
import { hunt } from "./hunt.ts";
import type { Launcher } from "./launchers.ts";
import { markedAs, markedBy, type Owner } from "./marker.ts";
import { Namespaces } from "./namespaces.ts";
import type { NamespacedProgram } from "./namespaced-program.ts";
import { startOrSay } from "./start-or-say.ts";

/** `orders`: opens a file for what a namespace that is made ahead is told. */
export function namespaceCustody(launcher: Launcher, orders: () => number | undefined = unnamedFile): Custody {
  const namespaces = new Namespaces(launcher, orders);
  return {
    tier: "namespace",
    open: (owner) => new NamespaceKeep(namespaces, owner),
    // Normally nothing: see launchers.ts for the moment in which something can be left.
    sweep: (worker) => hunt({ isMarked: markedBy(worker), leaders: [] }),
  };
}

class NamespaceKeep implements Keep {
  readonly #namespaces: Namespaces;
  readonly #owner: Owner;
  readonly #programs: NamespacedProgram[] = [];
  #ending: Promise<void> | undefined;

  constructor(namespaces: Namespaces, owner: Owner) {
    this.#namespaces = namespaces;
    this.#owner = owner;
  }

  spawn(command: Command): Kept {
    if (this.#ending !== undefined) throw staleAttempt(this.#owner.task, this.#owner.attempt);
    return startOrSay(command, (resolved) => {
      const program = this.#namespaces.start(resolved, this.#owner);
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
    const doubtful = this.#programs.filter((_, index) => isSure[index] === false);
    if (doubtful.length > 0) await hunt({ isMarked: markedAs(...doubtful.map(({ marker }) => marker)), leaders: [] });
    for (const program of this.#programs) program.release();
  }
}
