import type { Clock } from "../ports/index.ts";
import { Deadline } from "./deadline.ts";

/** The time of an attempt: what its limit allows, then what its last words may take. */
export class AttemptTime implements Disposable {
  readonly #up = new AbortController();
  #deadline: Deadline;

  constructor(
    clock: Clock,
    { timeoutMs, lastWordsMs }: { readonly timeoutMs: number; readonly lastWordsMs: number },
    onOver: () => void,
  ) {
    this.#deadline = new Deadline(clock, timeoutMs, () => {
      this.#deadline = new Deadline(clock, lastWordsMs, onOver);
      this.#deadline.resume();
      this.#up.abort();
    });
  }

  /** The limit is reached; there may be time for last words. */
  get up(): AbortSignal {
    return this.#up.signal;
  }

  /**
   * `waiting` for somebody is no time of the agent's, but last words are not waited for without end. `queued`: others have
   * its place, and for that nobody's time is used up.
   */
  is(doing: "running" | "waiting" | "queued"): void {
    const standsStill = doing === "queued" || (doing === "waiting" && !this.#up.signal.aborted);
    if (standsStill) this.#deadline.hold();
    else this.#deadline.resume();
  }

  [Symbol.dispose](): void {
    this.#deadline.hold();
  }
}
