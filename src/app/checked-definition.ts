import * as z from "zod";
import { invalidDefinition } from "../errors/index.ts";
import { AgentDefinition } from "../schema/index.ts";

/** An agent from code; where it does not fit, an error that names the agent and each field. */
export function checkedDefinition(agent: unknown): AgentDefinition {
  const parsed = AgentDefinition.safeParse(agent);
  if (!parsed.success) throw invalidDefinition(whereOf(agent), z.prettifyError(parsed.error));
  return parsed.data;
}

/** It may be anything: whoever writes JavaScript has no compiler to say so. */
function whereOf(agent: unknown): string {
  const named = z.object({ name: z.string() }).safeParse(agent);
  return named.success ? `the agent "${named.data.name}"` : "an agent without a name";
}
