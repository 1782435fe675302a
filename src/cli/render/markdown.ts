// Tasks as a table in Markdown. Whatever a prompt holds, it stays in its cell.
import type { TaskStatus, TaskView } from "../../schema/index.ts";
import { safeLine } from "./safe-text.ts";

const PROMPT_WIDTH = 60;

export function markdownTable(tasks: readonly TaskView[], wordFor: (status: TaskStatus) => string): string {
  const rows = tasks.map(({ id, spec, status, createdAt }) => [
    id,
    spec.definition.name,
    wordFor(status),
    new Date(createdAt).toISOString(),
    safeLine(spec.prompt, PROMPT_WIDTH),
  ]);
  return [
    row(["Task ID", "Agent", "Status", "Created At", "Prompt"]),
    row(Array(5).fill("---")),
    ...rows.map(row),
  ].join("\n");
}

const row = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;

/** The backslash first: one before a pipe would otherwise take away the escape of the pipe. */
const escapeCell = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
