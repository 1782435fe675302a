// A worker: claims tasks as slots allow and runs them, until it is told to stop or nothing is left.
import type { ClaimedTask, ClaimRequest, Clock } from "../ports/index.ts";
import type { Dispatch, Need, TaskId } from "../schema/index.ts";
import { ExpiryRound } from "./expire-sessions.ts";
import { onAbort } from "./follow.ts";
import type { RunningParts, WorkingParts } from "./parts.ts";
import { goOnWith, recover } from "./recover.ts";
import { runAttempt } from "./run-attempt.ts";

export interface WorkOptions {
  readonly dispatch: readonly Dispatch[];
  /** Only tasks of this tree. */
  readonly root?: TaskId | undefined;
  /** `idle`: leave when nothing runs and nothing is queued. */
  readonly until: "idle" | "stopped";
  /** With `idle`: how long nothing may have happened before it leaves. */
  readonly lingerMs?: number | undefined;
  /** As the store's resident: leaves its place in the same step, or stays if there is something to do after all. */
  readonly isResident?: boolean | undefined;
}

const LOOK_AGAIN_MS = 5_000;
const MOST_AT_ONCE = 16;

export async function work(parts: RunningParts, options: WorkOptions, signal: AbortSignal): Promise<void> {
  const { store, clock, pulse } = parts;
  const running = new Set<Promise<void>>();
  const bugs: unknown[] = [];
  let wake = Promise.withResolvers<void>();
  let freed = Promise.withResolvers<void>();
  let idleSince: number | undefined;
  let hasLeft = false;
  const ring = () => wake.resolve();
  using _queue = pulse.watch("queue", ring);
  using _slots = pulse.watch("slots", () => freed.resolve());
  using _abort = onAbort(signal, ring);
  using _left = { [Symbol.dispose]: () => void (hasLeft = true) }; // also where it throws: what runs goes on

  const expiry = new ExpiryRound(parts, signal, (error) => void bugs.push(error));
  await goOnWith(parts, options);
  const has = await secretsHere(parts);
  const keep = (going: Promise<unknown>) => {
    const kept: Promise<void> = going
      .then(
        () => undefined,
        (error: unknown) => void bugs.push(error),
      )
      .finally(() => {
        running.delete(kept);
        if (running.size === 0 || bugs.length > 0) ring();
      });
    running.add(kept);
  };
  const begin = (claims: readonly ClaimedTask[], tokens: ReadonlyMap<string, string>) => {
    for (const claim of claims) {
      const token = tokens.get(claim.task.attempts.at(-1)?.tokenSha256 ?? "") ?? "";
      keep(runAttempt(working, { ...claim, token }, signal));
    }
  };
  const working: WorkingParts = {
    ...parts,
    async admitAndTake(admissions, hold) {
      const tokens = new Map<string, string>();
      const mayTake = !signal.aborted && !hasLeft && bugs.length === 0;
      const request = mayTake ? claimRequest(parts, options, has, admissions.length, tokens) : undefined;
      const admitting = store.admit(admissions, hold, request);
      keep(admitting.catch(() => undefined)); // whoever asked is told; until then this worker does not leave
      const answer = await admitting;
      if (answer.kind === "admitted") begin(answer.claims, tokens);
      return answer;
    },
  };
  // One that comes for much leaves something for others who come at the same time. For one tree nobody else comes.
  const first = options.root === undefined ? 1 : MOST_AT_ONCE;
  let most = first;
  for (let isInARow = false; !signal.aborted && bugs.length === 0;) {
    wake = Promise.withResolvers<void>();
    freed = Promise.withResolvers<void>();
    // Once for all that it is given in a row: what it was given waits meanwhile.
    if (!isInARow) {
      expiry.look();
      await recover(parts);
    }
    const tokens = new Map<string, string>();
    const request = claimRequest(parts, options, has, most, tokens);
    const claimed = await store.claim(request);
    if (claimed.kind === "claimed") begin(claimed.claims, tokens);
    const answer = claimed.kind === "claimed" ? claimed.rest : claimed;
    isInARow = answer === null;
    most = answer === null ? Math.min(4 * most, MOST_AT_ONCE) : first;
    if (answer === null) continue;
    const isBarred = answer.kind === "full" || answer.kind === "held-back";
    let waitMs = isBarred || answer.until === null ? null : answer.until - clock.now();
    if (options.until === "idle" && answer.kind === "idle" && waitMs === null && running.size === 0) {
      idleSince ??= clock.monotonic();
      waitMs = idleSince + (options.lingerMs ?? 0) - clock.monotonic();
      if (waitMs <= 0 && (options.isResident !== true || (await store.moveOut(request)))) break;
    } else idleSince = undefined;
    // To one that found nothing to do, a place that becomes free is no news.
    const woken = isBarred ? Promise.race([wake.promise, freed.promise]) : wake.promise;
    // Nobody rings for a worker that died: it is looked for now and then.
    await rest(clock, Math.min(waitMs ?? LOOK_AGAIN_MS, LOOK_AGAIN_MS), woken);
  }
  await expiry.done();
  while (running.size > 0) await Promise.all(running);
  if (bugs.length > 0) throw bugs[0];
}

/** Until it is woken, or for so long at the most. */
async function rest(clock: Clock, ms: number, woken: Promise<void>): Promise<void> {
  const done = new AbortController();
  void woken.then(() => done.abort("woken"));
  await clock.sleep(ms, done.signal);
}

/** A worker's environment does not change: this is asked once. */
async function secretsHere({ backends, credentials }: RunningParts): Promise<readonly Need[]> {
  const names = await Promise.all([...backends.values()].map(async ({ secrets }) => (await secrets?.names()) ?? []));
  return credentials.available([...new Set(names.flat())]);
}

/** `tokens`: those of the attempts that it is given, by their hashes. */
function claimRequest(
  { liveness, mint, backends, settings }: RunningParts,
  options: WorkOptions,
  has: readonly Need[],
  most: number,
  tokens: Map<string, string>,
): ClaimRequest {
  return {
    worker: liveness.self,
    most,
    tokenSha256: () => {
      const token = mint.token();
      const sha256 = mint.sha256(token);
      tokens.set(sha256, token);
      return sha256;
    },
    dispatch: options.dispatch,
    root: options.root,
    backends: [...backends.keys()],
    has,
    maxConcurrent: settings.maxConcurrent,
    rateLimitPerMin: settings.rateLimitPerMin,
    mayCollide: settings.collisions === "allow",
  };
}
