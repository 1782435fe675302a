/** Work on one thing, one piece after the other in the order that they came, within this process. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  async for<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const next = before.then(work, work);
    this.#last.set(key, next);
    try {
      return await next;
    } finally {
      if (this.#last.get(key) === next) this.#last.delete(key);
    }
  }
}
