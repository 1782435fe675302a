import type * as z from "zod";
import { CadreError } from "../errors/index.ts";
import type { Tool, ToolPlan, ToolResult } from "../ports/index.ts";
import type { CallId, Effect, Json } from "../schema/index.ts";
import { checkInput, inputSchemaOf } from "./checked-input.ts";

export interface ToolDefinition<T> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly input: z.ZodType<T>;
  plan(input: T): ToolPlan;
  /** May throw what `src/errors` has, and what the file system says: both become a result. */
  run(input: T, call: CallId): Promise<ToolResult>;
  /** After its worker's death. `again`: it changes nothing, so it is done once more. */
  readonly reattach?: "again" | ((input: T, call: CallId) => Promise<ToolResult | undefined>) | undefined;
}

export function defineTool<T>(definition: ToolDefinition<T>, signal?: AbortSignal): Tool {
  const { name, description, effect, input: schema, reattach } = definition;
  const plan = (input: Json): ToolPlan => {
    const checked = checkInput(name, schema, input);
    return checked.ok ? definition.plan(checked.value) : checked;
  };
  const run = async (input: Json, work: (value: T) => Promise<ToolResult | undefined>) => {
    const checked = checkInput(name, schema, input);
    if (!checked.ok) return failed(checked.problem);
    const planned = definition.plan(checked.value);
    if (!planned.ok) return failed(planned.problem);
    if (signal?.aborted === true) return STOPPED;
    return await work(checked.value).catch((error: unknown) =>
      signal?.aborted === true ? STOPPED : failed(wordsOf(error)),
    );
  };
  const once = async (input: Json, call: CallId): Promise<ToolResult> =>
    (await run(input, (value) => definition.run(value, call))) ?? STOPPED;
  const tool = { name, description, effect, inputSchema: inputSchemaOf(schema), plan, run: once };
  if (reattach === undefined) return tool;
  return {
    ...tool,
    reattach: reattach === "again" ? once : (input, call) => run(input, (value) => reattach(value, call)),
  };
}

export const failed = (text: string): ToolResult => ({ ok: false, text });
export const done = (text: string): ToolResult => ({ ok: true, text });

const STOPPED = failed("The attempt was stopped.");

/** What is neither of ours nor the system's is a bug, and is not hidden. */
function wordsOf(error: unknown): string {
  if (CadreError.isInstance(error)) return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  if (error instanceof Error && "syscall" in error) return error.message;
  throw error;
}
