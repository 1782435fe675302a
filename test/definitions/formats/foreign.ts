import { expect } from "vitest";
import type { Format, Reading, Remark } from "../../../src/definitions/formats/format.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";

const readingsOf = (format: Format, text: string, below: string): readonly Reading[] =>
  format.read({ path: `somewhere/${below}`, below, text });

/** The one agent of a file; fails on a problem. */
export function agentIn(format: Format, text: string, below: string) {
  const readings = readingsOf(format, text, below);
  expect(readings).toMatchObject([{ ok: true }]);
  const { definition, remarks } = readings[0] as { definition: AgentDefinition; remarks: readonly Remark[] };
  return { definition, remarks, said: remarks.map(({ kind, field }) => `${kind} ${field}`) };
}

/** What is wrong with each agent of a file that has one; null for the others. */
export const problemsOf = (format: Format, text: string, below: string): (string | null)[] =>
  readingsOf(format, text, below).map((reading) => (reading.ok ? null : reading.problem));

export const define = (fields: object): AgentDefinition =>
  AgentDefinition.parse({ name: "a", description: "d", prompt: "p", ...fields });

/** A definition, written and read again. */
export function backFrom(format: Format, definition: AgentDefinition) {
  const written = format.write?.(definition) ?? { file: "", text: "" };
  return { ...agentIn(format, written.text, written.file.split("/").at(-1) ?? ""), ...written };
}
