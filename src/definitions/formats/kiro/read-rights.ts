import type { Json, JsonObject } from "../../../schema/index.ts";
import { toolWords } from "../lenient/tool-words.ts";
import { type Expressed, expressRights, type GivenRight } from "../per-tool/express-rights.ts";
import { type Exception, isReading, type PlainTool, stricterOf, type Verdict } from "../per-tool/tool-right.ts";
import { isAmong, type KiroTools, KIRO_TOOLS, kiroTools, mcpAmong } from "./kiro-tools.ts";
import { type CapabilityRule, capabilityRules, isFor, isForMcp, rightByRules } from "./permission-rules.ts";
import { settingsFor } from "./tool-settings.ts";

export interface KiroRights extends Expressed {
  readonly given: KiroTools;
}

/** Everything in a file that says what its agent may do. */
export const RIGHTS = ["tools", "allowedTools", "toolsSettings", "permissions"] as const;

const DENIED: GivenRight = { verdict: "deny", except: [] };

/** `hasTags`: Markdown, where `read` is all that reads. Without a list it reads there, and does nothing in JSON. */
export function readRights(file: JsonObject, hasTags: boolean): KiroRights {
  const { tools, allowedTools, toolsSettings, permissions } = file;
  const given = kiroTools(tools === undefined ? (hasTags ? ["read"] : []) : words(tools), hasTags);
  const approved = words(allowedTools);
  const rules = capabilityRules(permissions);
  const rights = new Map<PlainTool, GivenRight>();
  for (const tool of KIRO_TOOLS) {
    const right = given.plain.has(tool) ? rightFor(tool, rules, approved, toolsSettings) : DENIED;
    rights.set(tool, right);
  }
  const expressed = expressRights({ tools: rights, others: othersRight(given, rules, approved) });
  return { ...expressed, given };
}

const words = (value: Json | undefined): readonly string[] => toolWords(value)?.allowed ?? [];

function rightFor(
  tool: PlainTool,
  rules: readonly CapabilityRule[],
  approved: readonly string[],
  toolsSettings: Json | undefined,
): GivenRight {
  const settings = settingsFor(tool, toolsSettings);
  if (settings.isDenied) return DENIED;
  // Kiro asks for everything but reading what lies in the project.
  const unsaid: Verdict = isReading(tool) ? "allow" : "ask";
  const right = rightByRules(
    rules.filter((rule) => isFor(rule, tool)),
    unsaid,
  );
  const verdict = right.verdict ?? (isAmong(approved, tool) ? "allow" : unsaid);
  // What a rule says of everything outranks commands and paths that are allowed.
  const isSettled = right.verdict === "ask" || right.verdict === "deny";
  const own = settings.except.filter((one) => one.verdict === "deny" || !isSettled);
  if (!settings.isClosed || verdict === "deny") return { verdict, except: [...right.except, ...own] };
  return { verdict: "deny", except: [...right.except.filter((one) => one.verdict === "deny"), ...own] };
}

function othersRight({ mcp }: KiroTools, rules: readonly CapabilityRule[], approved: readonly string[]): GivenRight {
  const named = rules.filter(isForMcp).map((rule) => ({
    ...rule,
    match: rule.match?.map(mcpRule),
    exclude: rule.exclude.map(mcpRule),
  }));
  const right = rightByRules(named, "ask");
  const allowed = mcpAmong(approved);
  if (mcp.includes("mcp__*__*")) {
    const verdict = right.verdict ?? (allowed.includes("mcp__*__*") ? "allow" : "ask");
    const own = right.verdict === undefined ? allowed.map((spec) => ({ spec, verdict: "allow" as const })) : [];
    return { verdict, except: [...right.except, ...own] };
  }
  // A rule cannot give what is not among the tools; and where it asks for some, all are asked.
  const asksSome = right.except.some(({ verdict }) => verdict === "ask");
  const listed: Exception[] = mcp.map((spec) => {
    const verdict = right.verdict ?? (allowed.includes(spec) ? "allow" : "ask");
    return { spec, verdict: asksSome ? stricterOf(verdict, "ask") : verdict };
  });
  return { verdict: "deny", except: [...listed, ...right.except.filter(({ verdict }) => verdict === "deny")] };
}

const mcpRule = (match: string): string => {
  const [server = "*", ...tool] = match.split("/");
  return `mcp__${server}__${tool.length === 0 ? "*" : tool.join("/")}`;
};
