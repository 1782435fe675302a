import { agentKey } from "../../domain/agent-names.ts";
import type { Attempt, Registry, Toolbox } from "../../ports/index.ts";
import { dialectTools } from "./dialects.ts";
import { workspaceDiff } from "./workspace-diff.ts";
import { type Shells, taskOutputTool, taskStopTool, taskTool } from "./task-tools.ts";

export interface DelegationParts {
  readonly registry: Registry;
  /** The commands that an attempt runs in the background. */
  readonly shellsOf: (attempt: Attempt) => Shells | undefined;
}

/** Named as it is, or with the agents that it may call: `Task(reviewer)`. */
const isTask = (rule: string): boolean => /^Task(?:\(|$)/.test(rule);

/** What an agent delegates with. Which of them it is offered, the policy says. */
export const delegationTools =
  ({ registry, shellsOf }: DelegationParts): Toolbox =>
  async (attempt, scope) => {
    const { agents } = await registry.list();
    const own = attempt.task.spec.definition;
    const callable = agents.filter(
      ({ trusted, definition }) =>
        trusted && definition.name !== own.name && definition.capabilities.includes("subtask"),
    );
    const isBackground = async (name: string) =>
      callable.some(({ definition }) => agentKey(definition.name) === agentKey(name) && definition.background);
    const names = own.tools === undefined ? [] : Array.isArray(own.tools) ? own.tools : own.tools.allow;
    const diff = () => workspaceDiff(attempt);
    const shells = shellsOf(attempt);
    return {
      tools: [
        ...(own.capabilities.includes("orchestrator") || names.some(isTask) ? [taskTool(scope, isBackground)] : []),
        taskOutputTool(scope, shells),
        taskStopTool(scope, shells),
        ...dialectTools(names, { scope, agents: callable, diff }),
      ],
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
