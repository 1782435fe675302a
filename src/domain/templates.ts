// `${input}` in an agent's prompt. `$${` is a literal `${`. What a value holds is never expanded again.
import type { AgentInput, JsonObject } from "../schema/index.ts";

const PLACE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Names that a template uses and no input declares. An agent without inputs has no templates at all. */
export function unknownPlaces(template: string, declared: readonly AgentInput[]): string[] {
  if (declared.length === 0) return [];
  const names = new Set(declared.map(({ name }) => name));
  const used = [...template.matchAll(PLACE)].map((match) => match[1]).filter((name) => name !== undefined);
  return [...new Set(used.filter((name) => !names.has(name)))];
}

export function fillTemplate(template: string, declared: readonly AgentInput[], inputs: JsonObject): string {
  if (declared.length === 0) return template;
  const names = new Set(declared.map(({ name }) => name));
  return template.replace(PLACE, (whole, name: string | undefined) => {
    if (name === undefined) return "${";
    if (!names.has(name)) return whole;
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  });
}
