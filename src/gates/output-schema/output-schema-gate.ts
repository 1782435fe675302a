import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import type { Gate } from "../../ports/index.ts";
import type { JsonObject } from "../../schema/index.ts";

// Schemas come from agent files. A pattern in one may be built to take for ever in JavaScript's engine; RE2
// takes linear time on any.
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find() };
  },
  { code: "linearRegExp" },
);

const PROBLEMS_SHOWN = 5;

/** The output must fit the schema that the agent's definition declares. */
export function outputSchemaGate(): Gate {
  const ajv = new Ajv2020({ allErrors: true, strict: false, code: { regExp: linearRegExp } });
  const compiled = new WeakMap<JsonObject, ValidateFunction>();
  const validatorFor = (schema: JsonObject): ValidateFunction => {
    const known = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, known);
    return known;
  };
  return {
    name: "output schema",
    appliesTo: ({ spec }) => spec.definition.output !== undefined,
    async check({ spec }, { output }) {
      const schema = spec.definition.output?.schema ?? {};
      if (output === undefined) return refuse("there is no output; it must fit the agent's output schema");
      const validate = validatorFor(schema);
      if (validate(output)) return { passed: true, independent: false };
      return refuse((validate.errors ?? []).slice(0, PROBLEMS_SHOWN).map(describe).join("; "));
    },
  };
}

const refuse = (feedback: string) => ({ passed: false, reason: "invalid_output", feedback }) as const;

const describe = ({ instancePath, message }: ErrorObject): string =>
  `${instancePath === "" ? "the output" : `output${instancePath.replaceAll("/", ".")}`} ${message ?? "is not valid"}`;
