/**
 * Work that comes in bursts: `tick` is called some time after it was asked for, and again for as long as it
 * says that there is more to do. Never twice at once.
 */
export class Ticker {
  readonly #everyMs: number;
  readonly #tick: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(everyMs: number, tick: () => Promise<boolean>) {
    this.#everyMs = everyMs;
    this.#tick = tick;
  }

  wake(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#run(), this.#everyMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const isMore = await this.#tick().catch(() => false);
    this.#timer = undefined;
    if (isMore) this.wake();
  }
}
