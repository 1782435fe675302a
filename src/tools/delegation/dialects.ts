// The same delegation, as other programs call it. Each is offered where an agent's definition names it.
import * as z from "zod";
import type { AttemptScope, RegisteredAgent, Tool } from "../../ports/index.ts";
import { type AgentDefinition, type AgentInput, type CallId, type Json, JsonObject } from "../../schema/index.ts";
import { checkInput } from "../checked-input.ts";
import { defineTool } from "../define-tool.ts";
import { delegate, delegateAgain, type DelegationWish, planFor } from "./delegate.ts";

export interface DialectParts {
  readonly scope: AttemptScope;
  /** Who delegates. */
  readonly own: AgentDefinition;
  /** Those that may be called. */
  readonly agents: readonly RegisteredAgent[];
  /** Whether that agent runs in the background where the call does not say. */
  readonly isBackground: (agent: string) => boolean;
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
  const wish = async (input: T): Promise<DelegationWish> => {
    const asked = await row.wish(input, parts);
    return { ...asked, background: asked.background ?? parts.isBackground(asked.agent) };
  };
  return defineTool(
    {
      name: row.name,
      description: row.description,
      effect: "delegate",
      input: row.input(parts),
      plan: (input) => planFor(parts.own, row.agent(input)),
      run: async (input, call: CallId) => delegate(scope, await wish(input), call),
      reattach: async (input, call) => delegateAgain(scope, await wish(input), call),
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
        inputs:
          prompt === undefined || !declares(parts.agents, nameIn(agent), "prompt") ? inputs : { ...inputs, prompt },
      }),
    },
    parts,
  );

const declares = (agents: readonly RegisteredAgent[], agent: string, input: string): boolean =>
  agents.some(({ definition: { name, inputs } }) => name === agent && inputs.some((one) => one.name === input));

const nameIn = (value: Json | undefined): string => (typeof value === "string" ? value : "");

type Fields = Readonly<Record<string, z.ZodType<Json>>>;

/** What one agent takes: its inputs, or a prompt where it declares none. */
const fieldsOf = ({ definition: { inputs } }: RegisteredAgent): Fields =>
  inputs.length === 0
    ? { prompt: text.describe("The task for the agent") }
    : Object.fromEntries(inputs.map((input) => [input.name, fieldOf(input)]));

function fieldOf({ name, type, description, required }: AgentInput): z.ZodType<Json> {
  const value = { string: z.string(), number: z.number(), integer: z.int(), boolean: z.boolean() }[type];
  const described = value.describe(description ?? name);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left out is no field at all
  return required === true ? described : (described.optional() as unknown as z.ZodType<Json>);
}

/** Agents may mean different things by one name. */
function eitherOf(fields: readonly z.ZodType<Json>[]): z.ZodType {
  const kinds = new Map(fields.map((field) => [JSON.stringify(z.toJSONSchema(field)), field]));
  const [first, ...others] = kinds.values();
  if (first === undefined) return z.never();
  return others.length === 0 ? first.optional() : z.union([first, ...others]).optional();
}

/**
 * A union by `agent_name`. Providers take an object at the top of a tool's input and no union there: so a model is shown
 * the fields of all agents in one object, and those of the one that it names are checked.
 */
function agentUnion(agents: readonly RegisteredAgent[]): z.ZodType<Record<string, Json>> {
  const all = Map.groupBy(
    agents.flatMap((agent) => Object.entries(fieldsOf(agent))),
    ([name]) => name,
  );
  const fields = [...all].map(([name, ofThatName]) => [name, eitherOf(ofThatName.map(([, field]) => field))] as const);
  const lines = agents.map((agent) => `${agent.definition.name} (${Object.keys(fieldsOf(agent)).join(", ")})`);
  const names = agents.map(({ definition }) => definition.name);
  return z
    .strictObject({
      ...Object.fromEntries(fields),
      agent_name: z.enum(names).describe(`The agent, and what it takes: ${lines.join("; ")}`),
    })
    .superRefine((given, context) => {
      const agent = agents.find(({ definition }) => definition.name === given.agent_name);
      const own = agent === undefined ? {} : fieldsOf(agent);
      const { agent_name: name, ...rest } = given;
      const checked = checkInput(name, z.strictObject(own), JsonObject.parse(rest));
      if (!checked.ok) context.addIssue({ code: "custom", message: checked.problem });
    });
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

const reviewPrompt = (summary: string, diff: string): string => `${summary}\n\nThe changes, as a diff:\n\n${diff}`;

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
      wish: (input) => ({ agent: definition.name, ...input }),
    },
    parts,
  );
