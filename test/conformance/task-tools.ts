// The tools of the suite for the Tasks extension. Each starts a real task: what is tested is the engine behind it.
import { inputRequired, inputResponse, MissingRequiredClientCapabilityError } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { HostCall, HostTool } from "../../src/mcp/host-tool.ts";
import { startTask } from "../../src/mcp/tools/start-task.ts";
import { TASKS } from "../../src/mcp/sender.ts";
import { fixtureTool, nameForm } from "./fixture-tools.ts";

const agent = (name: string, tape: string): string =>
  `---\nname: ${name}\ndescription: for the suite\ntape:\n${tape}\n---\n`;

const SECONDS = [0, 1, 2, 60];

/** By their files. */
export const AGENTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    SECONDS.map((seconds) => [
      `slow-${seconds}.md`,
      agent(`slow-${seconds}`, `  - say: computing\n  - pause_ms: ${seconds * 1000}\n  - answer: computed`),
    ]),
  ),
  "failing.md": agent("failing", "  - fail: backend_error\n    message: the job failed"),
  "crashing.md": agent("crashing", "  - crash: it broke"),
  "confirming.md": agent("confirming", "  - ask: Delete it?\n  - answer: deleted"),
  "gathering.md": agent("gathering", "  - together:\n      - ask: One?\n      - ask: Two?\n  - answer: gathered"),
  "echo.md": "---\nname: echo\ndescription: for the suite\ncommand: [cat]\n---\n",
};

const start = (call: HostCall, name: string, prompt = "go") => startTask(call, { agent: name, prompt });

const needsTasks = ({ followsTasks }: HostCall): void => {
  if (!followsTasks)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
};

export const TASK_TOOLS: readonly HostTool[] = [
  fixtureTool("greet", (_call, { name }) => ({ text: `Hello, ${String(name)}!` })),
  fixtureTool(
    "slow_compute",
    (call, { seconds }) => start(call, `slow-${String(seconds)}`),
    z.looseObject({ seconds: z.number() }),
  ),
  fixtureTool("failing_job", (call) => {
    needsTasks(call);
    return start(call, "failing");
  }),
  fixtureTool("protocol_error_job", (call) => start(call, "crashing")),
  fixtureTool("confirm_delete", (call) => start(call, "confirming")),
  fixtureTool("multi_input", (call) => start(call, "gathering")),
  fixtureTool("test_tool_with_task", (call) => {
    needsTasks(call);
    const said = inputResponse(call.context.mcpReq.inputResponses, "user_name");
    if (said.kind !== "elicit") return { result: inputRequired({ inputRequests: { user_name: nameForm() } }) };
    return start(call, "echo", `Hello, ${String(said.content?.["name"])}`);
  }),
];
