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
  readonly #exited: Promise<unknown>;

  /** `file`: beside this one, under `sides/`. */
  constructor(file: string) {
    const path = fileURLToPath(new URL(`sides/${file}`, import.meta.url));
    // For whoever looks where the time goes: BENCH_EXEC_ARGV="--cpu-prof --cpu-prof-dir=/tmp/profiles".
    const given = (process.env["BENCH_EXEC_ARGV"] ?? "").split(" ").filter((flag) => flag !== "");
    const execArgv = ["--expose-gc", ...given];
    this.#child = fork(path, { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#exited = once(this.#child, "exit");
  }

  async ask(kind: Asked["kind"], work: Work): Promise<number> {
    const over = new AbortController();
    const answer = once(this.#child, "message", { signal: over.signal });
    const died = this.#exited.then(() => undefined);
    this.#child.send({ kind, work } satisfies Asked);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a program of ours, beside this one
    const [said] = ((await Promise.race([answer, died])) ?? [GONE]) as [Said];
    over.abort();
    if ("problem" in said) throw new Error(said.problem);
    return said.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}

const GONE: Said = { problem: "a side of the comparison ended before it answered" };
