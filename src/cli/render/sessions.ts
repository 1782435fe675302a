// Sessions as a person reads them.
import type { OperationOutput } from "../../operations/index.ts";
import type { SessionView } from "../../schema/index.ts";
import { type Colors, paintStatus, SYMBOL } from "./colors.ts";
import { safeLine, safeText } from "./safe-text.ts";
import { table } from "./table.ts";

type Row = OperationOutput<"session.list">["sessions"][number];

const ABOUT_WIDTH = 48;

export function sessionTable(sessions: readonly Row[], colors: Colors): string {
  if (sessions.length === 0) return "No sessions.";
  const rows = sessions.map(({ id, agent, status, backend, tasks, updatedAt, about }) => [
    id,
    safeLine(agent),
    paintStatus(colors, status, `${SYMBOL[status]} ${status}`),
    backend,
    String(tasks),
    new Date(updatedAt).toISOString().slice(0, 16).replace("T", " "),
    safeLine(about, ABOUT_WIDTH),
  ]);
  return table(["SESSION", "AGENT", "STATUS", "BACKEND", "TASKS", "LAST USED", "ABOUT"], rows);
}

export const sessionText = ({ messages, breadcrumbs }: SessionView): string =>
  [
    ...messages.map(({ role, content }) => `${role === "user" ? "User" : "Assistant"}: ${safeText(content)}`),
    ...breadcrumbs.map(({ agent, status, summary }) => `  ${safeLine(agent)} ${status}: ${safeText(summary)}`),
  ].join("\n");
