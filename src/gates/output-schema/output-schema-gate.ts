import type { Gate } from "../../ports/index.ts";

/** The output must fit the schema that the agent's definition declares. */
export const outputSchemaGate = (): Gate => ({
  name: "output schema",
  appliesTo: ({ spec }) => spec.definition.output !== undefined,
  async check({ spec }, { output }) {
    const schema = spec.definition.output?.schema ?? {};
    if (output === undefined) return refuse("there is no output; it must fit the agent's output schema");
    // Loaded when it is needed: most agents have no schema, and the validator is large.
    const { problemsOf } = await import("./check-output.ts");
    const problems = problemsOf(schema, output);
    return problems === undefined ? { passed: true, independent: false } : refuse(problems);
  },
});

const refuse = (feedback: string) => ({ passed: false, reason: "invalid_output", feedback }) as const;
