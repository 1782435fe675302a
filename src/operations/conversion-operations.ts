// Agents to and from the files of other programs. Looking for mistakes is for everybody; writing files is a person's.
import * as z from "zod";
import type { ConversionRemark } from "../ports/index.ts";
import { authorityDenied, invalidInput } from "../errors/index.ts";
import { AgentName, NewAgent } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";
import { Created, problemsIn, proposedBy, TO_BE_EDITED } from "./proposals.ts";

const Remark = z.strictObject({
  kind: z.enum(["mapped", "repaired", "kept", "narrowed", "lost"]),
  field: z.string(),
  message: z.string(),
  /** Only with `lost`: without it the agent could do more than it was meant to. */
  isRestriction: z.boolean().optional(),
});

const said = (remarks: readonly ConversionRemark[]): z.input<typeof Remark>[] =>
  remarks.map(({ kind, field, message, isRestriction }) => {
    return { kind, field, message, ...(isRestriction === undefined ? {} : { isRestriction }) };
  });

export const importAgents = defineOperation({
  authority: "person",
  summary: "Import agents of another program as files of this home.",
  input: z.strictObject({
    from: z.string().min(1).optional(),
    file: z.string().min(1).optional(),
    all: z.boolean().default(false),
    dry: z.boolean().default(false),
    update: z.boolean().default(false),
  }),
  output: z.strictObject({
    dry: z.boolean(),
    agents: z.array(
      z.strictObject({
        agent: z.string().nullable(),
        from: z.string(),
        source: z.string(),
        file: z.string().nullable(),
        result: z.enum(["written", "updated", "unchanged", "refused", "failed"]),
        message: z.string().nullable(),
        remarks: z.array(Remark),
      }),
    ),
  }),
  // A file of anybody's choice is more than the agents that everybody sees.
  onlyLooks: ({ dry, file }) => dry && file === undefined,
  async run({ conversion }, wish) {
    const rows = await (await conversion()).import(wish);
    return { dry: wish.dry, agents: rows.map((row) => ({ ...row, remarks: said(row.remarks) })) };
  },
});

export const exportAgents = defineOperation({
  authority: "person",
  summary: "Export agents as files of another program, unless that would lose what restricts them.",
  input: z.strictObject({
    agents: z.array(z.string().min(1)).default([]),
    all: z.boolean().default(false),
    to: z.string().min(1),
    /** A folder; null: nothing is written. Without it, a folder in the home. */
    out: z.string().min(1).nullable().optional(),
    dry: z.boolean().default(false),
    update: z.boolean().default(false),
    allowLoss: z.boolean().default(false),
  }),
  output: z.strictObject({
    dry: z.boolean(),
    agents: z.array(
      z.strictObject({
        agent: z.string(),
        to: z.string(),
        file: z.string(),
        text: z.string(),
        isOriginal: z.boolean(),
        result: z.enum(["written", "updated", "unchanged", "shown", "refused", "failed"]),
        message: z.string().nullable(),
        remarks: z.array(Remark),
      }),
    ),
  }),
  onlyLooks: ({ dry, out }) => dry || out === null,
  async run({ conversion }, wish) {
    const rows = await (await conversion()).export(wish);
    return { dry: wish.dry, agents: rows.map((row) => ({ ...row, remarks: said(row.remarks) })) };
  },
});

export const checkAgents = defineOperation({
  authority: "agent",
  summary: "Find what is wrong with agents, or looks like a mistake.",
  input: z.strictObject({ path: z.string().min(1).optional() }),
  output: z.strictObject({
    checked: z.int(),
    findings: z.array(
      z.strictObject({ kind: z.enum(["problem", "warning", "note"]), source: z.string(), message: z.string() }),
    ),
  }),
  async run({ conversion, caller }, { path }) {
    const anywhere = caller.authority === "person" && caller.inside === null;
    const { checked, findings } = await (await conversion()).check({ path, anywhere });
    return { checked, findings: [...findings] };
  },
});

export const createAgent = defineOperation({
  authority: "agent",
  summary: "Write the file of a new agent. What an agent writes runs only once a person has agreed to it.",
  input: NewAgent.partial().extend({ name: AgentName, description: z.string().optional() }),
  output: Created,
  async run({ conversion, caller, engine }, wish) {
    const proposed = proposedBy(caller, engine.parts.clock);
    const isTemplate = Object.keys(wish).every((key) => key === "name" || key === "description");
    if (isTemplate) {
      if (proposed !== null) throw authorityDenied("agent.create", TO_BE_EDITED);
      return { ...(await (await conversion()).create(wish.name, wish.description)), waits: false };
    }
    const whole = NewAgent.safeParse(wish);
    if (!whole.success) throw invalidInput(`no agent can be made of that: ${problemsIn(whole.error)}`);
    return { ...(await (await conversion()).write(whole.data, proposed)), waits: proposed !== null };
  },
});
