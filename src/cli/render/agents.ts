// Agents, for people.
import { relative } from "node:path";
import type { OperationOutput } from "../../operations/index.ts";
import type { Colors } from "./colors.ts";
import { safeLine, safeText } from "./safe-text.ts";
import { table } from "./table.ts";

type Listed = OperationOutput<"agent.list">["agents"][number];
type Shown = OperationOutput<"agent.get">;

const WIDEST_DESCRIPTION = 80;

export function agentTable(agents: readonly Listed[], project: string): string {
  if (agents.length === 0) return "No agents. Begin one: cadre agents new <name>";
  const rows = agents.map((agent) => [
    agent.definition.name,
    agent.trusted ? "" : agent.unseen === undefined ? "not trusted" : "not seen yet",
    originOf(agent, project),
    safeLine(titleOf(agent), WIDEST_DESCRIPTION),
  ]);
  return table(["AGENT", "", "FROM", "WHAT IT IS FOR"], rows);
}

const titleOf = ({ definition }: Listed): string =>
  [definition.display_name, definition.description].filter((word) => word !== undefined).join(": ");

/** `(from: claude, .claude/agents/reviewer.md)`, `(native cadre)` or `(built in)`. */
function originOf({ definition, source }: Listed, project: string): string {
  if (definition.source !== undefined) {
    const { from, file } = definition.source;
    return `(from: ${safeLine(from)}, ${safeLine(shortPath(file, project))})`;
  }
  return source === "built in" ? "(built in)" : "(native cadre)";
}

const shortPath = (file: string, project: string): string =>
  file.startsWith(`${project}/`) ? relative(project, file) : file;

export function agentPage(agent: Shown, project: string, colors: Colors): string {
  const { definition, source, trusted, unseen = [], notes = [], rights, inputSchema } = agent;
  const { prompt, ...rest } = definition;
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", colors.bold(title), ...lines.map((line) => `  ${safeLine(line)}`)];
  return [
    `${colors.bold(definition.name)} ${originOf(agent, project)}`,
    safeText(definition.description),
    `file: ${safeLine(shortPath(source, project))}${trusted ? "" : " (not trusted)"}`,
    ...list("Nobody has seen yet", unseen),
    ...list("What it may do", rights),
    ...list("What its reader had to say", notes),
    "",
    colors.bold("What it takes"),
    safeText(JSON.stringify(inputSchema, null, 2)),
    "",
    colors.bold("Definition"),
    safeText(JSON.stringify(rest, null, 2)),
    ...(prompt === "" ? [] : ["", colors.bold("Prompt"), safeText(prompt)]),
  ].join("\n");
}
