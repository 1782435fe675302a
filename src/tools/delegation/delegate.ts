// One way to delegate, whatever the tool is called that asks for it.
import { agentKey } from "../../domain/agent-names.ts";
import { isOwnCall, whyNoOwnCall } from "../../domain/own-calls.ts";
import type { AttemptScope, Delegation, ToolPlan, ToolResult } from "../../ports/index.ts";
import {
  type AgentDefinition,
  type CallId,
  type TaskId,
  TaskId as TaskIdSchema,
  type TaskView,
} from "../../schema/index.ts";
import { startedText, taskText } from "./task-text.ts";

export interface DelegationWish extends Omit<Delegation, "call" | "session"> {
  /** An earlier task of this agent's, whose session goes on. */
  /** Only in dialects that have it: there a result says by which id it is gone on with. */
  readonly resume?: string | undefined;
}

export const planFor = (own: AgentDefinition, agent: string): ToolPlan =>
  isOwnCall(own, agent)
    ? { ok: false, problem: whyNoOwnCall(own.name) }
    : { ok: true, use: { effect: "delegate", agent } };

export async function delegate(scope: AttemptScope, wish: DelegationWish, call: CallId): Promise<ToolResult> {
  const { resume, ...request } = wish;
  const earlier = resume === undefined ? undefined : await childNamed(scope, resume);
  if (resume !== undefined && earlier === undefined) {
    return { ok: false, text: `You have no task "${resume}" that could go on. Leave out \`resume\` to start anew.` };
  }
  // The policy was asked about the agent that the call names: so that is the one that goes on.
  const agent = earlier?.spec.definition.name ?? request.agent;
  if (agentKey(agent) !== agentKey(request.agent)) {
    return { ok: false, text: `The task "${resume}" is of the agent "${agent}", not of "${request.agent}".` };
  }
  const started = await scope.delegate({ ...request, agent, session: earlier?.spec.session, call });
  if (started.kind === "refused") return { ok: false, text: `Nothing was started: ${started.message}.` };
  if (request.background === true) return { ok: true, text: startedText(started.child, agent) };
  return waitFor(scope, started.child, wish);
}

/** After a crash: the child is there already, and goes on by itself. Where it is not, nothing was done yet. */
export async function delegateAgain(scope: AttemptScope, wish: DelegationWish, call: CallId): Promise<ToolResult> {
  const child = await scope.childFor(call);
  if (child === undefined) return delegate(scope, wish, call);
  if (child.spec.background) return { ok: true, text: startedText(child.id, child.spec.definition.name) };
  return waitFor(scope, child.id, wish);
}

async function waitFor(scope: AttemptScope, child: TaskId, wish: DelegationWish): Promise<ToolResult> {
  const ended = await inTime(scope, child);
  const { outcome } = ended;
  const isClean = outcome?.status === "completed" && outcome.recovered === null;
  const text = isClean ? outcome.answer : taskText(ended);
  const id = "resume" in wish ? `\n\nTask ID: ${child}` : "";
  return { ok: outcome?.status === "completed", text: `${text}${id}` };
}

/** When the time is up what runs is ended, a child like a program: there are last words to be said. */
async function inTime(scope: AttemptScope, child: TaskId): Promise<TaskView> {
  const end = () => void scope.stopChild(child).catch(() => undefined); // where it cannot be, the attempt is over soon
  scope.timeUp.addEventListener("abort", end, { once: true });
  if (scope.timeUp.aborted) end();
  try {
    return await scope.outcomeOf(child);
  } finally {
    scope.timeUp.removeEventListener("abort", end);
  }
}

export async function childNamed(scope: AttemptScope, id: string) {
  const parsed = TaskIdSchema.safeParse(id);
  return parsed.success ? scope.child(parsed.data) : undefined;
}
