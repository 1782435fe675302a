// What comes out of a program: all of it is shown while it happens, and only so much of it is kept.
import type { AttemptScope } from "../../ports/index.ts";

/** The bytes that are held at any time are bounded, whatever the program writes and in however long lines. */
export interface Keeper {
  take(bytes: Uint8Array): void;
}

const SMALL = 4 * 1024;

/** Keeps the beginning. */
export class Head implements Keeper {
  readonly #max: number;
  #kept = Buffer.alloc(SMALL); // grows by doubling: a program may write byte by byte
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take(bytes: Uint8Array): void {
    const used = Math.min(this.#total, this.#max);
    const wanted = bytes.subarray(0, this.#max - used);
    while (this.#kept.length < used + wanted.length) {
      this.#kept = Buffer.concat([this.#kept], this.#kept.length * 2);
    }
    this.#kept.set(wanted, used);
    this.#total += bytes.length;
  }

  get total(): number {
    return this.#total;
  }

  get isWhole(): boolean {
    return this.#total <= this.#max;
  }

  get text(): string {
    return new TextDecoder().decode(this.#kept.subarray(0, Math.min(this.#total, this.#max)));
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
