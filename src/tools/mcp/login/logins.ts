import { wantedServers } from "../../../domain/mcp-servers.ts";
import { agentNotFound, invalidInput } from "../../../errors/index.ts";
import type { Clock, Credentials, LoginEnd, Logins, LoginWish, Mint, Registry } from "../../../ports/index.ts";
import type { McpServer, UserMcpServers } from "../../../schema/index.ts";
import { fillSecrets } from "../fill-secrets.ts";
import { keyOf, type LoginFile, USER } from "./login-file.ts";

export interface LoginsParts {
  readonly clock: Clock;
  readonly mint: Pick<Mint, "token">;
  readonly credentials: Pick<Credentials, "value">;
  readonly registry: Pick<Registry, "find">;
  readonly mcpServers: UserMcpServers;
  readonly privateHosts: readonly string[];
  readonly file: LoginFile;
  readonly project: string;
  readonly version: string;
}

export function openLogins(parts: LoginsParts): Logins {
  const under = new Map<string, Promise<LoginEnd>>();
  return {
    async begin(wish, signal) {
      const { server, owner } = await serverOf(wish, parts);
      const filled = await fillSecrets(server, parts.credentials, null);
      if (!filled.ok) throw invalidInput(`the MCP server "${wish.server}" cannot be asked: ${filled.problem}`);
      const client = await clientOf(wish, parts);
      const { promise: shown, resolve: show } = Promise.withResolvers<string>();
      const { logIn } = await import("./log-in.ts"); // the protocol's library is large
      const login = parts.mint.token();
      const ended = logIn({ ...parts, server, values: filled.values, owner, client, show, state: login, signal });
      under.set(login, ended);
      const url = await Promise.race([shown, ended]).catch((error: unknown) => {
        throw cameToNothing(wish.server, error, filled.hide);
      });
      if (typeof url !== "string") throw invalidInput(`the MCP server "${wish.server}" has asked for no login`);
      ended.catch(() => undefined); // whoever finishes it hears of it
      return { login, url };
    },
    async finish(login) {
      const ended = under.get(login);
      if (ended === undefined) throw invalidInput("there is no such login under way");
      under.delete(login);
      return ended.catch((error: unknown) => {
        throw cameToNothing(null, error, (text) => text);
      });
    },
    async forget(wish) {
      const { server, owner } = await serverOf(wish, parts);
      return parts.file.forget(keyOf(owner, new URL(server.url)));
    },
  };
}

function cameToNothing(server: string | null, error: unknown, hide: (text: string) => string) {
  const why = hide(error instanceof Error ? error.message : String(error));
  return invalidInput(`the login${server === null ? "" : ` at "${server}"`} came to nothing: ${why}`, {
    hint: "Nothing was kept. Try again: cadre tools login <server>",
  });
}

type Address = Extract<McpServer, { url: string }>;

async function serverOf(
  { server: name, agent }: Pick<LoginWish, "server" | "agent">,
  { registry, mcpServers, project }: LoginsParts,
): Promise<{ server: Address; owner: string }> {
  const found = agent === undefined ? undefined : await registry.find(agent);
  if (agent !== undefined && found === undefined) throw agentNotFound(agent, undefined);
  const server =
    found === undefined
      ? Object.hasOwn(mcpServers, name)
        ? mcpServers[name]
        : undefined
      : wantedServers(found.definition, {}).find((one) => one.name === name)?.server;
  if (server === undefined || server === null)
    throw invalidInput(
      agent === undefined
        ? `your settings hold no MCP server "${name}" (mcp.servers)`
        : `the file of "${agent}" holds no MCP server "${name}"`,
      { hint: "One that an agent's own file names: cadre tools login <server> --agent <agent>" },
    );
  if (!("url" in server)) throw invalidInput(`"${name}" is a program: only servers by address take a login`);
  return { server, owner: found === undefined ? USER : project };
}

async function clientOf({ clientId: id, clientSecret: variable }: LoginWish, { credentials }: LoginsParts) {
  if (id === undefined) return undefined;
  if (variable === undefined) return { id };
  const secret = await credentials.value(variable);
  if (secret === undefined || secret === "") throw invalidInput(`the variable ${variable} is not set`);
  return { id, secret };
}
