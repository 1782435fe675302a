// The same delegation, as other programs call it. Each is offered where an agent's definition names it.
import * as z from "zod";
import type { AttemptScope, RegisteredAgent, Tool } from "../../ports/index.ts";
import { type CallId, type Json, JsonObject } from "../../schema/index.ts";
import { defineTool } from "../files/define-tool.ts";
import { delegate, delegateAgain, type DelegationWish } from "./delegate.ts";

export interface DialectParts {
  readonly scope: AttemptScope;
  /** Those that may be called. */
  readonly agents: readonly RegisteredAgent[];
  /** What has changed in the workspace, for a reviewer. */
  readonly diff: () => Promise<string>;
}

interface Row<T> {
  readonly name: string;
  readonly description: string;
  readonly input: (parts: DialectParts) => z.ZodType<T>;
  readonly wish: (input: T, parts: DialectParts) => DelegationWish | Promise<DelegationWish>;
  /** For the policy, before anything is done. */
  readonly agent: (input: T) => string;
}

const make = <T>(row: Row<T>, parts: DialectParts): Tool => {
  const { scope } = parts;
  const isBackground = async (input: T) => (await row.wish(input, parts)).background === true;
  return defineTool(
    {
      name: row.name,
      description: row.description,
      effect: "delegate",
      input: row.input(parts),
      plan: (input) => ({ ok: true, use: { effect: "delegate", agent: row.agent(input) } }),
      run: async (input, call: CallId) => delegate(scope, await row.wish(input, parts), call),
      reattach: async (input, call) => delegateAgain(scope, await isBackground(input), call),
    },
    scope.signal,
  );
};

const text = z.string().min(1);

/** Gemini CLI's: one tool, a union of the agents, each with its own inputs. */
const delegateToAgent = (parts: DialectParts): Tool =>
  make<Record<string, Json>>(
    {
      name: "delegate_to_agent",
      description: "Delegates a task to a specialized agent.",
      input: ({ agents }) => agentUnion(agents),
      agent: ({ agent_name: agent }) => nameIn(agent),
      wish: ({ agent_name: agent, prompt, ...inputs }) => ({
        agent: nameIn(agent),
        prompt: typeof prompt === "string" ? prompt : JSON.stringify(inputs),
        inputs,
      }),
    },
    parts,
  );

const nameIn = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function agentUnion(agents: readonly RegisteredAgent[]): z.ZodType<Record<string, Json>> {
  const shapes = agents.map(({ definition: { name, description, inputs } }) =>
    z
      .strictObject({
        agent_name: z.literal(name),
        ...(inputs.length === 0
          ? { prompt: text.describe("The task for the agent") }
          : Object.fromEntries(
              inputs.map((input) => {
                const value = { string: z.string(), number: z.number(), integer: z.int(), boolean: z.boolean() }[
                  input.type
                ];
                const described = value.describe(input.description ?? input.name);
                return [input.name, input.required === true ? described : described.optional()];
              }),
            )),
      })
      .describe(description),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every shape holds JSON, and there is at least one
  return (shapes.length === 1 ? shapes[0] : z.union(shapes)) as unknown as z.ZodType<Record<string, Json>>;
}

const SpawnInput = z.strictObject({
  agent: text.describe("The agent's profile"),
  prompt: text,
  background: z.boolean().optional(),
});

const ReviewInput = z.strictObject({ summary: text.describe("What was done, and what the reviewer should look at") });

const GleeInput = z.strictObject({
  description: text.optional().describe("Short task description (3-5 words)"),
  prompt: text.describe("Full task prompt for the agent"),
  agent_name: text.describe("The agent's name"),
  background: z.boolean().optional(),
  session_id: text.optional().describe("Goes on with an earlier task"),
});

const DIALECTS: Readonly<Record<string, (parts: DialectParts) => Tool>> = {
  delegate_to_agent: delegateToAgent,
  spawn_subagent: (parts) =>
    make(
      {
        name: "spawn_subagent",
        description: "Runs an agent on a task and returns its summary.",
        input: () => SpawnInput,
        agent: ({ agent }) => agent,
        wish: (input) => input,
      },
      parts,
    ),
  request_review: (parts) =>
    make(
      {
        name: "request_review",
        description: "Asks the reviewer to look at what has changed in the workspace.",
        input: () => ReviewInput,
        agent: () => "reviewer",
        wish: async ({ summary }, { diff }) => ({ agent: "reviewer", prompt: reviewPrompt(summary, await diff()) }),
      },
      parts,
    ),
  glee_task: (parts) =>
    make(
      {
        name: "glee_task",
        description: "Runs an agent on a task.",
        input: () => GleeInput,
        agent: ({ agent_name: agent }) => agent,
        wish: ({ agent_name: agent, prompt, background, session_id: resume }) => ({
          agent,
          prompt,
          background,
          resume,
        }),
      },
      parts,
    ),
};

export const reviewPrompt = (summary: string, diff: string): string =>
  `${summary}\n\nThe changes, as a diff:\n\n${diff.trim() === "" ? "(nothing has changed)" : diff}`;

const ONE_AGENT = /^agent:(.+)$/;

/** The tools that a definition asks for by these names. `agent:reviewer` is one tool for that agent alone. */
export function dialectTools(names: readonly string[], parts: DialectParts): Tool[] {
  return names.flatMap((name) => {
    const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
    if (dialect !== undefined) return parts.agents.length === 0 ? [] : [dialect(parts)];
    const wanted = ONE_AGENT.exec(name)?.[1];
    return parts.agents
      .filter(({ definition }) => wanted === "*" || definition.name === wanted)
      .map((agent) => agentTool(agent, parts));
  });
}

const PromptInput = z.strictObject({ prompt: text, inputs: JsonObject.optional() });

const agentTool = ({ definition }: RegisteredAgent, parts: DialectParts): Tool =>
  make(
    {
      name: definition.name,
      description: definition.description,
      input: () => PromptInput,
      agent: () => definition.name,
      wish: (input) => ({ agent: definition.name, ...input, background: definition.background }),
    },
    parts,
  );
