import { close, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { later } from "../../platform/later.ts";

/**
 * Nobody waits for it, and everybody notices it: while the disk is flushed, files that are made or replaced have to wait, and so
 * has whatever runs on the same processor. So once for a burst of work, and not for every end in it.
 */
const SOON_MS = 60;

const flushToDisk = promisify(fdatasync);
const closeFile = promisify(close);

/**
 * Makes what was committed outlive a power cut, without holding up the event loop: SQLite itself writes its
 * log and does not wait for the disk. The log is one sequence, so a flush covers all that was written before
 * it; those who ask while one is on its way share the next.
 */
export class LogFlush {
  readonly #path: string;
  #file: number | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isDue = false;
  /** The latest flush that nobody waits for; it never rejects. */
  #unwaited: Promise<void> = Promise.resolve();
  /** What went wrong with it. The disk says it once only. */
  #untold: { readonly error: unknown } | undefined;

  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** Resolves when everything that was committed before the call is on the disk. */
  flush(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => undefined) // told to those who asked for that one
      .then(() => {
        this.#next = undefined;
        this.#isDue = false;
        this.#running = this.#flushNow();
        return this.#running;
      })
      .then(() => {
        const untold = this.#untold;
        this.#untold = undefined;
        if (untold !== undefined) throw untold.error;
      });
    return this.#next;
  }

  /** The same, a moment later, with nobody waiting for it. What goes wrong is told to whoever flushes or closes next. */
  flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    later(SOON_MS, () => {
      if (this.#isDue) this.#flushUnwaited();
    });
  }

  /** Flushes what is due. Nobody flushes after this, so what went wrong and was told to nobody is thrown here. */
  async close(): Promise<void> {
    if (this.#isDue) this.#flushUnwaited();
    await this.#unwaited;
    await this.#next?.catch(() => undefined);
    await this.#running.catch(() => undefined);
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeFile(file);
    const untold = this.#untold;
    this.#untold = undefined;
    if (untold !== undefined) throw untold.error;
  }

  #flushUnwaited(): void {
    this.#unwaited = this.flush().catch((error: unknown) => {
      this.#untold = { error };
    });
  }

  /** The log stays the same file for as long as anybody has the database open. */
  async #flushNow(): Promise<void> {
    this.#file ??= openSync(this.#path, "r+");
    return flushToDisk(this.#file);
  }
}
