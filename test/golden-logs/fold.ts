import { inboxChanges } from "../../src/domain/inbox-projection.ts";
import { applySessionEvent } from "../../src/domain/session-projection.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import {
  type ControlEvent,
  type Envelope,
  type InboxEvent,
  type InboxItem,
  SessionEvent,
  type SessionView,
  type TaskEvent,
  TaskId,
  type TaskView,
} from "../../src/schema/index.ts";

export interface Views {
  readonly tasks: TaskView[];
  readonly sessions: SessionView[];
  readonly inbox: InboxItem[];
}

/** What a log says, from nothing. */
export function fold(envelopes: readonly Envelope[]): Views {
  const ids = new Set(envelopes.flatMap(({ stream }) => (stream.startsWith("task:") ? [stream.slice(5)] : [])));
  const sessions = new Map<string, SessionView>();
  for (const { stream, event, at } of envelopes) {
    if (stream.startsWith("session:"))
      sessions.set(stream, applySessionEvent(sessions.get(stream), SessionEvent.parse(event), at));
  }
  return {
    tasks: [...ids].map((id) => foldTask(TaskId.parse(id), envelopes)),
    sessions: [...sessions.values()],
    inbox: foldInbox(envelopes),
  };
}

function foldInbox(envelopes: readonly Envelope[]): InboxItem[] {
  const items = new Map<string, InboxItem>();
  const itemsOf = (id: TaskId) => [...items.values()].filter(({ task }) => task === id);
  for (const [index, { stream, event, at, position }] of envelopes.entries()) {
    if (stream.startsWith("session:")) continue;
    const past = envelopes.slice(0, index + 1);
    const task = (id: TaskId) => foldTask(id, past);
    const id = TaskId.parse(stream.slice(stream.indexOf(":") + 1));
    const fact = event as TaskEvent | ControlEvent | InboxEvent;
    const changed = inboxChanges(task(id), fact, { at, position }, { itemsOf, task });
    for (const item of changed) items.set(item.id, item);
  }
  return [...items.values()];
}
