import type { TaskId } from "../schema/index.ts";

/** One host, for as long as it is connected: which tasks are its own. */
export interface HostSession {
  /** Unguessable: what is bound to it is of no use to another. */
  readonly key: string;
  readonly started: (task: TaskId) => void;
  /** Of a whole tree, by its root. */
  readonly hasStarted: (root: TaskId) => boolean;
}

/** Those beyond are a person's to answer for: in the inbox. */
const MOST = 10_000;

export function hostSession(key: string): HostSession {
  const tasks = new Set<TaskId>();
  return {
    key,
    started(task) {
      tasks.add(task);
      const [oldest] = tasks;
      if (tasks.size > MOST && oldest !== undefined) tasks.delete(oldest);
    },
    hasStarted: (root) => tasks.has(root),
  };
}
