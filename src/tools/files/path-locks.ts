/** Work on one path, one after the other, in the order in which it was asked for. */
export class PathLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(path) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(path, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(path) === mine) this.#last.delete(path);
    }
  }
}
