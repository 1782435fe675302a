import type { Clock } from "../../../ports/index.ts";
import { TookTooLong } from "../../web/within-time.ts";

/** How long a server may take, without what a person takes to answer its questions meanwhile. */
export class AnswerTime {
  readonly #clock: Clock;
  #stops = 0;
  /** Aborted when the clock is stopped, and then another one. */
  #running = new AbortController();
  #goesOn: PromiseWithResolvers<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async stopped<T>(work: () => Promise<T>): Promise<T> {
    this.#stops++;
    this.#goesOn ??= Promise.withResolvers();
    this.#running.abort();
    try {
      return await work();
    } finally {
      this.#stops--;
      if (this.#stops === 0) {
        this.#running = new AbortController();
        this.#goesOn.resolve();
        this.#goesOn = undefined;
      }
    }
  }

  /** Aborts the work when the time is up, or when whoever asked for it does not want it any more. */
  async within<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const late = new AbortController();
    void this.#watch(ms, AbortSignal.any([signal, over.signal]), late);
    try {
      return await work(AbortSignal.any([signal, late.signal]));
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : error;
    } finally {
      over.abort();
    }
  }

  async #watch(ms: number, over: AbortSignal, late: AbortController): Promise<void> {
    for (let left = ms; !over.aborted;) {
      const running = this.#running.signal;
      const from = this.#clock.monotonic();
      await this.#clock.sleep(left, AbortSignal.any([over, running]));
      if (over.aborted) return;
      if (!running.aborted) return late.abort(new TookTooLong(ms));
      left = Math.max(0, left - (this.#clock.monotonic() - from));
      await this.#goesOn?.promise;
    }
  }
}
