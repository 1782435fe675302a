import { setTimeout as pause } from "node:timers/promises";
import { hasEnded } from "../operations/words.ts";
import type { TaskId, TaskView } from "../schema/index.ts";
import type { HostCall } from "./host-tool.ts";
import { openQuestions } from "./show/outcome-words.ts";

const BEAT_MS = 1_000;
/** Hosts that wait longer where something is heard are told this often, also when there is nothing new. */
const TELL_BEATS = 5;
/** What goes on by itself after its worker died does so sooner than this. */
const STUCK_BEATS = 3;

export interface WaitWishes {
  readonly waitMs: number;
  /** Comes back as soon as one of them waits for a person: its caller should say so. */
  readonly untilAsked: boolean;
}

/** Until all of them have ended, for so long and no longer; then each as it is. Giving up stops nothing. */
export async function waitForTasks(
  call: HostCall,
  ids: readonly TaskId[],
  { waitMs, untilAsked }: WaitWishes,
): Promise<TaskView[]> {
  const { cadre, desk, tell } = call;
  const look = () => Promise.all(ids.map((task) => cadre.call("task.get", { task })));
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  const deadline = performance.now() + waitMs;
  const ended = Promise.all(ids.map((task) => cadre.call("task.wait", { task, waitMs })));
  ended.catch(() => undefined); // the caller may have left by then, and Cadre be closed
  const givenUp = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  let told = "";
  let stuck = 0;
  try {
    for (let beat = 1; ; beat++) {
      await Promise.race([
        ended,
        givenUp,
        pause(Math.min(BEAT_MS, waitMs), undefined, { signal }).catch(() => undefined),
      ]);
      const views = await look();
      const isOver = views.every(({ status }) => hasEnded(status)) || performance.now() >= deadline;
      const isAsked = untilAsked && views.some((view) => openQuestions(view).length > 0);
      stuck = views.every(({ status }) => hasEnded(status) || status === "interrupted") ? stuck + 1 : 0;
      if (isOver || isAsked || stuck >= STUCK_BEATS || call.signal.aborted) return views;
      const news = newsOf(views);
      if (news !== told || beat % TELL_BEATS === 0) tell?.(news);
      told = news;
      // The worker may have died meanwhile.
      if (beat % TELL_BEATS === 0) await desk.ensureWorker();
    }
  } finally {
    over.abort();
  }
}

function newsOf(views: readonly TaskView[]): string {
  const [only] = views;
  if (only !== undefined && views.length === 1)
    return `${only.spec.definition.name}#${only.number} ${only.status}, turn ${only.turns}, ${only.spent.tokens} tokens`;
  return `${views.filter(({ status }) => hasEnded(status)).length} of ${views.length} tasks have ended`;
}
