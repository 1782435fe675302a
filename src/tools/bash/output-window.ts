const HALF = 64 * 1024;
const FIRST = 4 * 1024;

/** Keeps the beginning and the end of what a program writes, and counts what lay between. */
export class OutputWindow {
  readonly #half: number;
  /** Grows as it is needed: most programs say little. */
  #head = Buffer.alloc(0);
  #headBytes = 0;
  /** A ring: the oldest byte is where the next one goes. Made once the beginning is full. */
  #tail: Buffer | undefined;
  #at = 0;
  #total = 0;

  constructor(half = HALF) {
    this.#half = half;
  }

  take(bytes: Uint8Array): void {
    this.#total += bytes.length;
    const first = bytes.subarray(0, this.#half - this.#headBytes);
    if (first.length > 0) this.#begin(first);
    const rest = bytes.subarray(first.length).subarray(-this.#half);
    if (rest.length > 0) this.#goOn(rest);
  }

  get text(): string {
    const decoder = new TextDecoder();
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#end();
    const { missing } = this;
    if (missing === 0) return decoder.decode(Buffer.concat([head, tail]));
    return `${decoder.decode(head)}\n[… ${missing} bytes are left out here …]\n${decoder.decode(tail)}`;
  }

  /** How many bytes of its middle were not kept. */
  get missing(): number {
    return Math.max(0, this.#total - 2 * this.#half);
  }

  #begin(bytes: Uint8Array): void {
    const needed = this.#headBytes + bytes.length;
    if (needed > this.#head.length) {
      const larger = Buffer.alloc(Math.min(this.#half, Math.max(FIRST, 2 * this.#head.length, needed)));
      larger.set(this.#head.subarray(0, this.#headBytes));
      this.#head = larger;
    }
    this.#head.set(bytes, this.#headBytes);
    this.#headBytes = needed;
  }

  #goOn(bytes: Uint8Array): void {
    this.#tail ??= Buffer.alloc(this.#half);
    const room = this.#half - this.#at;
    this.#tail.set(bytes.subarray(0, room), this.#at);
    this.#tail.set(bytes.subarray(room), 0);
    this.#at = (this.#at + bytes.length) % this.#half;
  }

  #end(): Buffer {
    if (this.#tail === undefined) return Buffer.alloc(0);
    const isFull = this.#total - this.#headBytes >= this.#half;
    return isFull
      ? Buffer.concat([this.#tail.subarray(this.#at), this.#tail.subarray(0, this.#at)])
      : this.#tail.subarray(0, this.#at);
  }
}
