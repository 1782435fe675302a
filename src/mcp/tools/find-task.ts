import { invalidInput } from "../../errors/index.ts";
import { SessionId, TaskId, type TaskView } from "../../schema/index.ts";
import type { HostCall } from "../host-tool.ts";

/** By its own id, or the latest task of a session by the session's. */
export async function findTask({ cadre }: HostCall, ref: string): Promise<TaskView> {
  const task = TaskId.safeParse(ref);
  if (task.success) return cadre.call("task.get", { task: task.data });
  const session = SessionId.safeParse(ref);
  if (!session.success)
    throw invalidInput(`"${ref}" is neither a task nor a session`, { hint: "Use the id that you were given, whole." });
  const { tasks } = await cadre.call("session.get", { session: session.data });
  const latest = tasks.at(-1);
  if (latest === undefined) throw invalidInput(`the session ${ref} has no task`);
  return cadre.call("task.get", { task: latest });
}

export interface TaskRef {
  readonly task_id?: string | undefined;
  readonly session_id?: string | undefined;
}

export const isNone = ({ task_id: task, session_id: session }: TaskRef): boolean => (task ?? session) === undefined;

export function refOf({ task_id: task, session_id: session }: TaskRef): string {
  const ref = task ?? session;
  if (ref === undefined || (task !== undefined && session !== undefined))
    throw invalidInput("one of task_id and session_id is needed", { hint: "Use the id that you were given." });
  return ref;
}
