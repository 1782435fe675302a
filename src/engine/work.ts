// A worker: claims tasks as slots allow and runs them, until it is told to stop or nothing is left.
import type { ClaimAnswer } from "../ports/index.ts";
import type { Dispatch, TaskId } from "../schema/index.ts";
import { onAbort } from "./follow.ts";
import type { RunningParts } from "./parts.ts";
import { recover } from "./recover.ts";
import { runAttempt } from "./run-attempt.ts";

export interface WorkOptions {
  readonly dispatch: readonly Dispatch[];
  /** Only tasks of this tree. */
  readonly root?: TaskId | undefined;
  /** `idle`: leave when nothing runs and nothing is queued. */
  readonly until: "idle" | "stopped";
}

export async function work(parts: RunningParts, options: WorkOptions, signal: AbortSignal): Promise<void> {
  const { store, clock } = parts;
  const running = new Set<Promise<void>>();
  const bugs: unknown[] = [];
  let wake = Promise.withResolvers<void>();
  const ring = () => wake.resolve();
  using _bell = store.subscribe(ring);
  using _abort = onAbort(signal, ring);

  while (!signal.aborted && bugs.length === 0) {
    wake = Promise.withResolvers<void>();
    await recover(parts);
    const token = parts.mint.token();
    const answer = await claim(parts, options, token);
    if (answer.kind === "claimed") {
      const run: Promise<void> = runAttempt(parts, { hold: answer.hold, task: answer.task, token }, signal)
        .catch((error: unknown) => void bugs.push(error))
        .finally(() => {
          running.delete(run);
          ring();
        });
      running.add(run);
      continue;
    }
    const until = answer.kind === "full" ? null : answer.until;
    if (options.until === "idle" && answer.kind === "idle" && until === null && running.size === 0) break;
    const done = new AbortController();
    if (until !== null) void clock.sleep(until - clock.now(), done.signal).then(ring);
    await wake.promise;
    done.abort();
  }
  await Promise.all(running);
  if (bugs.length > 0) throw bugs[0];
}

function claim(
  { store, liveness, mint, backends, settings }: RunningParts,
  options: WorkOptions,
  token: string,
): Promise<ClaimAnswer> {
  return store.claim({
    worker: liveness.self,
    tokenSha256: mint.sha256(token),
    dispatch: options.dispatch,
    root: options.root,
    backends: [...backends.keys()],
    maxConcurrent: settings.maxConcurrent,
    rateLimitPerMin: settings.rateLimitPerMin,
  });
}
