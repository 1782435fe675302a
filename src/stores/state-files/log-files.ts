// Appends to log files: what comes within a moment, in one piece. Lines that could not be written are kept, within bounds,
// and go before the next.
import { later } from "../../platform/later.ts";
import type { OwnedFolder } from "../../platform/owned-folder.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Clock } from "../../ports/index.ts";
import { logLine } from "./log-text.ts";
import { because, type Problems } from "./problems.ts";

const HELD_MAX_BYTES = 256 * 1024;

/** What happened at one time, not put into words before it is written. */
interface Said {
  readonly at: number;
  readonly texts: () => readonly (string | null)[];
}

export class LogFiles {
  readonly #folder: OwnedFolder;
  readonly #problems: Problems;
  readonly #clock: Pick<Clock, "now">;
  readonly #afterMs: number;
  /** Lines that have their moment. */
  readonly #coming = new Map<string, Said[]>();
  readonly #held = new Map<string, Buffer>();
  #heldBytes = 0;
  #dropped = 0;
  /** One at a time: lines stay in their order. */
  #underWay: Promise<void> = Promise.resolve();
  readonly #breathe = yielding();

  constructor(folder: OwnedFolder, problems: Problems, clock: Pick<Clock, "now">, afterMs: number) {
    this.#folder = folder;
    this.#problems = problems;
    this.#clock = clock;
    this.#afterMs = afterMs;
  }

  /** `null` is no line. Where they are written at once, whoever adds them may wait for it. */
  add(name: string, said: Said): Promise<void> | undefined {
    if (this.#afterMs > 0 && this.#coming.size === 0)
      later(this.#afterMs, () => void this.#inTurn(() => this.#writeAll()));
    const before = this.#coming.get(name);
    if (before === undefined) this.#coming.set(name, [said]);
    else before.push(said);
    return this.#afterMs === 0 ? this.#inTurn(() => this.#writeAll()) : undefined;
  }

  flush(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#writeAll();
      await this.#writeHeld();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#underWay = this.#underWay.then(work);
    return this.#underWay;
  }

  async #writeAll(): Promise<void> {
    const coming = [...this.#coming].map(([name, said]) => [name, said.flatMap(linesOf).join("")] as const);
    this.#coming.clear();
    const dropped = this.#dropped;
    const lost =
      dropped === 0 ? "" : logLine(this.#clock.now(), `${dropped} bytes of earlier lines could not be written`);
    const texts = coming
      .filter(([, lines]) => lines !== "")
      .map(([name, lines], index) => [name, `${index === 0 ? lost : ""}${lines}`] as const);
    const written: boolean[] = [];
    for (const [name, text] of texts) {
      await this.#breathe();
      written.push(this.#write(name, Buffer.from(text, "utf8")));
    }
    if (written[0] === true) this.#dropped -= dropped;
    if (this.#held.size > 0 && written.includes(true)) await this.#writeHeld();
  }

  async #writeHeld(): Promise<void> {
    for (const name of this.#held.keys()) {
      await this.#breathe();
      if (!this.#write(name, Buffer.alloc(0))) return;
    }
  }

  #write(name: string, bytes: Buffer): boolean {
    const before = this.#held.get(name);
    const all = before === undefined ? bytes : Buffer.concat([before, bytes]);
    const { rest, error } = this.#folder.append(name, all);
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

const linesOf = ({ at, texts }: Said): string[] =>
  texts()
    .filter((text) => text !== null)
    .map((text) => logLine(at, text));
