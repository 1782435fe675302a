// Our own MCP client, as the conformance suite drives it: told a scenario and the address of the suite's server, it does
// what an attempt would: connect, list the tools, call those that the scenario is about. Where it says that a person has
// to log in, a person does, as `cadre tools login` has it, and it is tried again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { systemClock as clock } from "../../src/platform/system-clock.ts";
import { mintToken } from "../../src/platform/system-mint.ts";
import type { Attempt, AttemptScope } from "../../src/ports/index.ts";
import { JsonObject, McpServer } from "../../src/schema/index.ts";
import { knownTools } from "../../src/tools/mcp/known-tools.ts";
import { logIn } from "../../src/tools/mcp/login/log-in.ts";
import { loginFile, USER } from "../../src/tools/mcp/login/login-file.ts";
import { LoginNeeded } from "../../src/tools/mcp/login/login-needed.ts";
import { startServer, type StartedServer } from "../../src/tools/mcp/start-server.ts";

const [url = ""] = process.argv.slice(2);
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";

/** What each scenario wants called; all others are about connecting and listing. */
const CALLS: Readonly<Record<string, readonly (readonly [tool: string, input: JsonObject])[]>> = {
  tools_call: [["add_numbers", { a: 5, b: 3 }]],
  "sse-retry": [["test_reconnection", {}]],
  "elicitation-sep1034-client-defaults": [["test_client_elicitation_defaults", {}]],
};

/** A document that describes us as a client, which the suite expects to be named. */
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";

/** Some scenarios say themselves what is to be called, and as whom we are registered. */
const Context = z.looseObject({
  toolCalls: z.array(z.looseObject({ name: z.string(), arguments: JsonObject.default({}) })).optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
});
const {
  toolCalls,
  client_id: id,
  client_secret: secret,
} = Context.parse(JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"));
const client = id !== undefined ? { id, secret } : scenario === "auth/basic-cimd" ? { id: CLIENT_DOCUMENT } : undefined;

/** A person gives up after that many. */
const MOST_LOGINS = 3;
const folder = mkdtempSync(join(tmpdir(), "cadre-conformance-client-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const file = loginFile(folder, clock);
const signal = AbortSignal.timeout(150_000);
const server = McpServer.parse({ url, timeout_ms: 60_000 });
const version = "1.0.0";

const start = () =>
  startServer(
    { name: "suite", server, isUsers: true, reads: [] },
    { ok: true, values: {}, hide: (text) => text },
    // Nothing is started for an address.
    { task: { spec: { askable: "terminal", definition: { name: "agent" } } } } as unknown as Attempt,
    // Whoever is asked agrees.
    { signal, ask: async () => ({ verdict: "allow" }) } as unknown as AttemptScope,
    {
      clock,
      mint: { token: mintToken },
      credentials: { value: async () => undefined },
      mcpServers: {},
      version,
      project: folder,
      knownTools: knownTools(folder, clock),
      logins: file,
    },
  );

/** A person at a browser, who agrees to everything. */
async function browse(address: string): Promise<void> {
  const answer = await fetch(address, { redirect: "manual", signal });
  const back = answer.headers.get("location");
  if (back !== null) await fetch(new URL(back, address), { signal });
}

let logins = 0;
async function login(): Promise<void> {
  logins++;
  const show = (address: string) => void browse(address).catch((error: unknown) => console.error(error));
  if (!("url" in server)) throw new Error("the suite has servers by address only");
  await logIn({
    server,
    values: {},
    owner: USER,
    client,
    file,
    show,
    privateHosts: [],
    clock,
    state: mintToken(),
    version,
    signal,
    personMs: 60_000,
  });
}

async function withLogins<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLoginNeeded(error) || logins >= MOST_LOGINS) throw error;
      await login();
    }
  }
}

const isLoginNeeded = (error: unknown): boolean =>
  error instanceof LoginNeeded || (error instanceof Error && isLoginNeeded(error.cause));

let started: StartedServer | undefined;

/** One scenario wants to be told the schema that it has listed. */
function echoed(tool: string): JsonObject {
  const other = started?.connected.tools.find(({ name }) => name !== tool)?.inputSchema;
  return tool === "json_schema_echo" ? { schema: JsonObject.parse(other ?? {}) } : {};
}

async function call(tool: string, input: JsonObject): Promise<unknown> {
  started ??= await start();
  try {
    return await started.connected.call(tool, input, signal);
  } catch (error) {
    // An attempt that fails for want of a login is over; the next one has it.
    if (isLoginNeeded(error)) {
      await started.connected[Symbol.asyncDispose]();
      started = undefined;
    }
    throw error;
  }
}

try {
  started = await withLogins(start);
  const told = toolCalls?.map(({ name, arguments: input }) => [name, input] as const);
  const wanted = told ?? CALLS[scenario] ?? started.connected.tools.map(({ name }) => [name, echoed(name)] as const);
  for (const [tool, input] of wanted) {
    // What one of them comes to is the suite's to judge.
    await withLogins(() => call(tool, { ...input })).catch((error: unknown) => console.error(error));
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await started?.connected[Symbol.asyncDispose]();
}
