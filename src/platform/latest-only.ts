/**
 * For work of which only the latest counts: one at a time for each name, and whoever asks while one is under way
 * shares the next. It MUST look at how things are when it begins, not when it was asked for.
 */
export class LatestOnly<T> {
  readonly #underWay = new Map<string, Promise<T>>();
  readonly #next = new Map<string, Promise<T>>();

  run(name: string, work: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay.get(name);
    if (underWay === undefined) return this.#start(name, work);
    const next =
      this.#next.get(name) ??
      underWay
        .then(ignore, ignore) // told to those who asked for that one
        .then(() => {
          this.#next.delete(name);
          return this.#start(name, work);
        });
    this.#next.set(name, next);
    return next;
  }

  #start(name: string, work: () => Promise<T>): Promise<T> {
    const started = work();
    this.#underWay.set(name, started);
    const over = () => {
      if (this.#underWay.get(name) === started) this.#underWay.delete(name);
    };
    started.then(over, over);
    return started;
  }
}

const ignore = (): undefined => undefined;
