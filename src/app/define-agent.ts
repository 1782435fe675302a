// Agents in TypeScript, with the type of what they answer.
import * as z from "zod";
import { unknownPlaces } from "../domain/templates.ts";
import { DELEGATION_TOOLS, toolsCalled } from "../domain/tool-names.ts";
import { invalidDefinition, invalidInput } from "../errors/index.ts";
import type { AgentDefinition, JsonObject } from "../schema/index.ts";
import { checkedDefinition } from "./checked-definition.ts";
import { outputSchemaOf } from "./output-schema.ts";

declare const OUTPUT: unique symbol;

/** A definition that remembers, for the compiler only, what the agent's output is. */
export type DefinedAgent<Output> = AgentDefinition & { readonly [OUTPUT]?: Output };

type Wish = z.input<typeof AgentDefinition>;

interface OutputWish<Schema> extends Omit<NonNullable<Wish["output"]>, "schema"> {
  /** In zod, or as JSON Schema. */
  readonly schema: Schema;
}

export interface AgentWish<Schema> extends Omit<Wish, "output"> {
  readonly output?: OutputWish<Schema> | undefined;
}

/** The form in which Gemini CLI's own agents are written in TypeScript. */
export interface ConfiguredAgent<Schema> {
  readonly kind?: "local" | undefined;
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description: string;
  readonly inputConfig?: { readonly inputs: Readonly<Record<string, ConfiguredInput>> } | undefined;
  readonly outputConfig?:
    | { readonly outputName: string; readonly description?: string; readonly schema: Schema }
    | undefined;
  readonly promptConfig: { readonly systemPrompt?: string; readonly query?: string };
  readonly modelConfig?: { readonly model?: string; readonly temp?: number; readonly top_p?: number } | undefined;
  readonly runConfig?: { readonly max_time_minutes?: number; readonly max_turns?: number } | undefined;
  /** By their names there: `read_file`, `ls`. */
  readonly toolConfig?: { readonly tools: readonly string[] } | undefined;
}

interface ConfiguredInput {
  readonly type?: "string" | "number" | "integer" | "boolean" | undefined;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

type SchemaWish = z.ZodType | JsonObject;
type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** The zod schemas behind definitions: what comes back can then be given its type by checking it. */
const schemas = new WeakMap<AgentDefinition, z.ZodType>();

/** Checks an agent and gives its definition, for `openCadre({ agents })` or to be written to a file. */
export function defineAgent<Schema extends SchemaWish = JsonObject>(
  wish: AgentWish<Schema> | ConfiguredAgent<Schema>,
): DefinedAgent<OutputOf<Schema>> {
  const own: AgentWish<SchemaWish> = "promptConfig" in wish ? fromConfigured(wish) : wish;
  const { output, ...fields } = own;
  const definition = checkedDefinition(
    output === undefined
      ? fields
      : { ...fields, output: { ...output, schema: outputSchemaOf(own.name, output.schema) } },
  );
  if (!("promptConfig" in wish)) checkTemplates(definition);
  if (output?.schema instanceof z.ZodType) schemas.set(definition, output.schema);
  return definition;
}

/** An output of that agent, checked against the schema that it was defined with. */
export function parseOutput<Output>(agent: DefinedAgent<Output>, output: unknown): Output {
  const schema = schemas.get(agent);
  if (schema === undefined) throw invalidInput(`the agent "${agent.name}" was not defined with a zod schema`);
  const parsed = schema.safeParse(output);
  if (!parsed.success)
    throw invalidInput(`the output of "${agent.name}" does not fit: ${z.prettifyError(parsed.error)}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of that very agent has made it
  return parsed.data as Output;
}

function checkTemplates({ name, prompt, query = "", inputs }: AgentDefinition): void {
  const unknown = new Set([...unknownPlaces(prompt, inputs), ...unknownPlaces(query, inputs)]);
  if (unknown.size === 0) return;
  const places = [...unknown].map((place) => `\${${place}}`).join(", ");
  throw invalidDefinition(
    `the agent "${name}"`,
    `uses ${places}, which is no input`,
    "Declare it, or write $${ for a plain ${.",
  );
}

function fromConfigured<Schema extends SchemaWish>(agent: ConfiguredAgent<Schema>): AgentWish<SchemaWish> {
  const { promptConfig, modelConfig, runConfig, inputConfig, outputConfig } = agent;
  const inputs = Object.entries(inputConfig?.inputs ?? {}).map(([name, input]) => ({ name, ...input }));
  const tools = agent.toolConfig?.tools.flatMap((tool) => ourTools(agent.name, tool));
  const fields = {
    kind: agent.kind,
    name: agent.name,
    display_name: agent.displayName,
    description: agent.description,
    prompt: promptConfig.systemPrompt,
    query: promptConfig.query,
    model: modelConfig?.model,
    temperature: modelConfig?.temp,
    top_p: modelConfig?.top_p,
    max_turns: runConfig?.max_turns,
    timeout_mins: runConfig?.max_time_minutes,
    inputs,
    tools: tools === undefined ? undefined : [...new Set(tools)],
  };
  if (outputConfig === undefined) return fields;
  const { outputName, description, schema } = outputConfig;
  return { ...fields, output: { name: outputName, description, schema } };
}

/** As with that program's files: what delegates is not given, and what is unknown is not guessed. */
function ourTools(agent: string, tool: string): readonly string[] {
  const tools = toolsCalled("gemini", tool) ?? toolsCalled("cadre", tool);
  if (tools === undefined) throw invalidDefinition(`the agent "${agent}"`, `there is no tool ${JSON.stringify(tool)}`);
  return tools.filter((one) => !DELEGATION_TOOLS.has(one));
}
