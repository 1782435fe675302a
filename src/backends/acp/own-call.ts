// Whether a peer speaks of one of our own tools, which are put to the policy where they are done. Peers name a tool of a
// server each in their own way; a call that names it exactly so, and carries neither a command nor a change, is one.
import { calledBy, SERVER } from "../own-tools/server-name.ts";
import { commandIn } from "./foreign-use.ts";
import type { ToolCallFacts } from "./messages.ts";

/** `wasOwn`: it was announced as one, by its whole name. Some then ask about it without the server's. */
export type IsOwnCall = (facts: ToolCallFacts, wasOwn?: boolean) => boolean;

const namesOf = (tool: string): readonly string[] => [
  calledBy(tool),
  `mcp_${SERVER}_${tool}`,
  `${SERVER}__${tool}`,
  `${SERVER}_${tool}`,
  `${SERVER}-${tool}`,
  `${SERVER}.${tool}`,
  `${SERVER}/${tool}`,
  `${SERVER}: ${tool}`,
  `${SERVER}: ${tool.replaceAll("_", " ")}`,
  `Tool: ${SERVER}/${tool}`,
  `${tool} (${SERVER} MCP Server)`,
];

export function ownCallsOf(tools: readonly string[]): IsOwnCall {
  const names = new Set(tools.flatMap(namesOf));
  return ({ name, title, _meta, rawInput, content }, wasOwn = false) =>
    ([name, title, _meta?.toolName].some((one) => names.has(one ?? "")) || (wasOwn && tools.includes(title ?? ""))) &&
    commandIn(rawInput) === undefined &&
    !(content ?? []).some(({ type }) => type === "diff");
}
