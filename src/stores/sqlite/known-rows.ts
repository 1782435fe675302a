/**
 * Rows that were read or written here, for as long as they are sure to stand in the file as they are. `makeSure` MUST
 * have called `forget` before it returns, where somebody else may have written since.
 */
export class KnownRows<K, V> {
  readonly #rows = new Map<K, V>();
  readonly #makeSure: () => void;
  readonly #most: number;

  constructor(makeSure: () => void, most: number) {
    this.#makeSure = makeSure;
    this.#most = most;
  }

  get(key: K): V | undefined {
    return this.sure().get(key);
  }

  /** All of them, until the next wait. */
  sure(): ReadonlyMap<K, V> {
    this.#makeSure();
    return this.#rows;
  }

  set(key: K, row: V): void {
    if (this.#rows.size >= this.#most && !this.#rows.has(key)) this.#rows.clear();
    this.#rows.set(key, row);
  }

  delete(key: K): void {
    this.#rows.delete(key);
  }

  forget(): void {
    this.#rows.clear();
  }
}
