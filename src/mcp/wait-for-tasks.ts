import { hasEnded, tokenWords } from "../operations/words.ts";
import type { TaskId, TaskView } from "../schema/index.ts";
import { questionsFor } from "./ask-host.ts";
import type { HostCall } from "./host-tool.ts";
import { openQuestions } from "./show/outcome-words.ts";

const BEAT_MS = 1_000;
/** What is short is heard of soon. */
const FIRST_BEAT_MS = 100;
/** Hosts that wait longer where something is heard are told this often, also when there is nothing new. */
const TELL_MS = 5_000;
/** What goes on by itself after its worker died does so sooner than this. */
const STUCK_MS = 3_000;

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
  const deadline = performance.now() + waitMs;
  const ended = Promise.all(ids.map((task) => cadre.call("task.wait", { task, waitMs })));
  ended.catch(() => undefined); // the caller may have left by then, and Cadre be closed
  let beat = Promise.withResolvers<undefined>();
  const hurry = () => beat.resolve(undefined);
  call.signal.addEventListener("abort", hurry);
  let told = "";
  let toldAt = -Infinity;
  let movedAt = performance.now();
  try {
    for (let beatMs = FIRST_BEAT_MS; ; beatMs = Math.min(2 * beatMs, BEAT_MS)) {
      // By hand: a beat that is cut short is no error that has to be made and caught.
      beat = Promise.withResolvers<undefined>();
      const timer = setTimeout(hurry, call.signal.aborted ? 0 : Math.min(beatMs, waitMs));
      const views = (await Promise.race([ended, beat.promise]).finally(() => clearTimeout(timer))) ?? (await look());
      const now = performance.now();
      const isOver = views.every(({ status }) => hasEnded(status)) || now >= deadline;
      const isAsked = untilAsked && (await isAnyAsking(call, views));
      if (views.some(({ status }) => !hasEnded(status) && status !== "interrupted")) movedAt = now;
      if (isOver || isAsked || now - movedAt >= STUCK_MS || call.signal.aborted) return views;
      const news = newsOf(views);
      const isTime = now - toldAt >= (news === told ? TELL_MS : BEAT_MS);
      if (!isTime) continue;
      tell?.(news);
      // The worker may have died meanwhile.
      if (news === told) await desk.ensureWorker();
      told = news;
      toldAt = now;
    }
  } finally {
    call.signal.removeEventListener("abort", hurry);
  }
}

/** Of one whose questions the host's user is asked, also what is asked below it. */
async function isAnyAsking(call: HostCall, views: readonly TaskView[]): Promise<boolean> {
  if (views.some((view) => openQuestions(view).length > 0)) return true;
  const below = await Promise.all(views.map((view) => questionsFor(call, view)));
  return below.some((questions) => questions.length > 0);
}

function newsOf(views: readonly TaskView[]): string {
  const [only] = views;
  if (only !== undefined && views.length === 1)
    return `${only.spec.definition.name}#${only.number} ${only.status}, turn ${only.turns}, ${tokenWords(only)} tokens`;
  return `${views.filter(({ status }) => hasEnded(status)).length} of ${views.length} tasks have ended`;
}
