import { type Fields, fieldsOf, isFields } from "../driven/json-fields.ts";

const REFUSED = ["oneOf", "allOf", "not", "if", "patternProperties", "dependentRequired", "dependentSchemas", "$ref"];

/** Whether OpenAI takes it in strict mode: every object is closed, and all of its properties are required. */
export function isStrictSchema(schema: unknown): boolean {
  if (!isFields(schema) || schema["type"] !== "object") return false;
  return isStrict(schema, 0);
}

const DEEPEST = 5;

function isStrict(schema: Fields, depth: number): boolean {
  if (depth > DEEPEST || REFUSED.some((key) => key in schema)) return false;
  if (schema["type"] === "object") {
    const properties = fieldsOf(schema["properties"]);
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const isClosed = schema["additionalProperties"] === false;
    const isWhole = Object.keys(properties).every((name) => required.includes(name));
    return isClosed && isWhole && Object.values(properties).every((one) => isStrict(fieldsOf(one), depth + 1));
  }
  if (schema["type"] === "array") return isFields(schema["items"]) && isStrict(schema["items"], depth + 1);
  return schema["type"] !== undefined || schema["enum"] !== undefined || schema["anyOf"] !== undefined;
}
