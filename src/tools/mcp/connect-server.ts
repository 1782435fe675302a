// One server from its start to its list of tools, in either era of the protocol. Loaded when an agent has a server.
import {
  type CallToolResult,
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { resolve } from "node:path";
import { isInScopes } from "../../domain/scopes.ts";
import { findProgram } from "../../platform/find-program.ts";
import { namedFiles } from "../../platform/named-files.ts";
import { workerEnvironment } from "../../platform/process-environment.ts";
import type { Resolve } from "../../platform/public-address.ts";
import type { Attempt, Command } from "../../ports/index.ts";
import type { JsonObject, McpServer } from "../../schema/index.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { ServerFault } from "./message-lines.ts";
import type { ListedTool } from "./offered-tools.ts";
import { ProgramTransport } from "./program-transport.ts";

export interface ConnectWish {
  readonly server: McpServer;
  /** Its variables or headers, with secrets filled in. */
  readonly values: Readonly<Record<string, string>>;
  readonly attempt: Pick<Attempt, "keep" | "confinement" | "workspace" | "task">;
  readonly privateHosts: readonly string[];
  readonly resolve?: Resolve | undefined;
  readonly version: string;
  /** Aborted when it has taken too long to start. */
  readonly signal: AbortSignal;
}

export interface ConnectedServer extends AsyncDisposable {
  readonly tools: readonly ListedTool[];
  /** Rejects where there is no answer, with the reason in words. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
}

const PROBE_MS = 5_000;
const MAX_PAGES = 16;

export async function connectServer(wish: ConnectWish): Promise<ConnectedServer> {
  if ("url" in wish.server) return connectAddress(wish, wish.server);
  const program = wish.server;
  try {
    return await connectProgram(wish, program, "auto");
  } catch (error) {
    wish.signal.throwIfAborted();
    // Some servers of the older era end when they are asked in the newer one: such a one is started again.
    if (!(error instanceof EndedEarly)) throw error;
    return connectProgram(wish, program, "legacy");
  }
}

class EndedEarly extends ServerFault {}

type Program = Extract<McpServer, { command: string }>;
type Address = Extract<McpServer, { url: string }>;

async function connectProgram(wish: ConnectWish, server: Program, era: "auto" | "legacy"): Promise<ConnectedServer> {
  const { keep, confinement } = wish.attempt;
  const transport = new ProgramTransport(keep.spawn(confinement.wrap(commandOf(wish, server))));
  try {
    return await connect(wish, transport, era, async () => transport.close());
  } catch (error) {
    await transport.close();
    const isEarly = era === "auto" && error instanceof SdkError && error.code !== SdkErrorCode.RequestTimeout;
    throw new (isEarly ? EndedEarly : ServerFault)(wordsOf(error, transport));
  }
}

function commandOf({ attempt, values }: ConnectWish, { command, args, cwd: folder = "." }: Program): Command {
  const { workspace, task } = attempt;
  const cwd = resolve(workspace.root, folder);
  const own = workerEnvironment();
  const given = ["PATH", "HOME", "LANG"].filter((name) => task.spec.policy.env.allow.includes(name));
  const env = {
    ...Object.fromEntries(given.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))),
    ...values,
  };
  if (!isInScopes(folder, ["."])) throw new ServerFault(`its folder, ${folder}, lies outside of the project`);
  const found = findProgram(command, { cwd, path: env["PATH"] });
  if (!found.ok) throw new ServerFault(found.problem);
  return { file: command, args, cwd, env, reads: namedFiles(args) };
}

async function connectAddress(wish: ConnectWish, server: Address): Promise<ConnectedServer> {
  const url = new URL(server.url);
  const { privateHosts, resolve: lookUp, values } = wish;
  const guarded = guardedFetch({ url, privateHosts, resolve: lookUp, silenceMs: server.timeout_ms });
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: guarded.fetch,
    requestInit: { headers: values },
    redirectPolicy: "same-origin",
    onInsufficientScope: "throw",
  });
  try {
    return await connect(wish, transport, "auto", async () => guarded[Symbol.asyncDispose]());
  } catch (error) {
    await guarded[Symbol.asyncDispose]();
    throw new ServerFault(wordsOf(error));
  }
}

async function connect(
  { server, version, signal }: ConnectWish,
  transport: Transport,
  mode: "auto" | "legacy",
  end: () => Promise<void>,
): Promise<ConnectedServer> {
  const client = new Client(
    { name: "cadre", version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
      // It may ask for nothing: no sampling, no questions to the user, no folders.
      capabilities: {},
      listMaxPages: MAX_PAGES,
      // Its schemas are not run here: one can be made to take for ever.
      jsonSchemaValidator: {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever it is, it is shown as text
        getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) as never,
      },
    },
  );
  const listed = await orQuit(transport, signal, async () => {
    await client.connect(transport, { signal, timeout: server.timeout_ms });
    return client.getServerCapabilities()?.tools === undefined ? { tools: [] } : client.listTools({}, { signal });
  });
  return {
    tools: listed.tools,
    async call(name, input, until) {
      try {
        return await client.callTool(
          { name, arguments: input },
          { signal: until, timeout: server.timeout_ms, maxTotalTimeout: server.timeout_ms },
        );
      } catch (error) {
        throw new ServerFault(wordsOf(error, transport));
      }
    },
    async [Symbol.asyncDispose]() {
      await client.close().catch(() => undefined);
      await end();
    },
  };
}

/** The library does not heed a signal at every step; whoever waits for a closed connection is let go. */
async function orQuit<T>(transport: Transport, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const quit = () => void transport.close();
  signal.addEventListener("abort", quit, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener("abort", quit);
  }
}

function wordsOf(error: unknown, transport?: Transport): string {
  if (transport instanceof ProgramTransport && transport.isOver) return transport.whyGone();
  // What really happened lies at the bottom of it.
  let [cause, depth] = [error, 0];
  while (cause instanceof Error && cause.cause instanceof Error && depth++ < 5) cause = cause.cause;
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 500);
}
