import type { Clock } from "../ports/index.ts";

/** A reason of our own: the default one is an error, made anew each time. */
const HELD = "held";

/** A time limit that runs once it is told to, and can be held: while an attempt waits for a person or a child, its time does not run. */
export class Deadline implements Disposable {
  readonly #clock: Clock;
  readonly #onReached: () => void;
  #leftMs: number;
  #running: { since: number; cancel: AbortController } | undefined;

  constructor(clock: Clock, ms: number, onReached: () => void) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#onReached = onReached;
  }

  resume(): void {
    if (this.#running !== undefined) return;
    const cancel = new AbortController();
    this.#running = { since: this.#clock.monotonic(), cancel };
    void this.#clock.sleep(this.#leftMs, cancel.signal).then(() => {
      if (!cancel.signal.aborted) this.#onReached();
    });
  }

  hold(): void {
    if (this.#running === undefined) return;
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#running.since));
    this.#running.cancel.abort(HELD);
    this.#running = undefined;
  }

  [Symbol.dispose](): void {
    this.hold();
  }
}
