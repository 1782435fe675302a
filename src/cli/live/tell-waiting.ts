import type { Cadre } from "../../app/index.ts";
import type { Envelope, TaskView } from "../../schema/index.ts";
import { heldBackOf } from "../held-back.ts";
import type { Progress } from "./live-progress.ts";

const LOOK_MS = 1_000;

export interface WaitingTasks extends Disposable {
  /** Takes every event of the tree. */
  take(envelope: Envelope): void;
}

/** Says why tasks of a tree are not started: nothing happens to them that could be shown. */
export function tellWaiting(cadre: Cadre, { id: root }: TaskView, show: Progress): WaitingTasks {
  const queued = new Set<string>();
  const look = async (): Promise<void> => {
    if (queued.size === 0) return;
    const { tasks } = await cadre.call("task.list", { root, status: ["pending"], limit: MOST });
    for (const [task, { why }] of await heldBackOf(cadre, tasks.toReversed()))
      // the oldest first
      if (queued.has(`task:${task}`)) show.waits(`task:${task}`, why);
  };
  // What cannot be looked at just now is looked at again, or has ended.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS).unref();
  return {
    take({ stream, event: { type } }) {
      if (type === "task.admitted" || type === "task.requeued") queued.add(stream);
      else if (type === "attempt.started" || type === "task.ended") queued.delete(stream);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

const MOST = 1_000;
