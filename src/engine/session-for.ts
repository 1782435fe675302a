// Which session a task is part of: a new one, one that goes on, or a new one that begins where another has come to.
import { invalidInput, sessionNotFound } from "../errors/index.ts";
import type { Admission } from "../ports/index.ts";
import type { SessionId, SessionView, TaskView } from "../schema/index.ts";
import type { EngineParts } from "./parts.ts";

export interface SessionWish {
  readonly session?: SessionId | undefined;
  /** Not in that session, but in a new one that knows what was said there. */
  readonly fork?: boolean | undefined;
}

export async function sessionFor(
  parts: EngineParts,
  { session, fork = false }: SessionWish,
  parent: TaskView | null,
): Promise<{ readonly session: SessionId } & Pick<Admission, "continues" | "forks">> {
  const { mint, store, settings } = parts;
  if (session === undefined && fork) throw invalidInput("a fork needs a session", { hint: "Name it: --session <id>" });
  if (session === undefined) return { session: mint.id("sess"), continues: false };
  const view = await store.session(session);
  // The same words for one that is there and is nobody's business.
  if (view === undefined || (parent !== null && !(await isBelow(parts, view, parent)))) throw sessionNotFound(session);
  if (!fork) return { session, continues: true };
  return { session: mint.id("sess"), continues: false, forks: { session, messages: settings.maxHistory } };
}

/** An agent goes on with sessions of its own children only: in any other it would be told what was said there. */
async function isBelow({ store }: EngineParts, { tasks }: SessionView, parent: TaskView): Promise<boolean> {
  const [first] = tasks;
  for (let task = first === undefined ? undefined : await store.task(first); task !== undefined;) {
    if (task.spec.parent === parent.id) return true;
    task = task.spec.parent === null ? undefined : await store.task(task.spec.parent);
  }
  return false;
}
