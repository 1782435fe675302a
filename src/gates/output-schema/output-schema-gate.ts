import type { Gate } from "../../ports/index.ts";
import type { TaskView } from "../../schema/index.ts";

/** The output must fit the schema that the agent's definition declares. */
const outputSchemaGate: Gate = {
  name: "output schema",
  async check({ task }, { output }) {
    const schema = task.spec.definition.output?.schema ?? {};
    if (output === undefined) return refuse("there is no output; it must fit the agent's output schema");
    // Loaded when it is needed: most agents have no schema, and the validator is large.
    const { problemsOf } = await import("./check-output.ts");
    const problems = problemsOf(schema, output);
    return problems === undefined ? { passed: true, independent: false } : refuse(problems);
  },
};

export const outputSchemaGates = ({ spec }: TaskView): readonly Gate[] =>
  spec.definition.output === undefined ? [] : [outputSchemaGate];

const refuse = (feedback: string) => ({ passed: false, reason: "invalid_output", feedback }) as const;
