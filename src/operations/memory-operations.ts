// What is remembered. The project's memory is for everybody; the user's own, and forgetting, are a person's.
import * as z from "zod";
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
});

const Entries = z.strictObject({ entries: z.array(Entry) });

export const addMemory = defineOperation({
  authority: "agent",
  summary: "Remember something: for this project, or, as a person, for oneself.",
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
  summary: "List what was remembered, the latest first.",
  input: z.strictObject({ category: Category.optional(), scope: Scope.optional(), limit: Limit.default(50) }),
  output: Entries,
  async run({ memory, caller }, { category, scope, limit }) {
    const scopes = scopesFor("memory.list", scope, caller);
    return { entries: [...(await (await memory()).list({ scopes, category, limit }))] };
  },
});

export const forgetMemory = defineOperation({
  authority: "person",
  summary: "Forget something that was remembered, for good.",
  input: z.strictObject({ id: z.string().min(1) }),
  output: z.strictObject({ forgotten: z.boolean() }),
  run: async ({ memory }, { id }) => ({ forgotten: await (await memory()).forget(id) }),
});

const isPerson = ({ authority, inside }: Caller): boolean => authority === "person" && inside === null;

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
