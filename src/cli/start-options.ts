// What `run` and `start` take, and how it becomes a request.
import * as z from "zod";
import type { Cadre } from "../app/index.ts";
import { type OperationInput, TaskWorkspace } from "../operations/index.ts";
import { repeated } from "./command.ts";
import { numberAbove, wholeNumber } from "./numbers.ts";
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
  "--diff": "with what has changed since the last commit; an agent without a prompt is to review that",
  "--since <commit>": "the same, since this commit",
} as const;

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
  timeoutMs: wholeNumber(1).optional(),
  maxTurns: wholeNumber(1).optional(),
  budgetUsd: numberAbove(0).optional(),
  maxTokens: wholeNumber(1).optional(),
  diff: z.boolean().default(false),
  since: z.string().optional(),
});

/** What an agent is to do that is given changes and nothing else. */
export const ofChanges = ({ diff, since }: Pick<z.output<typeof StartArgs>, "diff" | "since">): string | undefined =>
  diff || since !== undefined ? "Review these changes." : undefined;

export async function startRequest(
  args: z.output<typeof StartArgs>,
  cadre: Cadre,
  signal: AbortSignal,
): Promise<OperationInput<"task.start">> {
  const { agent, backend, model, fork, workspace, timeoutMs, maxTurns, budgetUsd, maxTokens, since } = args;
  const prompt = await readPrompt(args.prompt, signal);
  const session = args.session === undefined ? undefined : await resolveSession(cadre, args.session);
  return {
    agent,
    prompt: ofChanges(args) === undefined ? prompt : await withDiff(prompt, cadre, since),
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
