// One side of a comparison is a process of its own: no side warms, fills or patches what another one runs in. It is
// told what to do, and says how long that took.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Work {
  /** Where the model is reached; `""` before its `v1`. */
  readonly model: string;
  readonly prompt: string;
  /** So many at the same time. */
  readonly count: number;
}

export type Asked =
  /** `weigh`: in bytes, what they take on the heap while all of them wait for the model. */
  { readonly kind: "run" | "weigh"; readonly work: Work };

export type Said = { readonly value: number } | { readonly problem: string };

export class SideProcess implements AsyncDisposable {
  readonly #child: ChildProcess;

  /** `file`: beside this one, under `sides/`. */
  constructor(file: string, execArgv: readonly string[] = []) {
    const path = fileURLToPath(new URL(`sides/${file}`, import.meta.url));
    this.#child = fork(path, {
      execArgv: ["--expose-gc", ...execArgv],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  async ask(kind: Asked["kind"], work: Work): Promise<number> {
    const answer = Promise.race([once(this.#child, "message"), this.#died()]);
    this.#child.send({ kind, work } satisfies Asked);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a program of ours, beside this one
    const [said] = (await answer) as [Said];
    if ("problem" in said) throw new Error(said.problem);
    return said.value;
  }

  async #died(): Promise<never> {
    await once(this.#child, "exit");
    throw new Error("a side of the comparison ended before it answered");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}
