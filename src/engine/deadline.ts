import type { Clock } from "../ports/index.ts";

/** A time limit that runs once it is told to, and can be held: while an attempt waits for a person or a child, its time does not run. */
export class Deadline implements Disposable {
  readonly #clock: Clock;
  readonly #onReached: () => void;
  #leftMs: number;
  #running: { readonly since: number; readonly alarm: Disposable } | undefined;

  constructor(clock: Clock, ms: number, onReached: () => void) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#onReached = onReached;
  }

  resume(): void {
    if (this.#running !== undefined) return;
    this.#running = { since: this.#clock.monotonic(), alarm: this.#clock.alarm(this.#leftMs, this.#onReached) };
  }

  hold(): void {
    if (this.#running === undefined) return;
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#running.since));
    this.#running.alarm[Symbol.dispose]();
    this.#running = undefined;
  }

  [Symbol.dispose](): void {
    this.hold();
  }
}
