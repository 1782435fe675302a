// Other programs' configuration, so that they delegate here. All of it is a person's: it is their files.
import * as z from "zod";
import type { CalledAgent, Registry } from "../ports/index.ts";
import { defineOperation } from "./operation.ts";

const Scope = z.enum(["user", "project"]);

const Change = z.strictObject({
  file: z.string(),
  /** `server`, or the command or agent that the file is. */
  what: z.string(),
  result: z.enum(["written", "updated", "unchanged", "removed", "kept", "refused", "gone"]),
  message: z.string().nullable(),
  /** Unified; null where nothing changes. */
  diff: z.string().nullable(),
});

const Changes = z.strictObject({ host: z.string(), dry: z.boolean(), changes: z.array(Change) });

export const listHosts = defineOperation({
  authority: "person",
  summary: "List the programs that can delegate to Cadre, and which of them are connected.",
  input: z.strictObject({}),
  output: z.strictObject({
    hosts: z.array(
      z.strictObject({
        host: z.string(),
        title: z.string(),
        isFound: z.boolean(),
        places: z.array(
          z.strictObject({
            scope: Scope,
            file: z.string(),
            state: z.enum(["connected", "changed", "foreign", "absent", "broken"]),
          }),
        ),
      }),
    ),
  }),
  async run({ hosts }) {
    const states = await (await hosts()).list();
    return { hosts: states.map((state) => ({ ...state, places: [...state.places] })) };
  },
});

export const connectHost = defineOperation({
  authority: "person",
  summary: "Write Cadre into another program's own configuration, with commands for it.",
  input: z.strictObject({
    host: z.string().min(1),
    scope: Scope.optional(),
    dialect: z.string().min(1).optional(),
    /** Names only: no host's file ever gets a value. */
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not the name of a variable")).default([]),
    commands: z.boolean().default(true),
    personas: z.boolean().default(false),
    dry: z.boolean().default(false),
  }),
  output: Changes,
  async run({ hosts, engine }, wish) {
    const agents = wish.commands ? await calledAgents(engine.parts.registry) : [];
    return { host: wish.host, dry: wish.dry, changes: [...(await (await hosts()).connect({ ...wish, agents }))] };
  },
});

/** Agents that may run, and that have a slash. */
async function calledAgents(registry: Pick<Registry, "list">): Promise<CalledAgent[]> {
  const { agents } = await registry.list();
  return agents
    .filter(({ trusted }) => trusted)
    .flatMap(({ definition: { name, description, triggers } }) =>
      triggers?.slash === undefined ? [] : [{ agent: name, slash: triggers.slash, description }],
    );
}

export const disconnectHost = defineOperation({
  authority: "person",
  summary: "Take out of another program's configuration exactly what connecting it has added.",
  input: z.strictObject({
    host: z.string().min(1),
    scope: Scope.optional(),
    force: z.boolean().default(false),
    dry: z.boolean().default(false),
  }),
  output: Changes,
  async run({ hosts }, wish) {
    return { host: wish.host, dry: wish.dry, changes: [...(await (await hosts()).disconnect(wish))] };
  },
});
