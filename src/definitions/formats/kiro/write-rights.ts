import { readMcpName, writeMcpName } from "../../../domain/tool-names.ts";
import type { AgentDefinition, Json, JsonObject } from "../../../schema/index.ts";
import { rightsOf } from "../lenient/rights.ts";
import { inOrder } from "../lenient/write-markdown.ts";
import { mcpRules, rightOf, rightOfAll } from "../per-tool/right-of.ts";
import { isReading, type PlainTool, type ToolRight, wordOfMode } from "../per-tool/tool-right.ts";
import { allowingExpression, denyingExpressions } from "./tool-settings.ts";

/** Capabilities of 3.0, the tags that give them, and their names in 2.x. */
const CAPABILITIES = [
  { name: "fs_read", tag: "read", old: ["read", "grep", "glob"], tools: ["Read"] },
  { name: "fs_write", tag: "write", old: ["write"], tools: ["Edit", "Write"] },
  { name: "shell", tag: "shell", old: ["shell"], tools: ["Bash"] },
  { name: "web_fetch", tag: "web_fetch", old: ["web_fetch"], tools: ["WebFetch"] },
  { name: "web_search", tag: "web_search", old: ["web_search"], tools: ["WebSearch"] },
] as const satisfies readonly { name: string; tag: string; old: readonly string[]; tools: readonly PlainTool[] }[];

const isDenied = ({ verdict, except }: ToolRight): boolean => verdict === "deny" && except.length === 0;

/** 3.0: tags, and rules for what they give. */
export function writeRights(definition: AgentDefinition): JsonObject {
  const given = CAPABILITIES.flatMap(({ tools, ...one }) => {
    const right = rightOfAll(definition, tools);
    return isDenied(right) ? [] : [{ ...one, right, isReading: tools.every((tool: PlainTool) => isReading(tool)) }];
  });
  const todo = rightOf(definition, "TodoWrite").verdict === "deny" ? [] : ["todo_list"];
  const own = given.flatMap((one) => rulesFor(one.name, one.right, one.isReading));
  const rules = [...own, ...mcpPermissions(definition)];
  return inOrder({
    tools: [...given.map(({ tag }) => tag), ...todo, ...mcpTags(definition)],
    permissions: rules.length === 0 ? undefined : rules,
  });
}

function rulesFor(capability: string, { verdict, except }: ToolRight, isReadingOnly: boolean): JsonObject[] {
  const specs = (word: string): string[] => except.filter((one) => one.verdict === word).map(({ spec }) => spec);
  const open = [...specs("allow"), ...specs("ask")];
  // To deny all but some uses, the rule has to leave these out: nothing can loosen it.
  const whole = inOrder({ capability, effect: verdict, exclude: verdict === "deny" ? open : undefined });
  const parts = (["allow", "ask", "deny"] as const).flatMap((effect) => {
    const match = specs(effect);
    return match.length === 0 ? [] : [{ capability, effect, match }];
  });
  return isReadingOnly && verdict === "allow" ? parts : [whole, ...parts];
}

/** Where no list shuts them out, all of them. */
function mcpTags({ tools, permission_mode }: AgentDefinition): string[] {
  const { allow, deny } = rightsOf(tools);
  // What a tool of a server does is not known, so it counts as a command.
  if (wordOfMode(permission_mode, "Bash") === "deny") return [];
  if (deny.includes("*") || deny.includes("mcp__*__*")) return [];
  if (allow === undefined || allow.includes("mcp__*__*")) return ["@mcp"];
  return mcpRules(allow).flatMap((rule) => {
    const name = readMcpName("cadre", rule);
    return name === undefined ? [] : (writeMcpName("kiro", name) ?? []);
  });
}

function mcpPermissions({ tools, permission_mode }: AgentDefinition): JsonObject[] {
  const { ask, deny } = rightsOf(tools);
  const parts = [
    { capability: "mcp", effect: "ask", match: mcpMatch(ask) },
    { capability: "mcp", effect: "deny", match: mcpMatch(deny) },
  ].filter((rule) => rule.match.length > 0);
  const isFree = wordOfMode(permission_mode, "Bash") === "allow";
  return [...(isFree ? [{ capability: "mcp", effect: "allow" }] : []), ...parts];
}

const mcpMatch = (rules: readonly string[]): string[] =>
  mcpRules(rules).flatMap((rule) => {
    const name = readMcpName("cadre", rule);
    return name === undefined ? [] : [`${name.server}/${name.tool}`];
  });

/** 2.x: names, those that are not asked, and settings for commands and paths. */
export function writeOldRights(definition: AgentDefinition): JsonObject {
  const tools: string[] = [];
  const allowedTools: string[] = [];
  const toolsSettings: JsonObject = {};
  for (const { name, old, tools: ours } of CAPABILITIES) {
    const right = rightOfAll(definition, ours);
    // Only commands can be denied but for some.
    if (isDenied(right) || (right.verdict === "deny" && name !== "shell")) continue;
    tools.push(...old);
    const asksSome = right.except.some(({ verdict }) => verdict === "ask");
    if (right.verdict === "allow" && !asksSome) allowedTools.push(...old);
    const settings = settingsToWrite(name, right);
    if (settings !== undefined) toolsSettings[old[0]] = settings;
  }
  if (rightOf(definition, "TodoWrite").verdict !== "deny") tools.push("todo_list");
  // All of them cannot be said without giving everything else, nor can a part be denied.
  const denied = mcpRules(rightsOf(definition.tools).deny).length > 0;
  const mcp = denied ? [] : mcpTags(definition).filter((tag) => tag !== "@mcp");
  return inOrder({
    tools: [...tools, ...mcp],
    allowedTools,
    toolsSettings: Object.keys(toolsSettings).length === 0 ? undefined : toolsSettings,
  });
}

function settingsToWrite(name: string, { verdict, except }: ToolRight): Json | undefined {
  const isShell = name === "shell";
  const [allowed, denied] = (["allow", "deny"] as const).map((word) =>
    except.filter((one) => one.verdict === word).map(({ spec }) => spec),
  );
  const settings = isShell
    ? inOrder({
        allowedCommands: unlessEmpty(allowed?.map(allowingExpression)),
        deniedCommands: unlessEmpty(denied?.flatMap(denyingExpressions)),
        denyByDefault: verdict === "deny" ? true : undefined,
      })
    : inOrder({ deniedPaths: unlessEmpty(denied) });
  return Object.keys(settings).length === 0 ? undefined : settings;
}

const unlessEmpty = (list: string[] | undefined): string[] | undefined => (list?.length === 0 ? undefined : list);
