// New agents and tools, by whoever asks for them.
import * as z from "zod";
import type { Clock } from "../ports/index.ts";
import type { ProposedBy } from "../schema/index.ts";
import type { Caller } from "./operation.ts";

export const Created = z.strictObject({
  file: z.string(),
  /** For a person to agree to: until then it does nothing. */
  waits: z.boolean(),
});

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
