import { later } from "./later.ts";
import { yielding } from "./yielding.ts";

type Work = () => Promise<void>;

/**
 * Work that nobody waits for, done a while later: so much of it at a time, the oldest first. Of each name only the first
 * is kept: it MUST look at how things are when it begins, not when it was asked for.
 */
export class PutOff {
  readonly #ms: number;
  readonly #atOnce: number;
  readonly #waiting = new Map<string, Work>();
  #isSet = false;
  #underWay: Promise<void> = Promise.resolve();

  constructor(ms: number, atOnce: number) {
    this.#ms = ms;
    this.#atOnce = atOnce;
  }

  put(name: string, work: Work): void {
    if (!this.#waiting.has(name)) this.#waiting.set(name, work);
    this.#set();
  }

  /** It was done otherwise. */
  drop(name: string): void {
    this.#waiting.delete(name);
  }

  /** Resolves when nothing is under way any more; rejects where something failed, after all the rest. */
  async doAll(): Promise<void> {
    const failures: unknown[] = [];
    const breathe = yielding();
    while (this.#waiting.size > 0) {
      await breathe();
      await Promise.all(this.#begin().map((work) => work.catch((error: unknown) => failures.push(error))));
    }
    await this.#underWay; // the timer may have taken some meanwhile
    if (failures.length > 0) throw failures[0];
  }

  #set(): void {
    if (this.#isSet || this.#waiting.size === 0) return;
    this.#isSet = true;
    later(this.#ms, () => {
      this.#underWay = this.#doSome();
    });
  }

  async #doSome(): Promise<void> {
    await Promise.all(this.#begin().map((work) => work.catch(() => undefined))); // nobody waits for it
    this.#isSet = false;
    this.#set();
  }

  /** One after the other: what the first does for a later one keeps that one from being begun. */
  #begin(): Promise<void>[] {
    const begun: Promise<void>[] = [];
    for (const [name, work] of this.#waiting) {
      this.#waiting.delete(name);
      if (begun.push(work()) === this.#atOnce) break;
    }
    return begun;
  }
}
