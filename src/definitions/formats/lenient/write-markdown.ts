import { stringify } from "yaml";
import { ON_THEIR_LINES } from "../../../platform/yaml-lines.ts";
import type { Json, JsonObject } from "../../../schema/index.ts";

const OPTIONS = {
  ...ON_THEIR_LINES,
  compat: "yaml-1.1", // other programs' parsers take `yes` and `012` for something else than text
  aliasDuplicateObjects: false,
} as const;

export const writeYaml = (value: Json): string => stringify(value, OPTIONS);

/** In the order of `fields`; then what was kept aside, unless it is among them. Undefined is left out. */
export function inOrder(fields: Readonly<Record<string, Json | undefined>>, aside: JsonObject = {}): JsonObject {
  const rest = Object.entries(aside).filter(([key]) => !Object.hasOwn(fields, key));
  return Object.fromEntries(
    [...Object.entries(fields), ...rest].filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

export function writeMarkdown(settings: JsonObject, body: string): string {
  const text = body.trim();
  return `---\n${writeYaml(settings)}---\n${text === "" ? "" : `\n${text}\n`}`;
}
