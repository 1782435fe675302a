import { NewTool } from "../../schema/index.ts";
import { hostTool, type ToolMaker } from "../host-tool.ts";
import { waiting } from "./waiting.ts";

export const toolCreateTool: ToolMaker = (_agents, { names }) =>
  hostTool({
    name: names.tool_create,
    description:
      "Write a new tool for the agents of this project: a program with inputs. It does nothing until a person has agreed to it, on their own terminal; tell them what it is for. Never overwrites one.",
    operations: ["tool.create"],
    effect: "works",
    input: NewTool,
    run: async (wish, { cadre }) => waiting(await cadre.call("tool.create", wish), `The tool "${wish.name}"`),
  });
