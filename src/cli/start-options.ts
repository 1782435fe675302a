// What `run` and `start` take, and how it becomes a request.
import * as z from "zod";
import type { OperationInput } from "../operations/index.ts";
import { repeated } from "./command.ts";
import { readPrompt } from "./read-prompt.ts";
import { parseInputs } from "./parse-inputs.ts";

export const START_OPTIONS = {
  "--input <name=value...>": "an input that the agent declares",
  "--inputs <file>": "the inputs, as a JSON file",
  "--backend <name>": "run it on this backend",
  "--session <id>": "go on with this session",
  "--timeout-ms <n>": "stop it after this long",
  "--max-turns <n>": "stop it after so many turns",
  "--budget-usd <n>": "stop it before it spends more than this, children included",
} as const;

const number = z.coerce.number().optional();

export const StartArgs = z.object({
  agent: z.string(),
  prompt: z.string(),
  input: repeated,
  inputs: z.string().optional(),
  backend: z.string().optional(),
  session: z.string().optional(),
  timeoutMs: number,
  maxTurns: number,
  budgetUsd: number,
});

export async function startRequest(args: z.output<typeof StartArgs>): Promise<OperationInput<"task.start">> {
  const { agent, prompt, backend, session, timeoutMs, maxTurns, budgetUsd } = args;
  return {
    agent,
    prompt: await readPrompt(prompt),
    backend,
    session,
    inputs: await parseInputs(args.input, args.inputs),
    limits: { timeoutMs, maxTurns, budgetUsd },
  };
}
