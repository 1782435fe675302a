import type * as z from "zod";
import { AgentDefinition, type JsonObject } from "../../../schema/index.ts";
import type { Reading, Remark } from "../format.ts";
import { inOneLine } from "./settings.ts";

/** What a file says in our words; what is undefined is left to the defaults. */
export type Draft = {
  readonly [K in keyof z.input<typeof AgentDefinition>]?: z.input<typeof AgentDefinition>[K] | undefined;
};

export const refuse = (problem: string): Reading => ({ ok: false, problem: inOneLine(problem) });

/** The definition, or the first thing that is wrong with it, in one line. `aside` becomes `x.<format>`. */
export function buildReading(format: string, draft: Draft, aside: JsonObject, remarks: readonly Remark[]): Reading {
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
  const x = Object.keys(aside).length === 0 ? {} : { x: { [format]: aside } };
  const parsed = AgentDefinition.safeParse({ ...given, ...x });
  if (parsed.success) return { ok: true, definition: parsed.data, remarks };
  const [issue] = parsed.error.issues;
  const name = typeof draft.name === "string" ? `${draft.name}: ` : "";
  return refuse(`${name}${issue === undefined ? "not an agent" : `${issue.path.join(".")}: ${issue.message}`}`);
}

/** What a reader kept aside for its own format, but for some of it. */
export const asideOf = (definition: AgentDefinition, format: string, except: readonly string[] = []): JsonObject =>
  Object.fromEntries(Object.entries(definition.x[format] ?? {}).filter(([key]) => !except.includes(key)));

export const wordsIn = (aside: JsonObject, key: string): string[] => {
  const value = aside[key];
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
};
