// What one attempt writes, in its order and together where it can be: to commit costs more than to write.
import { CadreError, staleAttempt } from "../errors/index.ts";
import type { Appended, Clock, HeldEntry, Hold, Reserve, ReserveAnswer, Store } from "../ports/index.ts";
import type { Cost, ReservationId, ReservationUse, TaskView } from "../schema/index.ts";

interface Batch {
  readonly entries: HeldEntry[];
  readonly written: PromiseWithResolvers<Appended>;
  reservations: number;
  /** It is to be written. Until then it stands open: what could not be written would be missing before what comes next. */
  isWanted: boolean;
  /** Somebody waits for it, and is told where it cannot be written. */
  isAwaited: boolean;
  /** It is written in a moment, whoever comes. */
  isDue: boolean;
  before: "effect" | undefined;
}

type ReserveMore = Pick<Reserve, "share" | "begins" | "insteadOf">;

/** Longer than it takes to wind up where there is nothing to wind up, and than it takes others to come along. */
const MOMENT_MS = 5;

/**
 * - What is given to `soon` is in the log before, or together with, whatever the attempt writes next. So it is for facts whose
 *   next step follows at once, and is written: nothing that takes time may begin after it.
 * - One batch is on its way at a time. What comes meanwhile shares the next.
 */
export class Journal {
  readonly hold: Hold;
  readonly #store: Store;
  #next: Batch | undefined;
  #current: Batch | undefined;
  #isOver = false;
  /** Of what stands open. */
  #moment: Disposable | undefined;

  constructor(store: Store, hold: Hold) {
    this.#store = store;
    this.hold = hold;
  }

  soon(...entries: readonly HeldEntry[]): void {
    this.#batch().entries.push(...entries);
  }

  async append(...entries: readonly HeldEntry[]): Promise<TaskView> {
    this.soon(...entries);
    return (await this.#write()).task;
  }

  /** Like `append`, of what is about to be done: a power cut does not hide it. */
  async intend(...entries: readonly HeldEntry[]): Promise<void> {
    this.#batch().before = "effect";
    await this.append(...entries);
  }

  /**
   * The last words: whoever comes later has nothing more to say. They are written even where something that was said
   * before cannot be.
   */
  async end(...entries: readonly HeldEntry[]): Promise<TaskView> {
    const last = this.append(...entries);
    this.#isOver = true;
    this.#moment?.[Symbol.dispose]();
    try {
      return await last;
    } catch (error) {
      if (!CadreError.isInstance(error) || error.code !== "log.corrupt") throw error;
      const text = `something that the attempt said could not be written: ${error.message}`;
      const note = { type: "note.taken", level: "warning", text } as const;
      return (await this.#store.append(this.hold, [note, ...entries])).task;
    }
  }

  async reserve(
    reservation: ReservationId,
    amount: Cost | "whole",
    use: ReservationUse = "call",
    more: ReserveMore = {},
  ): Promise<ReserveAnswer> {
    const answer = this.reserveSoon(reservation, amount, use, more);
    void this.#write();
    return answer;
  }

  /** Answered when it is written, as what is given to `soon` is: who needs the answer sees to that. */
  reserveSoon(
    reservation: ReservationId,
    amount: Cost | "whole",
    use: ReservationUse,
    more: ReserveMore,
  ): Promise<ReserveAnswer> {
    const batch = this.#batch();
    const index = batch.reservations++;
    batch.entries.push({ type: "reserve", reservation, amount, use, ...more });
    return batch.written.promise.then(({ reserved }) => {
      const answer = reserved[index];
      if (answer === undefined) throw new Error("a reservation was not answered");
      return answer;
    });
  }

  /** Everything that was said so far. */
  async written(): Promise<void> {
    await (this.#next === undefined ? this.#current?.written.promise : this.#write());
  }

  /**
   * Something that takes time may come: what nothing else has taken along after a moment is written by itself. Where that
   * fails, nobody is there to be told: it goes along with what is written next.
   */
  inAMoment(clock: Pick<Clock, "alarm">): void {
    const said = this.#next;
    if (said === undefined || said.isWanted || said.isDue) return;
    said.isDue = true;
    this.#moment?.[Symbol.dispose](); // what it was for is on its way
    this.#moment = clock.alarm(MOMENT_MS, () => {
      if (this.#next === said && !said.isWanted) this.#want(said);
    });
  }

  #batch(): Batch {
    if (this.#isOver) throw staleAttempt(this.hold.task, this.hold.attempt);
    this.#next ??= newBatch();
    return this.#next;
  }

  #write(): Promise<Appended> {
    const batch = this.#batch();
    batch.isAwaited = true;
    this.#want(batch);
    return batch.written.promise;
  }

  #want(batch: Batch): void {
    // Whatever is said in the same breath goes along.
    if (!batch.isWanted && this.#current === undefined) queueMicrotask(() => void this.#writeWanted());
    batch.isWanted = true;
  }

  async #writeWanted(): Promise<void> {
    while (this.#next?.isWanted === true) {
      const batch = (this.#current = this.#next);
      const { entries, written, before } = batch;
      this.#next = undefined;
      try {
        written.resolve(await this.#store.append(this.hold, entries, before));
      } catch (error) {
        if (!batch.isAwaited) {
          this.#next ??= newBatch();
          this.#next.entries.unshift(...entries.filter(({ type }) => type !== "reserve")); // whoever wanted it is told
        }
        written.reject(error);
      }
    }
    this.#current = undefined;
  }
}

function newBatch(): Batch {
  const written = Promise.withResolvers<Appended>();
  written.promise.catch(() => undefined); // who waits for it is told
  return { entries: [], written, reservations: 0, isWanted: false, isAwaited: false, isDue: false, before: undefined };
}
