// Tools that agents in another program have from Cadre: their exits, what they delegate with, and those of their MCP
// servers, which so are started, confined and put to the policy as on our own loop.
import type { OwnToolsFor } from "../backends/own-tools/own-tools-for.ts";
import { hasServers } from "../domain/mcp-servers.ts";
import { isOfferedTo } from "../domain/offered-tools.ts";
import { exitTools } from "../loop/exits.ts";
import { agentsToCall, canDelegate, offeredTools } from "../loop/offered.ts";
import type { Registry, Toolbox, ToolSet } from "../ports/index.ts";
import { delegationTools } from "../tools/delegation/delegation-tools.ts";

const NOTHING: ToolSet = { tools: [], [Symbol.asyncDispose]: async () => undefined };

/** Commands in the background are the other program's own. */
const NO_SHELLS = { list: () => [], output: async () => undefined, stop: async () => undefined };

export const ownToolsFor =
  (registry: Registry, servers?: () => Promise<Toolbox>): OwnToolsFor =>
  async (attempt, scope, finish) => {
    const { spec } = attempt.task;
    const { definition } = spec;
    const isDelegating = isOfferedTo(spec, { name: "Task", effect: "delegate" });
    const delegating = isDelegating ? await delegationTools(registry, NO_SHELLS, attempt, scope) : NOTHING;
    const served = servers !== undefined && hasServers(definition) ? await (await servers())(attempt, scope) : NOTHING;
    const offered = offeredTools(attempt.task, [...delegating.tools, ...served.tools]);
    const tools = [
      ...offered,
      ...exitTools(definition, definition.completion.exits ?? [], {
        scope,
        finish,
        problemsOf: async (schema, value) =>
          (await import("../gates/output-schema/check-output.ts")).problemsOf(schema, value),
      }),
    ];
    if (tools.length === 0 && !hasServers(definition)) return undefined;
    const agents = canDelegate(offered) ? await agentsToCall(registry, delegating, attempt.task) : [];
    return { tools, agents, missing: served.missing, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
  };
