// New agents and tools, by whoever asks for them.
import * as z from "zod";
import { CadreError } from "../errors/index.ts";
import type { Clock } from "../ports/index.ts";
import type { ProposedBy } from "../schema/index.ts";
import type { Caller, OperationContext } from "./operation.ts";

export const Created = z.strictObject({
  file: z.string(),
  /** For a person to agree to: until then it does nothing. */
  waits: z.boolean(),
});

/** What an agent has written for later work, for as long as nobody has agreed to it. A memory is named by its id. */
export const Proposal = z.strictObject({
  kind: z.enum(["agent", "tool", "memory"]),
  name: z.string(),
  description: z.string(),
  /** Its file: to be read, then agreed to or deleted. */
  source: z.string(),
  by: z.string(),
  at: z.int(),
});
export type Proposal = z.infer<typeof Proposal>;

/** The latest first. They are the files themselves, so one that is trusted or deleted is none any more. */
export async function waitingProposals({
  engine,
  tools,
  memory,
  caller,
}: Pick<OperationContext, "engine" | "tools" | "memory" | "caller">): Promise<Proposal[]> {
  const { agents } = await engine.parts.registry.list();
  const shelf = await (await tools()).list();
  const found = [
    ...agents.map(({ definition, ...agent }) => ({
      ...agent,
      ...definition,
      source: agent.source,
      kind: "agent" as const,
    })),
    ...shelf.tools.map((tool) => ({ ...tool, kind: "tool" as const })),
  ];
  const memories = await waitingMemories({ memory, caller });
  return found
    .flatMap(({ kind, name, description, source, proposed, trusted, unseen }): Proposal[] =>
      proposed === undefined || (trusted && unseen === undefined)
        ? []
        : [{ kind, name, description, source, by: proposed.by, at: Date.parse(proposed.at) }],
    )
    .concat(memories)
    .toSorted((a, b) => b.at - a.at);
}

const MOST_MEMORIES = 100;

/** A damaged file says so to whoever asks for memories: the inbox has more to show. */
function noneWhereUnusable(error: unknown): [] {
  if (!CadreError.isInstance(error)) throw error;
  return [];
}

async function waitingMemories({ memory, caller }: Pick<OperationContext, "memory" | "caller">): Promise<Proposal[]> {
  const isPerson = caller.authority === "person";
  const waiting = await (
    await memory()
  )
    .list({ scopes: ["project"], only: "waiting", limit: MOST_MEMORIES })
    .catch(noneWhereUnusable);
  return waiting.map(({ id, category, content, from, at }) => {
    const by = from.task === null ? from.by : `the agent ${from.by} (${from.task})`;
    // Nobody has agreed to it: it is not put before a model, such as a host's.
    const description = isPerson ? content : "something that an agent wants remembered; a person reads it first";
    return { kind: "memory", name: id, description, source: `memory, ${category}`, by, at };
  });
}

/** Of one to be edited by hand: only people have hands. */
export const TO_BE_EDITED = "is a person's to decide where nothing but a name is given";

/** Null: a person's own, outside of any attempt. */
export function proposedBy({ authority, inside, mouth, by }: Caller, clock: Pick<Clock, "now">): ProposedBy {
  if (authority === "person" && inside === null) return null;
  const at = new Date(clock.now()).toISOString();
  return { by: inside === null ? `a model, over ${mouth} (${by})` : `the agent ${inside.spec.definition.name}`, at };
}

export const problemsIn = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; ");
