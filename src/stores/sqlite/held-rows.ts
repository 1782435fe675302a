/**
 * Rows of one table that were changed and are not in the file yet: a row that changes several times before a commit is
 * written once, as the last change has it. Whoever asks for a row by its key looks here first.
 */
export class HeldRows<K, V> {
  readonly #rows = new Map<K, V>();
  readonly #changed: () => void;
  readonly #write: (rows: readonly V[]) => void;

  constructor(changed: () => void, write: (rows: readonly V[]) => void) {
    this.#changed = changed;
    this.#write = write;
  }

  get(key: K): V | undefined {
    return this.#rows.get(key);
  }

  set(key: K, row: V): void {
    this.#changed();
    this.#rows.set(key, row);
  }

  write(): void {
    if (this.#rows.size === 0) return;
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    this.#write(rows);
  }

  /** What they were changed by is undone. */
  forget(): void {
    this.#rows.clear();
  }
}
