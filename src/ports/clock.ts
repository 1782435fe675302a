/**
 * Time. Everything below the mouths gets it from here, so that tests run a day in no time.
 *
 * - `sleep` MUST resolve (never reject) when its signal is aborted: waiting less is not an error, and the
 *   caller looks at the signal anyway.
 * - `alarm` MUST NOT ring before it has returned, nor once it was disposed of. For what almost never comes: it leaves
 *   no promise and no listener behind, and most of them are called off.
 * - A clock may jump. Nobody may decide by it whether a process on this machine is alive (see Liveness).
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some start, never going back: for durations, which a jump of the clock must not bend. */
  monotonic(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  alarm(ms: number, ring: () => void): Disposable;
}
