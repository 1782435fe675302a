import { close, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

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

  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** Resolves when everything that was committed before the call is on the disk. */
  flush(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => undefined) // told to those who asked for that one
      .then(() => {
        this.#next = undefined;
        this.#running = this.#flushNow();
        return this.#running;
      });
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#running.catch(() => undefined);
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeFile(file);
  }

  /** The log stays the same file for as long as anybody has the database open. */
  async #flushNow(): Promise<void> {
    this.#file ??= openSync(this.#path, "r+");
    return flushToDisk(this.#file);
  }
}
