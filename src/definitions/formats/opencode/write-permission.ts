import { matchesText } from "../../../domain/globs.ts";
import { readMcpName, writeMcpName } from "../../../domain/tool-names.ts";
import type { AgentDefinition, JsonObject } from "../../../schema/index.ts";
import { rightsOf } from "../lenient/rights.ts";
import { mcpRules, rightOfAll } from "../per-tool/right-of.ts";
import {
  isReading,
  type PlainTool,
  stricterOf,
  type ToolRight,
  type Verdict,
  wordOfMode,
} from "../per-tool/tool-right.ts";
import { filePattern } from "./file-patterns.ts";
import { EVERY_MCP_TOOL, TOOLS_OF } from "./read-permission.ts";

/** In the order that opencode needs: what is allowed, then what is asked, then what is denied. */
export function writePermission(definition: AgentDefinition): JsonObject {
  const { allow } = rightsOf(definition.tools);
  const isClosed = allow !== undefined && !allow.includes("mcp__*__*");
  // What a tool of a server does is not known, so it counts as a command.
  const unlisted = wordOfMode(definition.permission_mode, "Bash");
  const open: JsonObject = unlisted === "allow" ? {} : { [EVERY_MCP_TOOL]: unlisted };
  const permission: JsonObject = isClosed ? { "*": "deny" } : open;
  for (const [key, tools] of Object.entries(TOOLS_OF)) {
    const right = rightOfAll(definition, tools);
    const word = wordFor(key, right);
    // Said where opencode would do otherwise by itself: it allows everything that is not mentioned.
    const isImplied = isClosed
      ? word === "deny"
      : word === "allow" && tools.every((tool: PlainTool) => isReading(tool));
    if (!isImplied) permission[key] = word;
  }
  for (const [rule, word] of mcpWords(definition, unlisted)) {
    const name = mcpKey(rule);
    if (name === undefined) continue;
    delete permission[name]; // the later one counts, and has to stand later
    permission[name] = word;
  }
  return permission;
}

/** Rules for tools of servers, the strictest last. What is asked has to be among the tools, too. */
function mcpWords({ tools }: AgentDefinition, unlisted: Verdict): (readonly [string, Verdict])[] {
  const { allow, ask, deny } = rightsOf(tools);
  const [given, asked] = [mcpRules(allow ?? []).filter((rule) => rule !== "mcp__*__*"), mcpRules(ask)];
  const isAsked = (rule: string) => asked.some((one) => matchesText(one, rule));
  const isGiven = (rule: string) => allow === undefined || allow.some((one) => matchesText(one, rule));
  const lesser = stricterOf("ask", unlisted);
  return [
    ...given.map((rule) => [rule, isAsked(rule) ? lesser : unlisted] as const),
    ...asked.filter(isGiven).map((rule) => [rule, lesser] as const),
    ...mcpRules(deny).map((rule) => [rule, "deny"] as const),
  ];
}

const mcpKey = (rule: string): string | undefined => {
  const name = readMcpName("cadre", rule);
  if (name !== undefined) return writeMcpName("opencode", name);
  return /^mcp__([A-Za-z0-9_-]+\*)$/.exec(rule)?.[1]; // servers whose names begin so
};

function wordFor(key: string, { verdict, except }: ToolRight): Verdict | JsonObject {
  const patterns: JsonObject = { "*": verdict };
  for (const word of ["allow", "ask", "deny"] as const) {
    for (const { spec } of except.filter((one) => one.verdict === word)) {
      const pattern = patternFor(key, spec, word === "deny");
      if (pattern === undefined) continue;
      delete patterns[pattern]; // the later one counts, and has to stand later
      patterns[pattern] = word;
    }
  }
  return Object.keys(patterns).length === 1 ? verdict : patterns;
}

function patternFor(key: string, spec: string, mayFitMore: boolean): string | undefined {
  if (key === "bash") return spec;
  if (key !== "read" && key !== "edit") return undefined;
  const { pattern, isWide } = filePattern(spec);
  return isWide && !mayFitMore ? undefined : pattern;
}
