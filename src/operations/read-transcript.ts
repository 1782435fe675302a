import type { Transcript } from "../domain/transcript.ts";
import type { Store } from "../ports/index.ts";
import type { Envelope, SessionView, TaskId } from "../schema/index.ts";

const PAGE = 500;
/** Of all tasks together. What is beyond is said to be left out. */
const MOST_EVENTS = 50_000;

/** A session and everything that its tasks did, from the log. */
export async function readTranscript(store: Store, session: SessionView): Promise<Transcript> {
  let left = MOST_EVENTS;
  const tasks: Transcript["tasks"][number][] = [];
  for (const id of session.tasks) {
    const task = await store.task(id);
    if (task === undefined) continue;
    const events = await eventsOf(store, id, left);
    left -= events.length;
    tasks.push({ task, events });
  }
  return { session, tasks, isWhole: left > 0 };
}

async function eventsOf(store: Store, task: TaskId, most: number): Promise<Envelope[]> {
  const events: Envelope[] = [];
  for (let after = 0; events.length < most;) {
    const limit = Math.min(PAGE, most - events.length);
    const page = await store.read({ stream: `task:${task}`, after, limit });
    events.push(...page);
    if (page.length < limit) return events;
    after = page.at(-1)?.position ?? after;
  }
  return events;
}
