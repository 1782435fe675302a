const HALF = 64 * 1024;
const MANY = 512;

/** Keeps the beginning and the end of what a program writes, and counts what lay between. */
export class OutputWindow {
  readonly #half: number;
  #head = Buffer.alloc(0);
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #total = 0;

  constructor(half = HALF) {
    this.#half = half;
  }

  take(bytes: Uint8Array): void {
    this.#total += bytes.length;
    const room = this.#half - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, room)]);
    const rest = bytes.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(rest.slice(-this.#half)); // a copy: the rest of the chunk is not held
    this.#tailBytes += Math.min(rest.length, this.#half);
    // Not at every chunk: a program may write byte by byte.
    if (this.#tailBytes > 2 * this.#half || this.#tail.length > MANY) this.#shrink();
  }

  get text(): string {
    this.#shrink();
    const decoder = new TextDecoder();
    const [tail = new Uint8Array()] = this.#tail;
    const cut = this.#total - this.#head.length - tail.length;
    if (cut === 0) return decoder.decode(Buffer.concat([this.#head, tail]));
    return `${decoder.decode(this.#head)}\n[… ${cut} bytes are left out here …]\n${decoder.decode(tail)}`;
  }

  #shrink(): void {
    const whole = Buffer.concat(this.#tail).subarray(-this.#half);
    this.#tail = [whole];
    this.#tailBytes = whole.length;
  }
}
