import type { ReadQuery, Store } from "../ports/index.ts";
import type { Envelope } from "../schema/index.ts";

const PAGE = 200;

/**
 * Every event after a position, first those that are there, then new ones as they are written.
 *
 * The log itself is the buffer. The bell only says "look again", so a slow reader costs no memory and loses
 * nothing, and there is no seam between replayed and live: we listen before we read for the first time.
 */
export async function* follow(
  store: Store,
  query: Pick<ReadQuery, "stream" | "after">,
  signal: AbortSignal,
): AsyncGenerator<Envelope> {
  let wake = Promise.withResolvers<void>();
  const ring = () => wake.resolve();
  using _bell = store.subscribe(ring);
  using _abort = onAbort(signal, ring);

  let { after } = query;
  while (!signal.aborted) {
    wake = Promise.withResolvers<void>(); // armed before reading: a ring during the read is kept
    const page = await store.read({ stream: query.stream, after, limit: PAGE });
    for (const envelope of page) {
      if (signal.aborted) return;
      after = envelope.position;
      yield envelope;
    }
    if (page.length < PAGE) await wake.promise; // nothing more was there
  }
}

/** Calls back when the signal is aborted, or at once if it is already. */
export function onAbort(signal: AbortSignal, callback: () => void): Disposable {
  if (signal.aborted) callback();
  else signal.addEventListener("abort", callback); // which comes once
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", callback) };
}
