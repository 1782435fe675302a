// The tools of each dialect: the same for all, with another program's way to start a task where it has one.
import type { Dialect } from "../operations/words.ts";
import type { AgentDefinition } from "../schema/index.ts";
import type { HostTool, ToolMaker } from "./host-tool.ts";
import type { Manner } from "./manner.ts";
import { agentCreateTool } from "./tools/agent-create.ts";
import { agentsTool } from "./tools/agents-tool.ts";
import { inboxTool } from "./tools/inbox-tool.ts";
import { memoryAddTool, memorySearchTool } from "./tools/memory-tools.ts";
import { geminiDelegate } from "./tools/delegate-to-agent.ts";
import { gencodeTask, yeetReview, yeetSpawn } from "./tools/other-starts.ts";
import { taskOutputTool, taskSendTool, taskStopTool } from "./tools/task-control.ts";
import { taskTool } from "./tools/task-tool.ts";
import { toolCreateTool } from "./tools/tool-create.ts";

const STARTS: Readonly<Record<Dialect, readonly ToolMaker[]>> = {
  cadre: [taskTool],
  glee: [taskTool],
  gencode: [gencodeTask],
  gemini: [geminiDelegate],
  yeet: [yeetSpawn, yeetReview],
};

const SHARED: readonly ToolMaker[] = [
  taskOutputTool,
  taskStopTool,
  taskSendTool,
  agentsTool,
  memoryAddTool,
  memorySearchTool,
  inboxTool,
  agentCreateTool,
  toolCreateTool,
];

/** Whether it takes a look at the agents to know what a tool takes. What it says of itself always does. */
export const dependsOnAgents = ({ dialect }: Manner): boolean => dialect === "gemini";

/** In an order that is always the same. */
export const toolsFor = (manner: Manner, agents: readonly AgentDefinition[]): HostTool[] =>
  [...STARTS[manner.dialect], ...SHARED].map((make) => make(agents, manner));
