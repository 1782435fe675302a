// Which MCP servers an agent is given, and what its policy would let it do with them.
import type { AgentDefinition, Effect, McpServer, TaskSpec, UserMcpServers } from "../schema/index.ts";
import { SECRET_PLACE } from "../schema/mcp-server.ts";
import { isOffered } from "./decide-call.ts";
import { parseRule } from "./tool-rules.ts";

export interface WantedServer {
  readonly name: string;
  /** Null: the user's settings hold none of that name. */
  readonly server: McpServer | null;
  /** From the user's own settings, not from the definition. */
  readonly isUsers: boolean;
}

/** Of each name, the first. */
export function wantedServers(
  { mcp_servers: wished = [] }: Pick<AgentDefinition, "mcp_servers">,
  users: UserMcpServers,
): WantedServer[] {
  const entries = Array.isArray(wished) ? wished : [wished];
  const wanted = entries.flatMap((entry): WantedServer[] =>
    typeof entry === "string"
      ? [{ name: entry, server: (Object.hasOwn(users, entry) ? users[entry] : null) ?? null, isUsers: true }]
      : Object.entries(entry).map(([name, server]) => ({ name, server, isUsers: false })),
  );
  return [...new Map(wanted.toReversed().map((one) => [one.name, one])).values()].toReversed();
}

export const hasServers = ({ mcp_servers: wished = [] }: Pick<AgentDefinition, "mcp_servers">): boolean =>
  Object.keys(wished).length > 0;

/** A program is judged as a command is, an address as the network is. What a server says of itself lowers nothing. */
export const serverEffect = (server: McpServer): Effect => ("command" in server ? "exec" : "net");

export const serverHost = (server: McpServer): string | undefined =>
  "url" in server ? new URL(server.url).hostname.replace(/^\[(.*)\]$/, "$1") : undefined;

/** The variables that stand in its values. */
export function secretsOf(server: McpServer): string[] {
  const values = Object.values("command" in server ? server.env : server.headers);
  const names = values.flatMap((value) => [...value.matchAll(SECRET_PLACE)].map(([, name = ""]) => name));
  return [...new Set(names)];
}

/** Whether the policy could allow any tool of it: a server that no tool of could be called is not started. */
export function mayUseServer({ policy }: Pick<TaskSpec, "policy">, name: string, effect: Effect): boolean {
  const all = `mcp__${name}`;
  const isAboutIt = (rule: string): boolean => {
    const about = parseRule(rule).name;
    return about === all || about.startsWith(`${all}__`) || about.includes("*");
  };
  const anyTool = `${all}__any`;
  // A layer that names single tools of it lets those through, whichever they are.
  const tools = policy.tools.map((layer) => ({
    ...layer,
    allow: layer.allow?.some(isAboutIt) === true ? null : layer.allow,
  }));
  return isOffered({ ...policy, tools }, { name: anyTool, effect }, false);
}
