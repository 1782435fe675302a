import { agentKey } from "../../domain/agent-names.ts";
import { givenIn } from "../../domain/given-tools.ts";
import { isOwnCall } from "../../domain/own-calls.ts";
import type { Attempt, AttemptScope, Registry, ToolSet } from "../../ports/index.ts";
import type { BackgroundShells } from "../bash/background-shells.ts";
import { dialectTools } from "./dialects.ts";
import { workspaceDiff } from "./workspace-diff.ts";
import { taskOutputTool, taskStopTool, taskTool } from "./task-tools.ts";

/** Named as it is, or with the agents that it may call: `Task(reviewer)`. */
const isTask = (rule: string): boolean => /^Task(?:\(|$)/.test(rule);

/** What an agent delegates with. Which of them it is offered, the policy says. */
export async function delegationTools(
  registry: Registry,
  shells: BackgroundShells,
  attempt: Attempt,
  scope: AttemptScope,
): Promise<ToolSet> {
  const { agents } = await registry.list();
  const own = attempt.task.spec.definition;
  const callable = agents.filter(
    ({ trusted, definition }) =>
      trusted && !isOwnCall(own, definition.name) && definition.capabilities.includes("subtask"),
  );
  const background = new Set(
    callable.filter(({ definition }) => definition.background).map(({ definition }) => agentKey(definition.name)),
  );
  const isBackground = (name: string) => background.has(agentKey(name));
  const names = givenIn(own.tools);
  const parts = { scope, own, agents: callable, isBackground, diff: () => workspaceDiff(attempt) };
  return {
    tools: [
      ...(own.capabilities.includes("orchestrator") || names.some(isTask) ? [taskTool(parts)] : []),
      taskOutputTool(scope, shells),
      taskStopTool(scope, shells),
      ...dialectTools(names, parts),
    ],
    agentsFound: agents,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
