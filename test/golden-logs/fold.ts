import { applySessionEvent } from "../../src/domain/session-projection.ts";
import { foldTask } from "../../src/domain/task-projection.ts";
import { type Envelope, SessionEvent, type SessionView, TaskId, type TaskView } from "../../src/schema/index.ts";

export interface Views {
  readonly tasks: TaskView[];
  readonly sessions: SessionView[];
}

/** What a log says, from nothing. */
export function fold(envelopes: readonly Envelope[]): Views {
  const ids = new Set(envelopes.flatMap(({ stream }) => (stream.startsWith("task:") ? [stream.slice(5)] : [])));
  const sessions = new Map<string, SessionView>();
  for (const { stream, event, at } of envelopes) {
    if (stream.startsWith("session:"))
      sessions.set(stream, applySessionEvent(sessions.get(stream), SessionEvent.parse(event), at));
  }
  return { tasks: [...ids].map((id) => foldTask(TaskId.parse(id), envelopes)), sessions: [...sessions.values()] };
}
