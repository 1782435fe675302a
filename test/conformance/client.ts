// Our own MCP client, as the conformance suite drives it: told a scenario and the address of the suite's server, it does
// what an agent would: connect, list the tools, call those that the scenario is about.
import * as z from "zod";
import type { Attempt } from "../../src/ports/index.ts";
import { JsonObject, McpServer } from "../../src/schema/index.ts";
import { connectServer } from "../../src/tools/mcp/connect-server.ts";

const [url = ""] = process.argv.slice(2);
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";

/** What each scenario wants called; all others are about connecting and listing. */
const CALLS: Readonly<Record<string, readonly (readonly [tool: string, input: JsonObject])[]>> = {
  tools_call: [["add_numbers", { a: 5, b: 3 }]],
  "sse-retry": [["test_reconnection", {}]],
  "elicitation-sep1034-client-defaults": [["test_client_elicitation_defaults", {}]],
};

/** Some scenarios say themselves what is to be called. */
const Context = z.looseObject({
  toolCalls: z.array(z.looseObject({ name: z.string(), arguments: JsonObject.default({}) })).optional(),
});
const { toolCalls } = Context.parse(JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"));

const server = McpServer.parse({ url, timeout_ms: 20_000 });
await using connected = await connectServer({
  server,
  values: {},
  // Nothing is started for an address.
  attempt: {} as Attempt,
  privateHosts: [],
  version: "1.0.0",
  signal: AbortSignal.timeout(25_000),
});
const told = toolCalls?.map(({ name, arguments: input }) => [name, input] as const);
const wanted = told ?? CALLS[scenario] ?? connected.tools.map(({ name }) => [name, {}] as const);
for (const [tool, input] of wanted) {
  // What one of them comes to is the suite's to judge.
  await connected.call(tool, { ...input }, AbortSignal.timeout(25_000)).catch((error: unknown) => console.error(error));
}
