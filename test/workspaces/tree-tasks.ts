// Tasks as far as a workspace looks at them. Apart from the rest, for processes that are no tests.
import type { SessionId, TaskId, TaskView, WorkspaceBinding } from "../../src/schema/index.ts";

export const WISH = { squash: false, dry: false, task: "task_writer1" as TaskId, by: "Ada", after: 0 };

interface Of {
  readonly name?: string;
  readonly number?: number;
  readonly session?: string;
  readonly worksIn?: string;
}

/** Only what a workspace looks at. */
export function taskWith(workspace: Partial<WorkspaceBinding> = {}, of: Of = {}): TaskView {
  const { name = "writer", number = 1, worksIn } = of;
  const session = of.session ?? `sess_${name}${number}`;
  const spec = {
    definition: { name },
    session: session as SessionId,
    ...(worksIn === undefined ? {} : { worksIn }),
    workspace: { mode: "worktree", allow_writes: true, ...workspace },
  };
  return { id: `task_${name}${number}` as TaskId, number, spec } as TaskView;
}
