import type { AgentDefinition } from "../../../schema/index.ts";
import { rightsOf } from "../lenient/rights.ts";
import {
  type Exception,
  isStricter,
  isWriting,
  PLAIN_TOOLS,
  type PlainTool,
  stricterOf,
  type ToolRight,
  type Verdict,
  wordOfMode,
} from "./tool-right.ts";

const DENIED: ToolRight = { verdict: "deny", except: [] };

/** What a definition comes to for one tool: its list, its permission mode and whether it may write, in one. */
export function rightOf(definition: AgentDefinition, tool: PlainTool): ToolRight {
  const { allow, ask, deny } = rightsOf(definition.tools);
  const mode = definition.permission_mode;
  const ground = mayTry(definition, tool) ? wordOfMode(mode, tool) : "deny";
  if (ground === "deny" || names(deny, tool)) return DENIED;
  const asked: Verdict = mode === "denyUnasked" ? "deny" : "ask";
  const isGiven = allow === undefined || names(allow, tool);
  const given = names(ask, tool) ? stricterOf(asked, ground) : ground;
  const verdict = isGiven ? given : "deny";
  const parts = isGiven ? [] : specsOf(allow, tool);
  // What is asked has to be among the tools, too.
  const askedParts = stoppingSpecs(ask, tool).filter((spec) => isGiven || parts.includes(spec));
  const except = [
    ...parts.filter((spec) => !askedParts.includes(spec)).map((spec) => ({ spec, verdict: given })),
    ...askedParts.map((spec) => ({ spec, verdict: stricterOf(asked, ground) })),
    ...stoppingSpecs(deny, tool).map((spec) => ({ spec, verdict: "deny" as const })),
  ];
  // An exception that says the same as everything else still counts where it takes back a looser one.
  const isMixed = except.some((one) => one.verdict !== verdict);
  return { verdict, except: isMixed ? except : [] };
}

/** An agent that may write nowhere has no use for a tool that only writes. */
const mayTry = ({ workspace, policy }: AgentDefinition, tool: PlainTool): boolean =>
  !isWriting(tool) || (policy.fs?.write === undefined ? workspace.allow_writes : policy.fs.write.length > 0);

const names = (rules: readonly string[], tool: string): boolean => rules.includes(tool) || rules.includes("*");

const specsOf = (rules: readonly string[], tool: string): string[] =>
  rules.flatMap((rule) => (rule.startsWith(`${tool}(`) && rule.endsWith(")") ? [rule.slice(tool.length + 1, -1)] : []));

/** A rule that stops some reading stops finding it, one that stops some editing stops writing it. */
const COVERED_BY: Readonly<Partial<Record<PlainTool, PlainTool>>> = {
  Glob: "Read",
  Grep: "Read",
  List: "Read",
  Write: "Edit",
};

function stoppingSpecs(rules: readonly string[], tool: PlainTool): string[] {
  const above = COVERED_BY[tool];
  return [...new Set([...specsOf(rules, tool), ...(above === undefined ? [] : specsOf(rules, above))])];
}

/** For a program with one permission for several of our tools: what all of them may. */
export function rightOfAll(definition: AgentDefinition, tools: readonly PlainTool[]): ToolRight {
  return tools
    .map((tool) => rightOf(definition, tool))
    .reduce((a, b) => {
      const verdict = stricterOf(a.verdict, b.verdict);
      // What restricts one restricts all; anything looser they must have in common.
      const stays = (one: Exception, other: ToolRight): boolean =>
        one.verdict === "deny" || isStricter(one.verdict, verdict) || has(other, one);
      const rest = b.except.filter((one) => stays(one, a) && !has(a, one));
      return { verdict, except: [...a.except.filter((one) => stays(one, b)), ...rest] };
    });
}

const has = ({ except }: ToolRight, { spec, verdict }: Exception): boolean =>
  except.some((one) => one.spec === spec && one.verdict === verdict);

/** The tools that may be used at all, and MCP rules that allow; undefined where that is every tool. */
export function toolsGiven(definition: AgentDefinition): string[] | undefined {
  const { allow } = rightsOf(definition.tools);
  const given = PLAIN_TOOLS.filter((tool) => rightOf(definition, tool).verdict !== "deny");
  if (allow === undefined && given.length === PLAIN_TOOLS.length) return undefined;
  // In the order of the list, so that what is written and read again stays as it is.
  const listed = (allow ?? []).filter((rule) => given.some((tool) => tool === rule));
  return [...new Set([...listed, ...given, ...mcpRules(allow ?? [])])];
}

/** The rules that name tools of MCP servers. */
export const mcpRules = (rules: readonly string[]): string[] => rules.filter((rule) => rule.startsWith("mcp__"));
