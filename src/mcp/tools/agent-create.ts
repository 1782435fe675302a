import { NewAgent } from "../../schema/index.ts";
import { hostTool, type ToolMaker } from "../host-tool.ts";
import { waiting } from "./waiting.ts";

export const agentCreateTool: ToolMaker = (_agents, { names }) =>
  hostTool({
    name: names.agent_create,
    description:
      "Write a new agent for this project. It does nothing until a person has agreed to it, on their own terminal; tell them what it is for. Never overwrites one.",
    operations: ["agent.create"],
    effect: "works",
    input: NewAgent,
    run: async (wish, { cadre }) => waiting(await cadre.call("agent.create", wish), `The agent "${wish.name}"`),
  });
