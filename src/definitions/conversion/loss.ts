// What is lost between an agent and what another program's file makes of it. The file is read back by that format's
// own reader, so nobody has to be believed: what does not come back was not said.
import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition } from "../../schema/index.ts";
import type { Remark } from "../formats/format.ts";
import { compareBounds } from "./compare-bounds.ts";
import { compareRights } from "./compare-rights.ts";

/** `original` is what the agent should be, `back` what was read back. A restriction is lost if `back` could do more. */
export function lossOf(original: AgentDefinition, back: AgentDefinition): Remark[] {
  const found = [...rightsLost(original, back), ...boundsLost(original, back), ...plainLost(original, back)];
  return [...new Map(found.toReversed().map((remark) => [`${remark.kind} ${remark.field}`, remark])).values()]
    .toReversed()
    .toSorted((a, b) => Number(isRestriction(b)) - Number(isRestriction(a)));
}

export const isRestriction = (remark: Remark): boolean => remark.kind === "lost" && remark.isRestriction === true;

const restriction = (field: string, message: string): Remark => ({ kind: "lost", field, message, isRestriction: true });
const lost = (field: string, message: string): Remark => ({ kind: "lost", field, message });
const narrowed = (field: string, message: string): Remark => ({ kind: "narrowed", field, message });

function rightsLost(original: AgentDefinition, back: AgentDefinition): Remark[] {
  const { wider, narrower } = compareRights(original, back);
  return [
    ...[...wider].map(([field, use]) => restriction(field, `the agent could do more there, such as: ${use}`)),
    ...[...narrower].map(([field, use]) => narrowed(field, `the agent may do less there, such as: ${use}`)),
  ];
}

const boundsLost = (original: AgentDefinition, back: AgentDefinition): Remark[] =>
  compareBounds(original, back).map(({ field, message, isWider }) =>
    isWider ? restriction(field, message) : narrowed(field, message),
  );

/** What gives no right. Without its prompt or its program, though, it is another agent: nobody knows what that does. */
const PLAIN = {
  name: false,
  description: false,
  display_name: false,
  prompt: true,
  command: true,
  tape: true,
  model: false,
  temperature: false,
  top_p: false,
  effort: false,
  query: false,
  inputs: false,
  output: false,
  background: false,
  retry: false,
  mcp_servers: false,
  triggers: false,
  // It would run there before anybody has agreed to it.
  proposed: true,
} as const satisfies Partial<Record<keyof AgentDefinition, boolean>>;

function plainLost(original: AgentDefinition, back: AgentDefinition): Remark[] {
  const fields = Object.entries(PLAIN).flatMap(([field, isAgentItself]): Remark[] => {
    const [was, is] = [valueOf(original, field), valueOf(back, field)];
    if (isDeepStrictEqual(was, is) || (field === "model" && isSameModel(was, is))) return [];
    const message = is === undefined ? "cannot be written there" : `would be ${shown(is)} there`;
    return [isAgentItself ? restriction(field, message) : lost(field, message)];
  });
  return [...fields, ...asideLost(original, back)];
}

/** Blanks around a text, and what ends its lines, mean nothing. */
const valueOf = (definition: AgentDefinition, field: string): unknown => {
  const value: unknown = Reflect.get(definition, field);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n").trim() : value;
};

/** A program that has only one provider's models does not name it. */
const isSameModel = (was: unknown, is: unknown): boolean =>
  typeof was === "string" && typeof is === "string" && (was.endsWith(`/${is}`) || is.endsWith(`/${was}`));

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** What was kept for other programs. It restricts nothing: readers narrow the agent where they keep a restriction. */
const asideLost = (original: AgentDefinition, back: AgentDefinition): Remark[] =>
  Object.entries(original.x).flatMap(([program, aside]) => {
    const again = back.x[program] ?? {};
    const keys = Object.keys(aside).filter((key) => !isDeepStrictEqual(aside[key], again[key]));
    return keys.length === 0 ? [] : [lost(`x-${program}`, `kept for ${program}: ${keys.join(", ")}`)];
  });
