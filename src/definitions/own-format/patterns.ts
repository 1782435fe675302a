// Patterns in an output schema run in RE2, which takes linear time on any text. What it cannot run is refused when
// the file is read, not when an agent has done its work.
import type { Json, JsonObject } from "../../schema/index.ts";

export interface PatternUse {
  /** From the schema down. */
  readonly path: readonly (string | number)[];
  readonly pattern: string;
}

/** Values, not schemas: what is called `pattern` there is somebody's data. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

export function patternsIn(schema: JsonObject): PatternUse[] {
  const found: PatternUse[] = [];
  visitSchema(schema, [], found);
  return found;
}

function visitSchema(schema: Json, path: PatternUse["path"], found: PatternUse[]): void {
  if (Array.isArray(schema)) {
    for (const [index, item] of schema.entries()) visitSchema(item, [...path, index], found);
  } else if (typeof schema === "object" && schema !== null) {
    for (const [key, value] of Object.entries(schema)) visitKeyword(key, value, [...path, key], found);
  }
}

function visitKeyword(key: string, value: Json, path: PatternUse["path"], found: PatternUse[]): void {
  if (DATA.has(key)) return;
  if (key === "pattern" && typeof value === "string") found.push({ path, pattern: value });
  if (!MAPS.has(key) || typeof value !== "object" || value === null || Array.isArray(value)) {
    visitSchema(value, path, found);
    return;
  }
  for (const [name, schema] of Object.entries(value)) {
    if (key === "patternProperties") found.push({ path: [...path, name], pattern: name });
    visitSchema(schema, [...path, name], found);
  }
}

/** Those that RE2 cannot run, with why. */
export async function unrunnablePatterns(
  uses: readonly PatternUse[],
): Promise<(PatternUse & { readonly why: string })[]> {
  if (uses.length === 0) return [];
  const { RE2JS } = await import("re2js"); // most agents have no pattern
  return uses.flatMap((use) => {
    try {
      RE2JS.compile(use.pattern);
      return [];
    } catch (error) {
      return [{ ...use, why: error instanceof Error ? error.message : String(error) }];
    }
  });
}
