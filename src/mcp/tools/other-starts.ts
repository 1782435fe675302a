// Starting a task as other programs call it.
import * as z from "zod";
import { hostTool, type ToolMaker } from "../host-tool.ts";
import { withAgents } from "./agent-lines.ts";
import { START_OPERATIONS, startTask } from "./start-task.ts";
import { Inputs } from "./task-tool.ts";

const text = z.string().min(1);

const GencodeInput = z.strictObject({
  subagent_type: text.describe("Agent type: Explore, Plan, Bash, Review, general-purpose, or custom"),
  prompt: text.describe("The task for the agent to perform"),
  description: z.string().optional().describe("A short (3-5 word) description of the task"),
  run_in_background: z
    .boolean()
    .optional()
    .meta({ description: "Run agent in background, returns task_id immediately", default: false }),
  model: z.enum(["sonnet", "opus", "haiku"]).optional().describe("Override model: sonnet, opus, haiku"),
  max_turns: z.int().positive().optional().describe("Maximum conversation turns before stopping"),
  resume: text.optional().describe("Agent ID to resume from a previous execution"),
  inputs: Inputs.optional(),
});

/** GenCode's `Task`. */
export const gencodeTask: ToolMaker = (agents, { names }) =>
  hostTool({
    name: names.task,
    description: withAgents(
      "Launch a new agent to handle complex, multi-step tasks autonomously",
      agents,
      names.agents,
    ),
    operations: START_OPERATIONS,
    effect: "works",
    input: GencodeInput,
    run: (input, call) =>
      startTask(call, {
        agent: input.subagent_type,
        prompt: input.prompt,
        background: input.run_in_background,
        model: input.model,
        maxTurns: input.max_turns,
        resume: input.resume,
        inputs: input.inputs,
      }),
  });

const SpawnInput = z.strictObject({
  agent: text.describe("the agent's profile"),
  prompt: text.describe("what is to be done"),
  background: z.boolean().optional().describe("return at once; the result arrives in the inbox"),
  inputs: Inputs.optional(),
});

/** Yeet's `spawn_subagent`. */
export const yeetSpawn: ToolMaker = (agents, { names }) =>
  hostTool({
    name: names.task,
    description: withAgents("Run an agent on a task of its own and get its summary.", agents, names.agents),
    operations: START_OPERATIONS,
    effect: "works",
    input: SpawnInput,
    run: (input, call) => startTask(call, input),
  });

const ReviewInput = z.strictObject({
  summary: text.describe("what was done, and what the reviewer should look at"),
  background: z.boolean().optional().describe("return at once; the review arrives in the inbox"),
});

/** Yeet's `request_review`: the reviewer gets what has changed since the last commit. */
export const yeetReview: ToolMaker = () =>
  hostTool({
    name: "request_review",
    description: "Ask the reviewer to look at what has changed in the project since its last commit.",
    operations: START_OPERATIONS,
    effect: "works",
    input: ReviewInput,
    async run({ summary, background }, call) {
      const diff = await call.cadre.diff();
      const changes = diff.trim() === "" ? "(nothing has changed)" : diff;
      const prompt = `${summary}\n\nThe changes, as a diff:\n\n${changes}`;
      return startTask(call, { agent: "reviewer", prompt, background });
    },
  });
