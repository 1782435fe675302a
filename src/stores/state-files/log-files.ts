// Appends to log files. Lines that could not be written are kept, within bounds, and go before the next.
import type { OwnedFolder } from "../../platform/owned-folder.ts";
import { logLine } from "./log-text.ts";
import { because, type Problems } from "./problems.ts";

const HELD_MAX_BYTES = 256 * 1024;

export class LogFiles {
  readonly #folder: OwnedFolder;
  readonly #problems: Problems;
  readonly #held = new Map<string, Buffer>();
  #heldBytes = 0;
  #dropped = 0;

  constructor(folder: OwnedFolder, problems: Problems) {
    this.#folder = folder;
    this.#problems = problems;
  }

  /** `at`: when these happened. */
  add(name: string, at: number, texts: readonly string[]): void {
    if (texts.length === 0) return;
    const lost = this.#dropped === 0 ? [] : [`${this.#dropped} bytes of earlier lines could not be written`];
    const bytes = Buffer.from([...lost, ...texts].map((text) => logLine(at, text)).join(""), "utf8");
    if (!this.#write(name, bytes)) return;
    this.#dropped = 0;
    if (this.#held.size > 0) this.flush();
  }

  flush(): void {
    for (const name of this.#held.keys()) if (!this.#write(name, Buffer.alloc(0))) return;
  }

  #write(name: string, bytes: Buffer): boolean {
    const before = this.#held.get(name);
    const { rest, error } = this.#folder.append(name, before === undefined ? bytes : Buffer.concat([before, bytes]));
    this.#heldBytes -= before?.length ?? 0;
    this.#held.delete(name);
    if (error === null) {
      this.#problems.clear("logs");
      return true;
    }
    this.#hold(name, rest, bytes.length);
    this.#problems.raise(
      "logs",
      `${this.#folder.path} cannot be written: ${because(error)}. The store has every event; the lines follow later`,
    );
    return false;
  }

  /** The oldest are kept: they say how it began, and the store has the rest. */
  #hold(name: string, bytes: Buffer, newest: number): void {
    const fits = this.#heldBytes + bytes.length <= HELD_MAX_BYTES;
    const kept = fits ? bytes : bytes.subarray(0, Math.max(0, bytes.length - newest));
    this.#dropped += bytes.length - kept.length;
    this.#heldBytes += kept.length;
    if (kept.length > 0) this.#held.set(name, kept);
  }
}
