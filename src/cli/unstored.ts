import { setImmediate as aMoment, setTimeout as delay } from "node:timers/promises";

/** What has to be in the store before the process may leave, in however much of a hurry its user is. */
export class Unstored {
  readonly #writes = new Set<Promise<unknown>>();

  keep<T>(write: Promise<T>): Promise<T> {
    this.#writes.add(write);
    const forget = () => void this.#writes.delete(write);
    write.then(forget, forget);
    return write;
  }

  /** Resolves when nothing is on its way any more, or after so long. */
  async stored(atMostMs: number): Promise<void> {
    await Promise.race([this.#settled(), delay(atMostMs)]);
  }

  async #settled(): Promise<void> {
    while (this.#writes.size > 0) {
      await Promise.allSettled(this.#writes);
      await aMoment(); // what has come may lead to the next: a task that was admitted is stopped
    }
  }
}
