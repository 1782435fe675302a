// Sessions that nobody has used for long are let go: what was said in them, their files, what backends kept of them.
import type { SessionId } from "../schema/index.ts";
import type { EngineParts, RunningParts } from "./parts.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PAGE = 100;

export interface Expiry {
  readonly unusedSince: number;
  readonly by: string;
}

export const expiryOf = ({ clock, settings }: EngineParts): Expiry => ({
  unusedSince: clock.now() - settings.sessionExpiryDays * DAY_MS,
  by: "cadre",
});

/** One that is in use stays, however old it is. */
export async function expireSessions(
  { store }: EngineParts,
  { unusedSince, by }: Expiry,
  signal: AbortSignal,
): Promise<SessionId[]> {
  const gone: SessionId[] = [];
  for (let before: SessionId | undefined; ;) {
    const page = await store.sessions({ unusedSince, before, limit: PAGE });
    // Those that go are in no later page: the last one that stays is where the next begins.
    for (const { id } of page) {
      if (signal.aborted) return gone;
      if (await store.expireSession(id, by, unusedSince)) gone.push(id);
      else before = id;
    }
    if (page.length < PAGE) return gone;
  }
}

/** For a worker: when the first one of its engine begins, and then once in an hour. */
export class ExpiryRound {
  readonly #parts: RunningParts;
  readonly #signal: AbortSignal;
  readonly #failed: (error: unknown) => void;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: RunningParts, signal: AbortSignal, failed: (error: unknown) => void) {
    this.#parts = parts;
    this.#signal = signal;
    this.#failed = failed;
  }

  /** Returns at once: removing what a backend kept may take a while. */
  look(): void {
    const { clock, lastRound } = this.#parts;
    const now = clock.monotonic();
    if (lastRound.at !== undefined && now - lastRound.at < HOUR_MS) return;
    lastRound.at = now;
    this.#running = this.#running.then(() => this.#round()).catch(this.#failed);
  }

  async #round(): Promise<void> {
    let isWhole = false;
    try {
      await expireSessions(this.#parts, expiryOf(this.#parts), this.#signal);
      isWhole = !this.#signal.aborted;
    } finally {
      if (!isWhole) this.#parts.lastRound.at = undefined; // the next worker makes it
    }
  }

  done(): Promise<void> {
    return this.#running;
  }
}
