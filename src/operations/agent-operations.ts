// Which agents there are, and whose files are trusted.
import * as z from "zod";
import { agentKey } from "../domain/agent-names.ts";
import { nearest } from "../domain/nearest.ts";
import { agentNotFound } from "../errors/index.ts";
import { AgentDefinition, AgentName } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";

const Registered = z.strictObject({ definition: AgentDefinition, source: z.string(), trusted: z.boolean() });

export const listAgents = defineOperation({
  authority: "agent",
  summary: "List the agents that can be given a task.",
  input: z.strictObject({}),
  output: z.strictObject({
    agents: z.array(Registered),
    problems: z.array(z.strictObject({ source: z.string(), message: z.string() })),
  }),
  async run({ engine }) {
    const { agents, problems } = await engine.parts.registry.list();
    return { agents: [...agents], problems: [...problems] };
  },
});

export const getAgent = defineOperation({
  authority: "agent",
  summary: "Show one agent: what it is for, what it takes and what it may do.",
  input: z.strictObject({ agent: AgentName }),
  output: Registered,
  async run({ engine }, { agent }) {
    const { registry } = engine.parts;
    const found = await registry.find(agent);
    if (found !== undefined) return found;
    const { agents } = await registry.list();
    const untrusted = agents.find(({ definition }) => agentKey(definition.name) === agentKey(agent));
    if (untrusted !== undefined) return untrusted; // to be read before it is trusted
    throw agentNotFound(
      agent,
      nearest(
        agent,
        agents.map(({ definition }) => definition.name),
      ),
    );
  },
});

const Folders = z.strictObject({ folders: z.array(z.string()) });
const Folder = z.strictObject({ folder: z.string().optional() });

export const grantTrust = defineOperation({
  authority: "person",
  summary: "Trust a project: only then may its agents run.",
  input: Folder,
  output: Folders,
  async run({ trust, project }, { folder = project }) {
    await trust.grant(folder);
    return { folders: [...(await trust.list())] };
  },
});

export const revokeTrust = defineOperation({
  authority: "person",
  summary: "Take back the trust in a folder.",
  input: Folder,
  output: Folders,
  async run({ trust, project }, { folder = project }) {
    await trust.revoke(folder);
    return { folders: [...(await trust.list())] };
  },
});

export const listTrust = defineOperation({
  authority: "person",
  summary: "List the folders that are trusted.",
  input: z.strictObject({}),
  output: Folders,
  run: async ({ trust }) => ({ folders: [...(await trust.list())] }),
});
