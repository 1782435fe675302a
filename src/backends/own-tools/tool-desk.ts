// Calls of our own tools by an agent whose loop is not ours: put to the policy, run and written down, as our loop does.
import { ruledAs } from "../../domain/offered-tools.ts";
import { capText } from "../../domain/summaries.ts";
import type { AttemptScope, Tool, ToolResult } from "../../ports/index.ts";
import type { CallId, Json } from "../../schema/index.ts";

export interface DeskParts {
  readonly tools: readonly Tool[];
  readonly scope: AttemptScope;
  readonly maxOutputKb: number;
  /** The agent has ended its task: nothing more is begun. */
  readonly isOver: () => boolean;
}

export class ToolDesk {
  readonly #parts: DeskParts;
  readonly #underWay = new Set<Promise<ToolResult>>();
  /** As which of all calls each came. */
  readonly #came = new Map<CallId, number>();
  #calls = 0;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get tools(): readonly Tool[] {
    return this.#parts.tools;
  }

  /** Never rejects: an attempt that is over is an answer, too. */
  async call(name: string, input: Json): Promise<ToolResult> {
    const work = this.#call(name, input).catch((error: unknown): ToolResult => {
      const words = error instanceof Error ? error.message : String(error);
      return { ok: false, text: `The tool failed: ${words}` };
    });
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Until no call is under way: one may wait for a person or a child although who called it is gone. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  firstOf(calls: readonly CallId[]): CallId | undefined {
    return calls.toSorted((one, other) => (this.#came.get(one) ?? 0) - (this.#came.get(other) ?? 0))[0];
  }

  async #call(name: string, input: Json): Promise<ToolResult> {
    const came = this.#calls++;
    const { tools, scope, maxOutputKb, isOver } = this.#parts;
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return { ok: false, text: `There is no tool "${name}" here.` };
    if (isOver()) return { ok: false, text: "Your task has ended. Do nothing more." };
    const plan = tool.plan(input);
    const { kind, call, decision } = await scope.permit({
      effect: tool.effect,
      ...(plan.ok ? plan.use : {}),
      tool: ruledAs(name, tool),
      input,
      problem: plan.ok ? undefined : plan.problem,
    });
    this.#came.set(call, came);
    if (kind === "refused") return { ok: false, text: plan.ok ? `Not allowed: ${decision.rule}` : plan.problem };
    const { ok, text } = await ran(tool, input, call, scope);
    const shown = capText(scope.redact(text), maxOutputKb);
    await scope.append({ type: "tool.returned", call, ok, output: shown.text, truncated: shown.truncated });
    return { ok, text: shown.text };
  }
}

/** A tool that throws has a bug; the agent is told, and nothing else is lost. */
async function ran(tool: Tool, input: Json, call: CallId, { signal }: AttemptScope): Promise<ToolResult> {
  try {
    return await tool.run(input, call);
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, text: `The tool failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}
