// An attempt's place among those that compute. It gives the place back while all of its strands wait, and
// takes it again, ahead of new work, when one goes on.
import type { AfterWait, WaitClock } from "../ports/index.ts";
import type { WaitReason } from "../schema/index.ts";
import type { AttemptTime } from "./attempt-time.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";

interface Waiting {
  readonly on: WaitReason;
  readonly clock: WaitClock;
}

export class Slot {
  readonly #parts: RunningParts;
  readonly #journal: Journal;
  readonly #time: AttemptTime;
  readonly #signal: AbortSignal;
  #strands = 1;
  readonly #waiting: Waiting[] = [];
  /** So many have waited for their result, and end with it: they need no place for that. */
  #ending = 0;
  #isGivenBack = false;
  /** Giving back and taking again are one at a time, in order. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: RunningParts, journal: Journal, time: AttemptTime, signal: AbortSignal) {
    this.#parts = parts;
    this.#journal = journal;
    this.#time = time;
    this.#signal = signal;
  }

  async wait<T>(
    on: WaitReason,
    work: (signal: AbortSignal) => Promise<T>,
    clock: WaitClock = "stops",
    after: AfterWait = "goes on",
  ): Promise<T> {
    const waiting = { on, clock };
    this.#waiting.push(waiting);
    try {
      await this.#adjust();
      return await work(this.#signal);
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      if (after === "result") this.#ending++;
      else await this.#adjust();
    }
  }

  async together<T>(strands: readonly (() => Promise<T>)[]): Promise<T[]> {
    if (strands.length === 0) return [];
    this.#strands += strands.length - 1;
    let left = strands.length;
    const results = await Promise.allSettled(
      strands.map(async (strand) => {
        try {
          return await strand();
        } finally {
          // Others may go on for long, and so may taking the slot back.
          if (left > 1 || this.#isGivenBack) this.#journal.inAMoment(this.#parts.clock);
          // The last to end goes on as the strand that called `together`, and takes along what it said.
          if (--left > 0) this.#strands--;
          this.#ending = left > 0 ? Math.max(0, this.#ending - 1) : 0;
          await this.#adjust();
        }
      }),
    );
    return results.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  }

  #adjust(): Promise<void> {
    const next = this.#turn.then(() => this.#bringInLine());
    this.#turn = next.catch(() => undefined);
    return next;
  }

  async #bringInLine(): Promise<void> {
    const { store, pulse, settings } = this.#parts;
    if (this.#signal.aborted) return;
    const [first] = this.#waiting;
    if (first !== undefined && this.#waiting.length + this.#ending >= this.#strands) {
      if (!this.#isGivenBack) await this.#journal.append({ type: "attempt.suspended", on: first.on });
      this.#isGivenBack = true;
      this.#time.is(this.#waiting.every(({ clock }) => clock === "stops") ? "waiting" : "running");
      return;
    }
    if (!this.#isGivenBack) return;
    this.#time.is("queued");
    // What was said meanwhile goes along with what is said next, or is written in a moment.
    await pulse.until(
      "slots",
      this.#signal,
      async () => (await store.regain(this.#journal.hold, settings.maxConcurrent)) || undefined,
    );
    this.#isGivenBack = false;
    this.#time.is("running");
  }
}
