// A session's file: the conversation, for people and programs that read files.
import { statusWord } from "../../domain/status-words.ts";
import { hasEnded } from "../../domain/transitions.ts";
import type { SessionMessage, SessionView, TaskSpec, TaskView } from "../../schema/index.ts";
import type { Layout } from "./layout.ts";
import { isoTime } from "./log-text.ts";

type SessionFile = Readonly<Record<string, unknown>>;

export interface SessionSeen {
  readonly session: SessionView;
  /** The latest one of the session. What it runs on, may do and comes to is what the session shows. */
  readonly task: TaskView;
}

function sessionBody({ session, task }: SessionSeen, { dialect, shown }: Layout): SessionFile {
  const { spec } = task;
  const { fs, network, env, modes } = spec.policy;
  const folder = task.attempts.findLast(({ workspace }) => workspace !== null)?.workspace;
  return {
    session_id: session.id,
    agent_name: session.agent,
    agent_cli: task.backend,
    created_at: isoTime(session.openedAt),
    updated_at: isoTime(Math.max(session.updatedAt, task.updatedAt)),
    status: statusWord(task.status, dialect),
    messages: [...session.messages, ...unfinished(session, task)].map(({ role, content }) => ({ role, content })),
    parent: session.parent,
    children: session.children,
    breadcrumbs: session.breadcrumbs,
    capability: capabilityOf(spec),
    trigger: spec.origin.mouth,
    workspace: {
      mode: spec.workspace.mode,
      path: folder === undefined || folder === null ? null : shown(folder) || ".",
      allow_writes: spec.workspace.allow_writes,
    },
    permissions: { modes, fs, network, env },
    tasks: session.tasks,
    fork_of: session.forkOf,
  };
}

export const sessionText = (seen: SessionSeen, layout: Layout): string =>
  `${JSON.stringify(sessionBody(seen, layout), null, 2)}\n`;

/** Whether they say the same, whenever it was. */
export function isSameSession(one: SessionSeen, other: SessionSeen, layout: Layout): boolean {
  if (one.session === other.session && one.task === other.task) return true; // as mostly: nothing was written since
  const [said, before] = [one, other].map((seen) => JSON.stringify({ ...sessionBody(seen, layout), updated_at: null }));
  return said === before;
}

/** What the agent has said so far, in place of the answer that it has not given yet. */
function unfinished({ messages }: SessionView, { id, status, lastSaid }: TaskView): Omit<SessionMessage, "task">[] {
  if (lastSaid === null || hasEnded(status)) return [];
  return messages.some(({ role, task }) => role === "assistant" && task === id)
    ? []
    : [{ role: "assistant", content: lastSaid }];
}

/** The role that it was started in. */
function capabilityOf({ parent, definition }: TaskSpec): string {
  if (parent !== null) return "subtask";
  return definition.capabilities.find((capability) => capability !== "watcher") ?? "watcher";
}
