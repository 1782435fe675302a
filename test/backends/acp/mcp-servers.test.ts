// MCP servers of an agent that runs on a peer: started by Cadre, offered by the server of the attempt, ruled like any tool.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { ownToolsFor } from "../../../src/app/own-tools.ts";
import type { McpServer } from "../../../src/schema/index.ts";
import { registryOf } from "../../../src/testing/index.ts";
import { factsOf } from "../../engine/kit.ts";
import { program } from "../../tools/mcp/kit.ts";
import { toolboxOfServers } from "../own-tools/server-toolbox.ts";
import { withPeer } from "./kit.ts";
import type { Script, Step } from "./stub-agent.ts";

const HTTP: Script = { initialize: { agentCapabilities: { mcpCapabilities: { http: true } } } };
const call = (tool: string, args: Record<string, unknown> = {}): Step => ({
  own: { tool: `mcp__files__${tool}`, args },
});

const run = async (
  steps: readonly Step[],
  tools: readonly string[],
  server: z.input<typeof McpServer> = program("server", "2026"),
) => {
  const agent = {
    permission_mode: "auto" as const,
    mcp_servers: { files: server },
    tools: ["Read", "Glob", "Grep", "List", ...tools],
  };
  const ownTools = ownToolsFor(registryOf(), async () => toolboxOfServers());
  await using world = await withPeer({ ...HTTP, prompts: [steps] }, { agent, options: { ownTools } });
  const task = await world.engine.run({ agent: "peer" });
  return { ...task, log: await world.engine.log(task.id) };
};

describe("an MCP server of an agent on a peer", () => {
  it("is called by it, and the call is in the log as any other", async () => {
    const { outcome, log } = await run([call("echo", { text: "MARMOTS" }), { tell: "last" }], ["mcp__files__echo"]);
    expect(outcome?.answer).toContain("echo: MARMOTS");
    expect(factsOf(log, "tool.called")).toMatchObject([{ tool: "mcp__files__echo", effect: "exec" }]);
    expect(factsOf(log, "tool.returned")).toMatchObject([{ ok: true }]);
  });

  it("has no tool that is not among the agent's", async () => {
    const { outcome, log } = await run([call("environment"), { tell: "last" }], ["mcp__files__echo"]);
    expect(outcome?.answer).toContain("There is no tool");
    expect(factsOf(log, "tool.called")).toEqual([]);
  });

  it("that it cannot do without, and that does not start, keeps it from running", async () => {
    const { outcome, log } = await run([{ say: "I ran" }], [], {
      ...program("server", "2026"),
      command: "/nowhere/at-all",
      required: true,
    });
    expect(outcome).toMatchObject({ status: "failed", reason: "backend_unavailable" });
    expect(factsOf(log, "message.said")).toEqual([]);
  });
});
