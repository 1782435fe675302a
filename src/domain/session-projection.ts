import { corruptLog } from "../errors/index.ts";
import type { SessionEvent, SessionView, TaskId } from "../schema/index.ts";

/** The view of a session after one more event of its stream. */
export function applySessionEvent(view: SessionView | undefined, event: SessionEvent, at: number): SessionView {
  if (event.type === "session.opened") {
    if (view !== undefined) throw corruptLog(`${event.session} was opened twice`);
    return {
      id: event.session,
      agent: event.agent,
      parent: event.parent,
      forkOf: event.forkOf ?? null,
      children: [],
      tasks: [event.task],
      messages: [],
      breadcrumbs: [],
      openedAt: at,
      updatedAt: at,
      expiredAt: null,
    };
  }
  if (view === undefined) throw corruptLog(`${event.session} was used before it was opened`);
  const seen = { ...view, updatedAt: at };
  switch (event.type) {
    case "session.continued":
      return { ...seen, tasks: withTask(view, event.task), expiredAt: null };
    case "message.kept":
      return { ...seen, messages: [...view.messages, event.message] };
    case "breadcrumb.left":
      return {
        ...seen,
        breadcrumbs: [...view.breadcrumbs, event.breadcrumb],
        children: view.children.includes(event.breadcrumb.session)
          ? view.children
          : [...view.children, event.breadcrumb.session],
      };
    case "session.expired":
      return { ...view, messages: [], breadcrumbs: [], expiredAt: at };
  }
}

/** A task that is tried again is in it already. */
const withTask = ({ tasks }: SessionView, task: TaskId): TaskId[] => (tasks.includes(task) ? tasks : [...tasks, task]);
