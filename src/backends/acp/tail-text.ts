/** Keeps the end of what comes, never cut through a character. */
export class TailText {
  readonly #max: number;
  #kept = Buffer.alloc(0);
  #isCut = false;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  take(bytes: Uint8Array): void {
    const all = Buffer.concat([this.#kept, bytes.subarray(-this.#max)]);
    if (bytes.length > this.#max || all.length > this.#max) this.#isCut = true;
    // slice of a copy: what was cut off is not kept alive
    this.#kept = all.length > this.#max ? Buffer.from(all.subarray(all.length - this.#max)) : all;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get text(): string {
    let start = 0;
    while (this.#isCut && start < 4 && ((this.#kept[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start++;
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#kept.subarray(start));
  }
}
