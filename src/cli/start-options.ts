// What `run` and `start` take, and how it becomes a request.
import * as z from "zod";
import type { Cadre } from "../app/index.ts";
import { type OperationInput, TaskWorkspace } from "../operations/index.ts";
import { repeated } from "./command.ts";
import { readPrompt } from "./read-prompt.ts";
import { parseInputs } from "./parse-inputs.ts";
import { resolveSession } from "./resolve-session.ts";

export const START_OPTIONS = {
  "--input <name=value...>": "an input that the agent declares",
  "--inputs <file>": "the inputs, as a JSON file",
  "--backend <name>": "run it on this backend",
  "--model <name>": "run it on this model: provider/model, or an alias",
  "--workspace <mode>": "where it works: shared, worktree (a branch of its own) or sandbox (a private copy)",
  "--session <id>": "go on with this session: its id, or the end of it",
  "--fork": "not in that session, but in a new one that begins with what was said there",
  "--timeout-ms <n>": "stop it after this long",
  "--max-turns <n>": "stop it after so many turns",
  "--budget-usd <n>": "stop it before it spends more than this, children included",
  "--max-tokens <n>": "stop it before it uses more tokens than this, children included",
  "--diff": "put what has changed since the last commit before it",
  "--since <commit>": "the same, since this commit",
} as const;

const number = z.coerce.number().optional();

export const StartArgs = z.object({
  agent: z.string().optional(),
  prompt: z.string(),
  input: repeated,
  inputs: z.string().optional(),
  backend: z.string().optional(),
  model: z.string().optional(),
  session: z.string().optional(),
  workspace: TaskWorkspace.optional(),
  fork: z.boolean().optional(),
  timeoutMs: number,
  maxTurns: number,
  budgetUsd: number,
  maxTokens: number,
  diff: z.boolean().default(false),
  since: z.string().optional(),
});

export async function startRequest(
  args: z.output<typeof StartArgs>,
  cadre: Cadre,
  signal: AbortSignal,
): Promise<OperationInput<"task.start">> {
  const { agent, backend, model, fork, workspace, timeoutMs, maxTurns, budgetUsd, maxTokens, diff, since } = args;
  const prompt = await readPrompt(args.prompt, signal);
  const session = args.session === undefined ? undefined : await resolveSession(cadre, args.session);
  return {
    agent,
    prompt: diff || since !== undefined ? await withDiff(prompt, cadre, since) : prompt,
    backend,
    model,
    session,
    fork,
    workspace,
    inputs: await parseInputs(args.input, args.inputs),
    limits: { timeoutMs, maxTurns, budgetUsd, maxTokens },
  };
}

async function withDiff(prompt: string, cadre: Pick<Cadre, "diff">, since: string | undefined): Promise<string> {
  const changes = await cadre.diff(since);
  return `${prompt}\n\nThe changes, as a diff:\n\n${changes.trim() === "" ? "(nothing has changed)" : changes}`;
}
