// The tool calls of one turn: put to the policy, run at the same time, their results cut to what a model can read.
import { nearest } from "../domain/nearest.ts";
import { ruledAs } from "../domain/offered-tools.ts";
import type { AttemptScope, Tool, ToolPlan, ToolResult } from "../ports/index.ts";
import type { CallId, ModelCall } from "../schema/index.ts";
import type { Conversation, Turn } from "./conversation.ts";

export interface CallsOf {
  readonly scope: AttemptScope;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly conversation: Conversation;
  /** To what a model can read; the whole is kept elsewhere. */
  readonly shorten: (call: CallId, result: ToolResult) => Promise<{ text: string; truncated: boolean }>;
}

/** All that the turn asks for and that has no result yet. Each ends with exactly one result. */
export async function runCalls(of: CallsOf, turn: Turn, calls: readonly ModelCall[]): Promise<void> {
  const open = calls.filter(({ id }) => !turn.results.has(id));
  await of.scope.together(inOrder(of, open).map((chain) => () => runChain(of, turn, chain)));
}

/** Calls that write the same file run one after the other; everything else at once. */
function inOrder({ tools }: CallsOf, calls: readonly ModelCall[]): (readonly ModelCall[])[] {
  if (calls.length === 1) return [calls];
  const chains = new Map<string, ModelCall[]>();
  for (const call of calls) {
    const plan = planOf(call, tools);
    const key = plan.ok && plan.use.effect === "write" ? `write ${plan.use.path ?? ""}` : `call ${call.id}`;
    chains.set(key, [...(chains.get(key) ?? []), call]);
  }
  return [...chains.values()];
}

async function runChain(of: CallsOf, turn: Turn, chain: readonly ModelCall[]): Promise<void> {
  for (const call of chain) {
    of.scope.signal.throwIfAborted();
    await runCall(of, turn, call);
  }
}

async function runCall(of: CallsOf, turn: Turn, call: ModelCall): Promise<void> {
  const { scope, tools, conversation } = of;
  const tool = tools.get(call.tool);
  const begun = turn.begun.get(call.id);
  if (begun !== undefined) return returned(of, turn, begun, (await reattached(tool, call, begun)) ?? UNKNOWN);

  const plan = planOf(call, tools);
  const use = plan.ok ? plan.use : undefined;
  const permission = await scope.permit({
    effect: tool?.effect ?? "none",
    ...use,
    tool: ruledAs(call.tool, tool),
    input: call.input,
    of: call.id,
    problem: plan.ok ? undefined : plan.problem,
  });
  const { decision } = permission;
  const base = {
    call: permission.call,
    tool: ruledAs(call.tool, tool),
    effect: use?.effect ?? tool?.effect ?? "none",
    decision,
  } as const;
  if (permission.kind === "refused" || tool === undefined) {
    conversation.add({ type: "tool.refused", ...base, input: call.input, of: call.id });
    return;
  }
  conversation.add({ type: "tool.called", ...base, input: call.input, of: call.id });
  await returned(of, turn, permission.call, await ran(tool, call, permission.call, scope));
}

/** What the call is going to do, or what the model has to be told instead of a result: that it cannot be run at all. */
function planOf(call: ModelCall, tools: ReadonlyMap<string, Tool>): ToolPlan {
  const tool = tools.get(call.tool);
  if (tool === undefined) {
    const names = [...tools.keys()];
    const guess = nearest(call.tool, names);
    const has = names.length === 0 ? "No tools are left: answer in words." : `You have: ${names.join(", ")}`;
    const hint = guess === undefined ? has : `Did you mean "${guess}"?`;
    return { ok: false, problem: `There is no tool "${call.tool}" for this agent. ${hint}` };
  }
  if (call.invalid !== undefined) {
    return { ok: false, problem: `The call could not be read: ${call.invalid}. Send valid JSON that fits the tool.` };
  }
  return tool.plan(call.input);
}

/** A tool that throws has a bug; the agent is told, and nothing else is lost. An attempt that is over ends it all. */
async function ran(tool: Tool, call: ModelCall, id: CallId, scope: AttemptScope): Promise<ToolResult> {
  try {
    return await inTime(tool, tool.run(call.input, id), scope.timeUp);
  } catch (error) {
    scope.signal.throwIfAborted();
    return { ok: false, text: `The tool failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** When the time is up, what still works is not waited for: there are last words to be said. */
async function inTime({ effect }: Tool, run: Promise<ToolResult>, timeUp: AbortSignal): Promise<ToolResult> {
  // These wait for somebody, and have given their slot back: they have to end by themselves, and do.
  if (effect === "delegate" || effect === "none") return run;
  const late = Promise.withResolvers<ToolResult>();
  const isLate = () => late.resolve(LATE);
  timeUp.addEventListener("abort", isLate, { once: true });
  if (timeUp.aborted) isLate();
  try {
    return await Promise.race([run, late.promise]);
  } finally {
    timeUp.removeEventListener("abort", isLate);
  }
}

const LATE: ToolResult = {
  ok: false,
  text: "Your time was up while this call ran, and it was ended. It may have had its effect or not.",
};

const reattached = async (
  tool: Tool | undefined,
  { input }: ModelCall,
  call: CallId,
): Promise<ToolResult | undefined> => tool?.reattach?.(input, call);

const UNKNOWN: ToolResult = {
  ok: false,
  text: "The outcome of this call is unknown: Cadre was interrupted while it ran. It may have had its effect or not. Look before you repeat it.",
};

async function returned(
  { scope, conversation, shorten }: CallsOf,
  turn: Turn,
  call: CallId,
  result: ToolResult,
): Promise<void> {
  const shown = await shorten(call, result);
  const event = { type: "tool.returned", call, ok: result.ok, output: shown.text, truncated: shown.truncated } as const;
  const ended = { type: "turn.ended", turn: turn.turn } as const;
  const isLast = turn.results.size === turn.calls.length - 1;
  for (const one of isLast ? [event, ended] : [event]) {
    scope.soon(one);
    conversation.add(one);
  }
}
