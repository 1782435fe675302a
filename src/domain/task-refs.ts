// How a person names a task on the command line. Protocols take whole ids only.
import type { TaskRef } from "../schema/index.ts";
import { agentKey } from "./agent-names.ts";

export function parseTaskRef(text: string): TaskRef {
  if (text === "@last") return { kind: "last" };
  const numbered = /^([A-Za-z0-9_-]+)#([1-9][0-9]*)$/.exec(text);
  if (numbered !== null) return { kind: "number", agent: agentKey(numbered[1] ?? ""), number: Number(numbered[2]) };
  return { kind: "id", text };
}
