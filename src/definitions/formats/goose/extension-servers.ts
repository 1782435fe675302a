// MCP servers among a recipe's extensions: programs (`stdio`) and addresses (`streamable_http`).
import { isRuled, parseRule } from "../../../domain/tool-rules.ts";
import { type AgentDefinition, type Json, type JsonObject, McpServer, McpServerName } from "../../../schema/index.ts";
import { isObject } from "../lenient/json-value.ts";
import { inlineServers } from "../lenient/mcp-servers.ts";
import { rightsOf } from "../lenient/rights.ts";
import { inOrder } from "../lenient/write-markdown.ts";

/** What an extension may say and still be used here. Anything else might restrict it: such a one is left out. */
const KNOWN: ReadonlySet<string> = new Set(
  "type name display_name description bundled timeout available_tools cmd args envs env_keys uri headers".split(" "),
);

export interface ExtensionServers {
  readonly servers: Record<string, McpServer> | undefined;
  /** Servers that cannot be used here. */
  readonly left: readonly string[];
}

export function extensionServers(extensions: Json | undefined): ExtensionServers {
  const servers: Record<string, McpServer> = {};
  const left: string[] = [];
  for (const one of Array.isArray(extensions) ? extensions : []) {
    if (!isObject(one) || one["type"] === "builtin" || one["type"] === "platform") continue;
    const name = McpServerName.safeParse(one["name"]).data;
    const server = serverIn(one);
    if (name === undefined || server === undefined || Object.hasOwn(servers, name))
      left.push(JSON.stringify(one["name"] ?? one["type"] ?? "").slice(0, 80));
    else servers[name] = server;
  }
  return { servers: Object.keys(servers).length === 0 ? undefined : servers, left };
}

function serverIn(extension: JsonObject): McpServer | undefined {
  if (!Object.keys(extension).every((key) => KNOWN.has(key))) return undefined;
  const { type, cmd, args, uri, headers, timeout } = extension;
  const limit = typeof timeout === "number" ? { timeout_ms: timeout * 1000 } : {};
  const given =
    type === "stdio"
      ? { command: cmd, args, env: variablesOf(extension) }
      : type === "streamable_http"
        ? { url: uri, headers }
        : {};
  const said = Object.entries({ ...given, ...limit }).filter(([, value]) => value !== undefined);
  return McpServer.safeParse(Object.fromEntries(said)).data;
}

/** `envs` has values; `env_keys` names what Goose keeps or asks for, which is a variable of whoever runs it here. */
function variablesOf({ envs, env_keys: keys }: JsonObject): JsonObject {
  const named = (Array.isArray(keys) ? keys : []).filter((key) => typeof key === "string");
  return {
    ...Object.fromEntries(named.map((key) => [key, `{{secret:${key}}}`])),
    ...(isObject(envs) ? envs : {}),
  };
}

/** The servers that an agent may use, as extensions with the tools that it may use of them. */
export function writeServers(definition: AgentDefinition): JsonObject[] {
  // Goose cannot keep an agent from a server that the recipe gives it.
  if (definition.permission_mode === "plan" || definition.permission_mode === "denyUnasked") return [];
  const { allow, ask, deny } = rightsOf(definition.tools);
  const isStopped = (name: string): boolean =>
    [...ask, ...deny].some((rule) => isAboutServer(parseRule(rule).name, name));
  return Object.entries(inlineServers(definition)).flatMap(([name, server]) => {
    const available = allow === undefined ? undefined : toolsOf(name, allow);
    if (isStopped(name) || available?.length === 0) return [];
    const extension = theirs(name, server);
    return extension === undefined ? [] : [inOrder({ ...extension, available_tools: available })];
  });
}

const isAboutServer = (rule: string, server: string): boolean =>
  rule.includes("*") || rule === `mcp__${server}` || rule.startsWith(`mcp__${server}__`);

/** Undefined: all of them. */
function toolsOf(server: string, allow: readonly string[]): string[] | undefined {
  const all = `mcp__${server}__`;
  if (isRuled(allow, `${all}*`, "pass")) return undefined;
  return allow.filter((rule) => rule.startsWith(all) && !/[*(]/.test(rule)).map((rule) => rule.slice(all.length));
}

/** Undefined where Goose cannot say it: a folder to start in, a variable by another name. */
function theirs(name: string, server: McpServer): JsonObject | undefined {
  const timeout = Math.max(1, Math.floor(server.timeout_ms / 1000));
  if ("url" in server) {
    const { url, headers } = server;
    return hasSecret(headers) ? undefined : { type: "streamable_http", name, uri: url, headers, timeout };
  }
  if (server.cwd !== undefined) return undefined;
  const entries = Object.entries(server.env);
  const keys = entries.filter(([key, value]) => value === `{{secret:${key}}}`).map(([key]) => key);
  const envs = Object.fromEntries(entries.filter(([key]) => !keys.includes(key)));
  if (hasSecret(envs)) return undefined;
  return { type: "stdio", name, cmd: server.command, args: server.args, envs, env_keys: keys, timeout };
}

const hasSecret = (values: Readonly<Record<string, string>>): boolean =>
  Object.values(values).some((value) => value.includes("{{secret:"));
