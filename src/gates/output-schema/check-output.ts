import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import type { Json, JsonObject } from "../../schema/index.ts";

// Schemas come from agent files. A pattern in one may be built to take for ever in JavaScript's engine; RE2
// takes linear time on any.
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // Ajv tells patterns apart by their text.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: "linearRegExp" },
);

const PROBLEMS_SHOWN = 5;

const ajv = new Ajv2020({ allErrors: true, strict: false, addUsedSchema: false, code: { regExp: linearRegExp } });
const compiled = new WeakMap<JsonObject, ValidateFunction>();

function validatorFor(schema: JsonObject): ValidateFunction {
  const known = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, known);
  return known;
}

/** What is wrong with it, in words that a model can act on; nothing, where it fits. */
export function problemsOf(schema: JsonObject, output: Json): string | undefined {
  const validate = validatorFor(schema);
  if (validate(output)) return undefined;
  return (validate.errors ?? []).slice(0, PROBLEMS_SHOWN).map(describe).join("; ");
}

function describe({ instancePath, message = "is not valid", params }: ErrorObject): string {
  const steps = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const where = steps.length === 0 ? "the output" : ["output", ...steps].join(".");
  const details = Object.values(params).filter((value) => typeof value === "string" || Array.isArray(value));
  const extra = details.filter((value) => !message.includes(String(value))).map((value) => JSON.stringify(value));
  return `${where} ${message}${extra.length === 0 ? "" : ` (${extra.join(", ")})`}`;
}
