// In whose words the server speaks. Every dialect can do the same; where another program has a name for it, that is
// the tool's name.
import type { Dialect } from "../operations/words.ts";

type ToolKey =
  | "task"
  | "task_output"
  | "task_stop"
  | "task_send"
  | "agents"
  | "memory_add"
  | "memory_search"
  | "inbox"
  | "agent_create"
  | "tool_create";

export interface Manner {
  readonly dialect: Dialect;
  readonly names: Readonly<Record<ToolKey, string>>;
}

const OWN = {
  task: "task",
  task_output: "task_output",
  task_stop: "task_stop",
  task_send: "task_send",
  agents: "agents",
  memory_add: "memory_add",
  memory_search: "memory_search",
  inbox: "inbox",
  agent_create: "agent_create",
  tool_create: "tool_create",
} as const satisfies Record<ToolKey, string>;

const NAMES: Readonly<Record<Dialect, Readonly<Record<ToolKey, string>>>> = {
  cadre: OWN,
  glee: {
    task: "glee_task",
    task_output: "glee_task_output",
    task_stop: "glee_task_stop",
    task_send: "glee_task_send",
    agents: "glee_agents",
    memory_add: "glee_memory_add",
    memory_search: "glee_memory_search",
    inbox: "glee_inbox",
    agent_create: "glee_agent_create",
    tool_create: "glee_tool_create",
  },
  gencode: { ...OWN, task: "Task", task_output: "TaskOutput", task_stop: "TaskStop" },
  gemini: { ...OWN, task: "delegate_to_agent" },
  yeet: { ...OWN, task: "spawn_subagent" },
};

export const mannerOf = (dialect: Dialect): Manner => ({ dialect, names: NAMES[dialect] });
