// Tools of MCP servers, for agents on our own loop. A server is started with the attempt and ends with it; what it says
// of itself gives it no right.
import { resolve } from "node:path";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { mayUseServer, serverEffect, serverHost, type WantedServer, wantedServers } from "../../domain/mcp-servers.ts";
import { carriesSecret } from "../../domain/outbound-secrets.ts";
import { oneLine } from "../../domain/summaries.ts";
import type { Resolve } from "../../platform/public-address.ts";
import { workerEnvironment } from "../../platform/process-environment.ts";
import { sha256 } from "../../platform/system-mint.ts";
import type { Attempt, AttemptScope, Clock, Credentials, Mint, Tool, Toolbox } from "../../ports/index.ts";
import { JsonObject, type McpServer, type UserMcpServers } from "../../schema/index.ts";
import { failed } from "../define-tool.ts";
import { inEnvelope } from "../envelope.ts";
import { SENDS_SECRET } from "../web/connection.ts";
import { agreedTools } from "./agreed-tools.ts";
import type { ConnectedServer } from "./connected-server.ts";
import { fillSecrets } from "./fill-secrets.ts";
import type { KnownTools } from "./known-tools.ts";
import type { LoginFile } from "./login/login-file.ts";
import { type McpTool, offeredTools } from "./offered-tools.ts";
import type { Whereabouts } from "./packages/installed-package.ts";
import type { StartedServer } from "./start-server.ts";

export interface McpParts {
  readonly clock: Clock;
  readonly mint: Pick<Mint, "token">;
  readonly credentials: Pick<Credentials, "value">;
  readonly privateHosts?: readonly string[] | undefined;
  readonly resolve?: Resolve | undefined;
  /** `mcp.servers` of the user's settings. */
  readonly mcpServers: UserMcpServers;
  readonly knownTools: KnownTools;
  readonly logins: LoginFile;
  /** Whose agents these are: a project has its own logins. */
  readonly project: string;
  /** Cadre's own, as servers are told. */
  readonly version: string;
  /** How long a server may take to be ready. */
  readonly startMs?: number | undefined;
}

const NOTHING = { tools: [], [Symbol.asyncDispose]: async () => undefined };

export const mcpTools =
  (parts: McpParts): Toolbox =>
  async (attempt, scope) => {
    const { definition } = attempt.task.spec;
    const wanted = wantedServers(definition, parts.mcpServers);
    if (wanted.length === 0) return NOTHING;
    const opened = await scope.together(wanted.map((one) => () => openServer(one, attempt, scope, parts)));
    const missing = opened.find(({ isRequired, problem }) => isRequired && problem !== undefined)?.problem;
    return {
      tools: opened.flatMap(({ tools }) => tools),
      ...(missing === undefined ? {} : { missing }),
      async [Symbol.asyncDispose]() {
        await Promise.allSettled(opened.map(async ({ connected }) => connected?.[Symbol.asyncDispose]()));
      },
    };
  };

interface Opened {
  readonly tools: readonly Tool[];
  readonly connected?: ConnectedServer;
  readonly problem?: string;
  readonly isRequired: boolean;
}

async function openServer(
  wanted: WantedServer,
  attempt: Attempt,
  scope: AttemptScope,
  parts: McpParts,
): Promise<Opened> {
  const { name, server } = wanted;
  const isRequired = server?.required ?? false;
  const note = (text: string) =>
    scope.append({ type: "note.taken", level: "warning", text: `MCP server "${name}": ${text}` });
  const without = async (why: string): Promise<Opened> => {
    const problem = `the MCP server "${name}" is not there: ${oneLine(scope.redact(why), 600)}`;
    await note(`its tools are missing: ${oneLine(scope.redact(why), 600)}`);
    return { tools: [], problem, isRequired };
  };
  if (server === null) return without("your settings hold no server of that name (mcp.servers)");
  const { spec } = attempt.task;
  const effect = serverEffect(server);
  if (!mayUseServer(spec, name, effect))
    return without(`the policy of "${spec.definition.name}" lets none of them be called`);
  const filled = await fillSecrets(server, parts.credentials, wanted.isUsers ? null : spec.policy.env.allow);
  if (!filled.ok) return without(filled.problem);
  const key = sha256(canonicalJson(identityOf(server)));
  let started: StartedServer;
  try {
    const { agreedPackage } = await import("./packages/agreed-package.ts");
    const agreed = await agreedPackage({
      name,
      server,
      key: sha256(`${parts.project}\0${key}`),
      where: whereabouts(server, attempt),
      known: parts.knownTools,
      scope,
    });
    const { startServer } = await import("./start-server.ts"); // the protocol's library is large
    started = await startServer({ ...agreed, name, isUsers: wanted.isUsers }, filled, attempt, scope, parts);
  } catch (error) {
    scope.signal.throwIfAborted();
    return without(filled.hide(error instanceof Error ? error.message : String(error)));
  }
  const { connected, hide } = started;
  const { tools, problems } = offeredTools(name, connected.tools);
  for (const problem of problems) await note(problem);
  const agreed = await agreedTools({ server: name, key, tools, known: parts.knownTools, scope, note });
  const as = { server, connected, scope, hide, nonce: () => parts.mint.token() };
  return { tools: agreed.map((tool) => mcpTool(tool, as)), connected, isRequired };
}

function whereabouts(server: McpServer, { workspace }: Attempt): Whereabouts {
  const { HOME: home, PATH: path } = workerEnvironment();
  return { cwd: resolve(workspace.root, ("cwd" in server ? server.cwd : undefined) ?? "."), home, path };
}

/** What a person agrees to when they agree to a server. */
const identityOf = (server: McpServer): JsonObject =>
  "url" in server
    ? { url: server.url, headers: server.headers }
    : { command: server.command, args: server.args, env: server.env, cwd: server.cwd ?? null };

interface ToolOf {
  readonly server: McpServer;
  readonly connected: ConnectedServer;
  readonly scope: AttemptScope;
  readonly hide: (text: string) => string;
  readonly nonce: () => string;
}

function mcpTool({ name, theirs, description, inputSchema }: McpTool, as: ToolOf): Tool {
  const { server, connected, scope, hide, nonce } = as;
  const effect = serverEffect(server);
  const host = serverHost(server);
  return {
    name,
    description,
    effect,
    inputSchema,
    plan(input) {
      const given = JsonObject.safeParse(input);
      if (!given.success) return { ok: false, problem: `${name} takes an object` };
      const missing = requiredOf(inputSchema).filter((field) => !Object.hasOwn(given.data, field));
      if (missing.length > 0)
        return { ok: false, problem: `${name} needs ${missing.map((one) => `\`${one}\``).join(", ")}` };
      if (host !== undefined && carriesSecret(JSON.stringify(given.data), (one) => scope.redact(one)))
        return { ok: false, problem: SENDS_SECRET };
      // Nothing that a server says of itself proves that a call only reads.
      return { ok: true, use: { effect, isReadOnly: false, ...(host === undefined ? {} : { host }) } };
    },
    async run(input) {
      const { resultText } = await import("./result-text.ts");
      try {
        const result = await connected.call(theirs, JsonObject.parse(input), scope.signal);
        const { text: said, leftOut } = resultText(result);
        const text = hide(said);
        const shown = text.trim() === "" ? "(no output)" : inEnvelope(name, text, nonce());
        return { ok: result.isError !== true, text: shown, leftOut };
      } catch (error) {
        if (scope.signal.aborted) return failed("The attempt was stopped.");
        const why = hide(error instanceof Error ? error.message : String(error));
        return failed(`${name} gave no result. What is known of it:\n${inEnvelope(name, why, nonce())}`);
      }
    },
  };
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((field) => typeof field === "string") : [];
}
