// MCP servers as other programs write them: a map by name, or a list in which a bare name is a server that the program
// knows from its own settings. What they say stays aside as it stands; here it is read into our words.
import { isDeepStrictEqual } from "node:util";
import { wantedServers } from "../../../domain/mcp-servers.ts";
import {
  type AgentDefinition,
  type Json,
  type JsonObject,
  McpServer,
  McpServerName,
  type McpServers,
} from "../../../schema/index.ts";
import type { Remark } from "../format.ts";
import type { Fields } from "./fields.ts";
import { isObject } from "./json-value.ts";
import { kept, mapped } from "./settings.ts";

/** Options that change nothing about what a server may do. Any other might restrict it: such a server is left out. */
const HARMLESS: ReadonlySet<string> = new Set(
  // `trust` and `autoApprove` only spare questions there; here everything is asked all the same.
  ["type", "timeout", "description", "disabled", "enabled", "trust", "autoApprove"],
);
const OURS: ReadonlySet<string> = new Set(["command", "args", "env", "cwd", "url", "httpUrl", "headers"]);

export function readServers(fields: Fields, key: string, remarks: Remark[]): McpServers | undefined {
  const value = fields.take(key);
  if (value === undefined) return undefined;
  fields.keep(key, value);
  const { servers, left } = serversIn(value);
  if (servers !== undefined) remarks.push(mapped(key, "its servers are asked about before they are started"));
  for (const name of left) remarks.push(kept(key, `${name} is no server that can be used here`));
  return servers;
}

/** As it stood, where it still means the same; else in words that most programs share. */
export function serversToWrite(
  { mcp_servers: servers }: Pick<AgentDefinition, "mcp_servers">,
  before: Json | undefined,
): Json | undefined {
  if (before !== undefined && isDeepStrictEqual(serversIn(before).servers, servers)) return before;
  if (servers === undefined) return undefined;
  return Array.isArray(servers)
    ? servers.map((one) => (typeof one === "string" ? one : theirMap(one)))
    : theirMap(servers);
}

/** Those that the definition itself describes, by name: for programs that do not let an agent name their own. */
export const inlineServers = (definition: Pick<AgentDefinition, "mcp_servers">): Record<string, McpServer> =>
  Object.fromEntries(
    wantedServers(definition, {}).flatMap(({ name, server }) => (server === null ? [] : [[name, server]])),
  );

const theirMap = (servers: Readonly<Record<string, McpServer>>): JsonObject =>
  Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, theirs(server)]));

function theirs(server: McpServer): JsonObject {
  if ("url" in server) return { type: "http", url: server.url, headers: withPlaces(server.headers) };
  const { command, args, env, cwd } = server;
  return { command, args, env: withPlaces(env), ...(cwd === undefined ? {} : { cwd }) };
}

const withPlaces = (values: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, value.replaceAll(/\{\{secret:(\w+)\}\}/g, "${$1}")]),
  );

function serversIn(value: Json): { servers: McpServers | undefined; left: string[] } {
  const left: string[] = [];
  const read = (map: JsonObject): Record<string, McpServer> =>
    Object.fromEntries(
      Object.entries(map).flatMap(([name, server]) => {
        const ours = McpServerName.safeParse(name).success ? oursOf(server) : undefined;
        if (ours === undefined) left.push(name);
        return ours === undefined ? [] : [[name, ours]];
      }),
    );
  if (isObject(value)) {
    const map = read(value);
    return { servers: Object.keys(map).length === 0 ? undefined : map, left };
  }
  const list = (Array.isArray(value) ? value : [value]).flatMap((one): (string | Record<string, McpServer>)[] => {
    if (isObject(one)) {
      const map = read(one);
      return Object.keys(map).length === 0 ? [] : [map];
    }
    if (typeof one === "string" && McpServerName.safeParse(one).success) return [one];
    left.push(JSON.stringify(one));
    return [];
  });
  return { servers: list.length === 0 ? undefined : list, left };
}

function oursOf(server: Json | undefined): McpServer | undefined {
  if (!isObject(server) || server["disabled"] === true || server["enabled"] === false) return undefined;
  if (server["type"] === "sse" || !Object.keys(server).every((key) => HARMLESS.has(key) || OURS.has(key)))
    return undefined;
  const { command, args, env, cwd, headers } = server;
  const url = server["url"] ?? server["httpUrl"];
  const given = Object.entries(
    url === undefined ? { command, args, env: secrets(env), cwd } : { url, headers: secrets(headers) },
  );
  return McpServer.safeParse(Object.fromEntries(given.filter(([, one]) => one !== undefined))).data;
}

/** `${NAME}`, `${env:NAME}` and `$NAME` stand for a variable there. */
function secrets(values: Json | undefined): Json | undefined {
  if (!isObject(values)) return values;
  const filled = Object.entries(values).map(([key, value]): [string, Json] => [
    key,
    typeof value === "string"
      ? value.replaceAll(
          /\$\{(?:env:)?([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g,
          (_, braced?: string, bare?: string) => `{{secret:${braced ?? bare ?? ""}}}`,
        )
      : value,
  ]);
  return Object.fromEntries(filled);
}
