// Gemini CLI's way to start a task: one tool, a union by the agent's name.
import * as z from "zod";
import type { AgentDefinition, AgentInput } from "../../schema/index.ts";
import { hostTool, type ToolMaker } from "../host-tool.ts";
import { withAgents } from "./agent-lines.ts";
import { startTask } from "./start-task.ts";

export const geminiDelegate: ToolMaker = (agents, { names }) =>
  hostTool({
    name: names.task,
    description: withAgents("Delegates a task to a specialized agent.", agents, names.agents),
    operations: ["task.start", "task.wait", "task.get", "task.list", "approval.relay", "inbox.acknowledge"],
    effect: "works",
    input: unionOf(agents),
    run({ agent_name: agent, ...given }: Given, call) {
      const hasInputs = agents.some(({ name, inputs }) => name === agent && inputs.length > 0);
      return startTask(call, { agent, prompt: promptFrom(given), inputs: hasInputs ? given : undefined });
    },
  });

type Given = { readonly agent_name: string } & Readonly<Record<string, unknown>>;

const promptFrom = (inputs: Readonly<Record<string, unknown>>): string => {
  const [only, ...others] = Object.values(inputs);
  return typeof only === "string" && others.length === 0 ? only : JSON.stringify(inputs);
};

/**
 * Hosts take an object at the top of a tool's input and no union there. So a model is shown the fields of all agents in
 * one object, and what it gives is checked by the agent that it names.
 */
function unionOf(agents: readonly AgentDefinition[]): z.ZodType<Given> {
  const all = new Map<string, AgentInput[]>();
  for (const agent of agents)
    for (const input of takenBy(agent)) all.set(input.name, [...(all.get(input.name) ?? []), input]);
  const fields = [...all].map(([name, inputs]): [string, z.ZodType] => {
    const types = [...new Set(inputs.map(({ type }) => type))].map((type) => FIELD[type]);
    const about = [...new Set(inputs.flatMap(({ description }) => description ?? []))].join("; ");
    const [first = z.string(), ...rest] = types;
    return [name, (rest.length === 0 ? first : z.union([first, ...rest])).optional().describe(about || name)];
  });
  const takes = agents.map((agent) => `${agent.name} (${namesOf(agent).join(", ")})`);
  const name = agents.length === 0 ? z.string() : z.enum(agents.map((agent) => agent.name));
  const about = `the agent, and what it takes: ${takes.join("; ")}`;
  const union = z
    .strictObject({ ...Object.fromEntries(fields), agent_name: name.describe(about) })
    .superRefine(({ agent_name: named, ...given }, context) => {
      const agent = agents.find((one) => one.name === named);
      if (agent === undefined) return;
      const known = namesOf(agent);
      const missing = takenBy(agent).filter(
        (input) => input.required === true && input.default === undefined && !(input.name in given),
      );
      for (const key of Object.keys(given).filter((one) => !known.includes(one)))
        context.addIssue({ code: "custom", path: [key], message: `${named} takes ${known.join(", ")}` });
      for (const input of missing) context.addIssue({ code: "custom", path: [input.name], message: "is needed" });
    });
  return union;
}

const FIELD = { string: z.string(), number: z.number(), integer: z.int(), boolean: z.boolean() } as const;

const PROMPT: AgentInput = { name: "prompt", type: "string", description: "what is to be done", required: true };

const takenBy = ({ inputs }: AgentDefinition): readonly AgentInput[] => (inputs.length === 0 ? [PROMPT] : inputs);
const namesOf = (agent: AgentDefinition): string[] => takenBy(agent).map(({ name }) => name);
