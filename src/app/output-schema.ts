import { RE2JS } from "re2js";
import * as z from "zod";
import { patternsIn } from "../definitions/own-format/patterns.ts";
import { invalidDefinition } from "../errors/index.ts";
import { JsonObject } from "../schema/index.ts";

/** The JSON Schema that an agent's output must fit. From zod: of what goes in, since that is what a model writes. */
export function outputSchemaOf(agent: string, schema: z.ZodType | JsonObject): JsonObject {
  const where = `the output of the agent "${agent}"`;
  const json = schema instanceof z.ZodType ? fromZod(where, schema) : schema;
  const bad = patternsIn(json).find(({ pattern }) => !isRunnable(pattern));
  if (bad !== undefined) {
    throw invalidDefinition(where, `the pattern ${JSON.stringify(bad.pattern)} cannot be run in linear time`);
  }
  return json;
}

function fromZod(where: string, schema: z.ZodType): JsonObject {
  try {
    const json = z.toJSONSchema(schema, {
      io: "input",
      override({ jsonSchema }) {
        // zod says a format by its name and by a pattern with lookaheads; the name is enough, and zod checks again.
        if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      },
    });
    const plain = Object.entries(json).filter(([key]) => key !== "$schema");
    return JsonObject.parse(JSON.parse(JSON.stringify(Object.fromEntries(plain))));
  } catch (error) {
    throw invalidDefinition(where, error instanceof Error ? error.message : String(error));
  }
}

function isRunnable(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
