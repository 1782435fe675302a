import type { Clock } from "../../ports/index.ts";

export class TookTooLong extends Error {
  constructor(ms: number) {
    super(`there was no whole answer within ${ms / 1000} seconds`);
  }
}

/** Aborts the work when the time is up, or when whoever asked for it does not want it any more. */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const late = new AbortController();
  void clock.sleep(ms, AbortSignal.any([signal, over.signal])).then(() => {
    if (!over.signal.aborted && !signal.aborted) late.abort(new TookTooLong(ms));
  });
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error;
  } finally {
    over.abort();
  }
}
