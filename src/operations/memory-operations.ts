// What is remembered. The project's memory is for everybody; the user's own, and forgetting, are a person's.
import * as z from "zod";
import { memoriesMeant } from "../domain/memory-refs.ts";
import { authorityDenied } from "../errors/index.ts";
import type { MemoryScope } from "../ports/index.ts";
import { TaskId } from "../schema/index.ts";
import { type Caller, defineOperation } from "./operation.ts";

const Scope = z.enum(["project", "user"]);
const Category = z.string().min(1).max(64);
const Limit = z.int().min(1).max(500);

const Entry = z.strictObject({
  id: z.string(),
  scope: Scope,
  category: z.string(),
  content: z.string(),
  from: z.strictObject({ by: z.string(), isPerson: z.boolean(), task: TaskId.nullable() }),
  at: z.int(),
  updatedAt: z.int(),
  /** Null: nobody has agreed to it yet, and so it counts for nothing. */
  acceptedBy: z.string().nullable(),
});

const Entries = z.strictObject({ entries: z.array(Entry) });

export const addMemory = defineOperation({
  authority: "agent",
  summary: "Remember something: for this project, or, as a person, for oneself. An agent's waits for a person's word.",
  input: z.strictObject({
    content: z.string(),
    category: Category.default("notes"),
    scope: Scope.default("project"),
  }),
  output: z.strictObject({ entry: Entry, isNew: z.boolean() }),
  async run({ memory, caller }, { content, category, scope }) {
    mayUse("memory.add", scope, caller);
    return (await memory()).add({ scope, category, content, from: authorOf(caller) });
  },
});

export const searchMemory = defineOperation({
  authority: "agent",
  summary: "Search what was remembered, the best first.",
  input: z.strictObject({
    query: z.string().min(1).max(10_000),
    category: Category.optional(),
    scope: Scope.optional(),
    limit: Limit.default(10),
  }),
  output: Entries,
  async run({ memory, caller }, { query, category, scope, limit }) {
    const scopes = scopesFor("memory.search", scope, caller);
    return { entries: [...(await (await memory()).search(query, { scopes, category, limit }))] };
  },
});

export const listMemory = defineOperation({
  authority: "agent",
  summary: "List what was remembered, the latest first; to a person also what waits for their word.",
  input: z.strictObject({ category: Category.optional(), scope: Scope.optional(), limit: Limit.default(50) }),
  output: Entries.extend({
    /** False: what waits for a person's word and the user's own are kept back, because nobody answers for the call. */
    isAll: z.boolean(),
  }),
  async run({ memory, caller }, { category, scope, limit }) {
    const scopes = scopesFor("memory.list", scope, caller);
    const entries = await (await memory()).list({ scopes, category, limit, only: onlyFor(caller) });
    return { entries: [...entries], isAll: isPerson(caller) };
  },
});

export const findMemories = defineOperation({
  authority: "agent",
  summary: "Find memories by what a person calls them: a whole id, its beginning or its end.",
  input: z.strictObject({ ref: z.string().min(1) }),
  output: z.strictObject({ ids: z.array(z.string()) }),
  async run({ memory, caller }, { ref }) {
    const scopes = scopesFor("memory.find", undefined, caller);
    return { ids: [...memoriesMeant(await (await memory()).ids({ scopes, only: onlyFor(caller) }), ref)] };
  },
});

export const acceptMemory = defineOperation({
  authority: "person",
  summary: "Agree to something that an agent wants remembered: from then on it counts.",
  input: z.strictObject({ id: z.string().min(1) }),
  output: z.strictObject({ entry: Entry.nullable() }),
  run: async ({ memory, caller }, { id }) => ({ entry: await (await memory()).accept(id, caller.by) }),
});

export const forgetMemory = defineOperation({
  authority: "person",
  summary: "Forget something that was remembered, for good.",
  input: z.strictObject({ id: z.string().min(1) }),
  output: z.strictObject({ forgotten: z.boolean() }),
  run: async ({ memory }, { id }) => ({ forgotten: await (await memory()).forget(id) }),
});

const isPerson = ({ authority, inside }: Caller): boolean => authority === "person" && inside === null;

/** What waits for a person's word is shown to a person. */
const onlyFor = (caller: Caller) => (isPerson(caller) ? undefined : ("accepted" as const));

function mayUse(operation: string, scope: MemoryScope, caller: Caller): void {
  if (scope === "user" && !isPerson(caller)) throw authorityDenied(operation, "of the user's own memory is a person's");
}

/** Where none is named, all that the caller may see. */
function scopesFor(operation: string, scope: MemoryScope | undefined, caller: Caller): readonly MemoryScope[] {
  if (scope === undefined) return isPerson(caller) ? ["project", "user"] : ["project"];
  mayUse(operation, scope, caller);
  return [scope];
}

const authorOf = (caller: Caller) =>
  caller.inside === null
    ? { by: isPerson(caller) ? caller.by : `${caller.mouth} (${caller.by})`, isPerson: isPerson(caller), task: null }
    : { by: caller.inside.spec.definition.name, isPerson: false, task: caller.inside.id };
