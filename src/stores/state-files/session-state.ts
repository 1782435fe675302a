// A session's file: the conversation, for people and programs that read files.
import { statusWord } from "../../domain/status-words.ts";
import type { SessionView, TaskView } from "../../schema/index.ts";
import type { Layout } from "./layout.ts";
import { isoTime } from "./log-text.ts";

/** `task`: the latest one of the session. What it runs on and how it goes is what the session shows. */
export function sessionText(session: SessionView, task: TaskView, { dialect }: Layout): string {
  const file = {
    session_id: session.id,
    agent_name: session.agent,
    agent_cli: task.backend,
    created_at: isoTime(session.openedAt),
    updated_at: isoTime(session.updatedAt),
    status: statusWord(task.status, dialect),
    messages: session.messages.map(({ role, content }) => ({ role, content })),
    parent: session.parent,
    children: session.children,
    breadcrumbs: session.breadcrumbs,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
