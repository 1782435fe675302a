// One reader of the log per engine, which wakes those who wait for something. A thousand waiting attempts
// would otherwise each look at every commit.
import type { Store, Written } from "../ports/index.ts";
import type { StreamName, TaskId } from "../schema/index.ts";
import { onAbort } from "./follow.ts";

const PAGE = 200;

/**
 * `task`: anything of it. `hold`: somebody wants something of the attempt, or it may have lost its task. `end`: it may
 * have ended. `slots`: somebody may have given one back. `budgets`: something that was set aside may be free again. `queue`:
 * something may be there to be claimed.
 */
export type PulseKey = `${"task" | "hold" | "end"}:${string}` | "slots" | "budgets" | "queue";

export class Pulse {
  readonly #watchers = new Map<PulseKey, Set<() => void>>();

  #failure: { readonly error: unknown } | undefined;

  /** Reads until the signal says stop. Whatever stands after `after` is heard. Never rejects: who waits is told. */
  async run(store: Store, after: number, signal: AbortSignal): Promise<void> {
    let heard = after;
    let wake = Promise.withResolvers<void>();
    const hear = (written: readonly Written[]): void => {
      // Once for all that was written together: who is woken looks at all of it.
      const keys = new Set<PulseKey>();
      const news = written.filter(({ position }) => position > heard);
      for (const one of news) addKeys(keys, one);
      if (fillsTheQueue(news)) keys.add("queue");
      heard = Math.max(heard, written.at(-1)?.position ?? 0);
      for (const key of keys) for (const ring of this.#watchers.get(key) ?? []) ring();
    };
    using _bell = store.subscribe((written) => {
      // Where somebody else has written in between, that has to be read first.
      if (written[0]?.position === heard + 1) hear(written);
      else if ((written.at(-1)?.position ?? Number.POSITIVE_INFINITY) > heard) wake.resolve();
    });
    using _abort = onAbort(signal, () => wake.resolve());
    try {
      while (!signal.aborted) {
        wake = Promise.withResolvers<void>(); // armed before reading: a ring during the read is kept
        const page = await store.read({ after: heard, limit: PAGE });
        hear(page.map(({ position, stream, event }) => ({ position, stream, type: event.type })));
        if (page.length < PAGE) await wake.promise;
      }
    } catch (error) {
      this.#failure = { error };
      for (const watchers of this.#watchers.values()) for (const ring of watchers) ring();
    }
  }

  watch(key: PulseKey, ring: () => void): Disposable {
    const watchers = this.#watchers.get(key) ?? new Set();
    const watcher = () => ring();
    this.#watchers.set(key, watchers.add(watcher));
    return {
      [Symbol.dispose]: () => {
        watchers.delete(watcher);
        if (watchers.size === 0) this.#watchers.delete(key);
      },
    };
  }

  /**
   * Probes now, and again whenever the key rings, until the probe has something. Rejects with the signal's
   * reason when that is aborted first.
   */
  async until<T>(key: PulseKey, signal: AbortSignal, probe: () => Promise<T | undefined>): Promise<T> {
    let wake = Promise.withResolvers<void>();
    const ring = () => wake.resolve();
    using _watch = this.watch(key, ring);
    using _abort = onAbort(signal, ring);
    for (;;) {
      signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      wake = Promise.withResolvers<void>();
      const found = await probe();
      if (found !== undefined) return found;
      signal.throwIfAborted();
      await wake.promise;
    }
  }
}

/** Whose an attempt is, changes with these; what the attempt itself does, does not. */
const MOVES = new Set(["attempt.started", "task.ended", "task.requeued", "task.interrupted"]);

const FREES_A_SLOT = new Set([
  "attempt.suspended",
  "attempt.resumed",
  "task.ended",
  "task.requeued",
  "task.interrupted",
]);

const FILLS_THE_QUEUE = new Set(["task.admitted", "task.requeued"]);

function addKeys(keys: Set<PulseKey>, { stream, type }: Written): void {
  const isOwn = isOfTask(stream);
  if (!isOwn && !stream.startsWith("control:")) return;
  const id = stream.slice(stream.indexOf(":") + 1);
  keys.add(isOwn ? stream : `task:${id}`);
  if (MOVES.has(type) || !isOwn) keys.add(`hold:${id}`);
  if (type === "task.ended") keys.add(`end:${id}`);
  if (FREES_A_SLOT.has(type)) keys.add("slots");
  if (type === "budget.settled" || MOVES.has(type)) keys.add("budgets");
}

/** Not with what was taken when it came: nobody else can have it. */
function fillsTheQueue(written: readonly Written[]): boolean {
  const queued = new Set<StreamName>();
  for (const { stream, type } of written) {
    if (FILLS_THE_QUEUE.has(type)) queued.add(stream);
    else if (type === "attempt.started") queued.delete(stream);
  }
  return queued.size > 0;
}

const isOfTask = (stream: StreamName): stream is `task:${TaskId}` => stream.startsWith("task:");
