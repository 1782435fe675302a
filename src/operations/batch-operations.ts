// Many tasks at once: all of them are admitted, or none.
import * as z from "zod";
import { AgentName, BackendName, JsonObject, TaskView } from "../schema/index.ts";
import { checkDelegation } from "./check-delegation.ts";
import { defineOperation } from "./operation.ts";
import { TaskWorkspace, workspaceFor } from "./task-workspace.ts";

/** One row of a batch, as people write it into a file. */
const BatchRow = z.strictObject({
  agent: AgentName.describe("who does it"),
  prompt: z.string().min(1).describe("what is to be done"),
  inputs: JsonObject.optional().describe("what the agent declares as its inputs"),
  description: z.string().optional().describe("a few words for people who look at the result"),
  backend: BackendName.optional().describe("run it on this backend"),
  workspace: TaskWorkspace.optional().describe("where it works, instead of where its agent does"),
});

const MOST = 1000;
export const Batch = z.array(BatchRow).min(1).max(MOST);

export const startTasks = defineOperation({
  authority: "agent",
  summary: "Give agents many tasks at once. All of them are queued, or none.",
  input: z.strictObject({ tasks: Batch }),
  output: z.strictObject({ tasks: z.array(TaskView) }),
  async run({ engine, caller }, { tasks }) {
    checkDelegation(
      caller.inside,
      tasks.map(({ agent }) => agent),
    );
    const origin = { mouth: caller.mouth, by: caller.by };
    const requests = tasks.map(({ agent, prompt, inputs, backend, ...row }) => {
      const workspace = workspaceFor(row.workspace, caller);
      return { agent, prompt, inputs, backend, workspace, askable: caller.askable, origin };
    });
    return { tasks: [...(await engine.admit(requests, caller.inside))] };
  },
});
