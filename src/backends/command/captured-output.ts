// What comes out of a program: all of it is shown while it happens, and only so much of it is kept.
import type { AttemptScope } from "../../ports/index.ts";

/** The bytes that are held at any time are bounded, whatever the program writes and in however long lines. */
export interface Keeper {
  take(bytes: Uint8Array): void;
}

/** Keeps the beginning. */
export class Head implements Keeper {
  readonly #max: number;
  readonly #parts: Uint8Array[] = [];
  #kept = 0;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take(bytes: Uint8Array): void {
    const room = this.#max - this.#kept;
    if (room > 0) this.#parts.push(Uint8Array.from(bytes.subarray(0, room))); // a copy: not the whole chunk is kept
    this.#kept = Math.min(this.#max, this.#kept + bytes.length);
    this.#total += bytes.length;
  }

  get total(): number {
    return this.#total;
  }

  get isWhole(): boolean {
    return this.#total <= this.#max;
  }

  get text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#parts));
  }
}

/** Keeps the end. */
export class Tail implements Keeper {
  readonly #max: number;
  #kept = Buffer.alloc(0);

  constructor(max: number) {
    this.#max = max;
  }

  take(bytes: Uint8Array): void {
    this.#kept = Buffer.concat([this.#kept, bytes.subarray(-this.#max)]).subarray(-this.#max);
  }

  get lastLine(): string | undefined {
    const lines = new TextDecoder().decode(this.#kept).split(/[\r\n]+/);
    return lines.findLast((line) => line.trim() !== "");
  }
}

const LIVE_BYTES = 8 * 1024;

/** Reads to the end. Parts that are shown are never longer than this, and never cut through a character. */
export async function capture(
  stream: AsyncIterable<Uint8Array>,
  call: "stdout" | "stderr",
  keeper: Keeper,
  scope: Pick<AttemptScope, "live">,
): Promise<void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const show = (text: string) => {
    if (text !== "") scope.live({ type: "output-delta", call, text });
  };
  for await (const chunk of stream) {
    keeper.take(chunk);
    for (let at = 0; at < chunk.length; at += LIVE_BYTES)
      show(decoder.decode(chunk.subarray(at, at + LIVE_BYTES), { stream: true }));
  }
  show(decoder.decode());
}
