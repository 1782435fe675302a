// A tool whose input is checked by a schema: once before the policy is asked, once more before it runs.
import * as z from "zod";
import type { Tool, ToolPlan, ToolResult, ToolUse } from "../ports/index.ts";
import type { CallId, Effect, JsonObject } from "../schema/index.ts";

export interface CheckedTool<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly input: Input;
  /** What the policy looks at, or a problem that the schema cannot see. */
  use(input: z.output<Input>): ToolUse | Problem;
  run(input: z.output<Input>, call: CallId): Promise<ToolResult>;
}

/** What is wrong with an input, in words for a model. */
export interface Problem {
  readonly problem: string;
}

export function checkedTool<Input extends z.ZodType>(tool: CheckedTool<Input>): Tool {
  const { name, description, effect, input: schema } = tool;
  return {
    name,
    description,
    effect,
    inputSchema: jsonSchemaOf(schema),
    plan(input): ToolPlan {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return { ok: false, problem: problemsOf(name, parsed.error) };
      const use = tool.use(parsed.data);
      return "problem" in use ? { ok: false, problem: use.problem } : { ok: true, use };
    },
    async run(input, call) {
      const parsed = schema.safeParse(input);
      return parsed.success ? tool.run(parsed.data, call) : failed(problemsOf(name, parsed.error));
    },
  };
}

export const failed = (text: string): ToolResult => ({ ok: false, text });
export const done = (text: string): ToolResult => ({ ok: true, text });

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  // What a model has to send: fields with a default may be left out.
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input" });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON Schema is JSON
  return JSON.parse(JSON.stringify(rest)) as JsonObject;
}

const problemsOf = (name: string, { issues }: z.ZodError): string =>
  `${name}: ${issues.map(({ path, ...issue }) => [...path, wordsOf(issue)].join(": ")).join("; ")}`;

/** What is wrong with a key is said inside of what is wrong with its object. */
const wordsOf = (issue: Omit<z.core.$ZodIssue, "path">): string =>
  issue.code === "invalid_key" && "issues" in issue && Array.isArray(issue.issues)
    ? String(issue.issues[0]?.message)
    : issue.message;
