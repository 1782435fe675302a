// Which agents there are, and whose files are trusted.
import * as z from "zod";
import { agentKey } from "../domain/agent-names.ts";
import { inputSchemaOf } from "../domain/inputs.ts";
import { missingAgent } from "../domain/missing-agent.ts";
import type { RegisteredAgent } from "../ports/index.ts";
import { AgentDefinition, AgentName, JsonObject } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";
import { rightsInWords } from "./rights-in-words.ts";

const Registered = z.strictObject({
  definition: AgentDefinition,
  source: z.string(),
  trusted: z.boolean(),
  /** What of it nobody has seen yet: programs that it would run, rights that it would have. */
  unseen: z.array(z.string()).optional(),
  notes: z.array(z.string()).optional(),
});

const shown = ({ definition, source, trusted, unseen, notes }: RegisteredAgent): z.input<typeof Registered> => ({
  definition,
  source,
  trusted,
  ...(unseen === undefined ? {} : { unseen: [...unseen] }),
  ...(notes === undefined ? {} : { notes: [...notes] }),
});

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
    return { agents: agents.map(shown), problems: [...problems] };
  },
});

export const getAgent = defineOperation({
  authority: "agent",
  summary: "Show one agent: what it is for, what it takes and what it may do.",
  input: z.strictObject({ agent: AgentName }),
  output: Registered.extend({
    /** What it may do, in words, a line each. */
    rights: z.array(z.string()),
    /** What a caller gives it, as the JSON Schema of a tool. */
    inputSchema: JsonObject,
  }),
  async run({ engine }, { agent }) {
    const { registry } = engine.parts;
    const listing = await registry.list();
    const named = listing.agents.filter(({ definition }) => agentKey(definition.name) === agentKey(agent));
    // One that has to be seen first is shown, and so is one that is not trusted: to be read before it is.
    const found = named.find(({ unseen }) => unseen !== undefined) ?? (await registry.find(agent)) ?? named[0];
    if (found !== undefined) {
      const { definition } = found;
      return { ...shown(found), rights: rightsInWords(definition), inputSchema: inputSchemaOf(definition) };
    }
    throw missingAgent(agent, listing);
  },
});

const Folders = z.strictObject({ folders: z.array(z.string()) });
const Folder = z.strictObject({ folder: z.string().optional() });

export const grantTrust = defineOperation({
  authority: "person",
  summary: "Trust a project as it is now: only then may its agents run.",
  input: Folder,
  output: Folders.extend({
    /** What nobody had seen before. */
    seen: z.array(z.strictObject({ agent: AgentName, source: z.string(), what: z.array(z.string()) })),
    tools: z.array(z.strictObject({ tool: z.string(), source: z.string(), what: z.array(z.string()) })),
  }),
  async run({ engine, trust, project, tools }, { folder = project }) {
    await trust.grant(folder);
    const { agents } = await engine.parts.registry.list();
    const own = agents.filter((agent) => agent.project === folder);
    // All of them: what is widened later is measured by what there is now.
    const shelved = folder === project ? (await (await tools()).list()).tools : [];
    const pins = [...own, ...shelved].flatMap(({ pin }) => (pin === undefined ? [] : [pin]));
    if (pins.length > 0) await trust.pin(folder, pins);
    const seen = own.flatMap(({ definition, source, unseen = [] }) =>
      unseen.length === 0 ? [] : [{ agent: definition.name, source, what: [...unseen] }],
    );
    const seenTools = shelved.flatMap(({ name, source, unseen = [] }) =>
      unseen.length === 0 ? [] : [{ tool: name, source, what: [...unseen] }],
    );
    return { folders: [...(await trust.list())], seen, tools: seenTools };
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
