import type { OperationOutput } from "../../operations/index.ts";
import type { Reply } from "../reply.ts";

/** What was written, and whom it waits for. */
export function waiting({ file, waits }: OperationOutput<"agent.create">, what: string): Reply {
  const next = waits ? "It waits for a person to read it and say: cadre trust" : "It can be used now.";
  return { text: `${what} was written to ${file}. ${next}`, data: { file, waits } };
}
