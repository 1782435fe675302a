// A request as the SDK's options, per way of speaking.
import type { Effort, ModelRequest } from "../ports/index.ts";
import type { Wire } from "./providers.ts";
import type { CallOptions, ProviderOptions } from "./sdk.ts";
import { markForCache, toPrompt, toTools } from "./to-prompt.ts";

export interface CallPlan {
  readonly options: CallOptions;
  /** What of the request could not be followed already here. */
  readonly notes: readonly string[];
}

export interface Target {
  readonly name: string;
  readonly wire: Wire;
  readonly model: string;
}

export function planCall(target: Target, request: ModelRequest): CallPlan {
  const prompt = toPrompt(request.messages, target.name);
  const tools = toTools(request.tools);
  if (target.wire === "anthropic") markForCache(prompt, tools);
  const { notes, ...thinking } = thinkingOf(target, request);
  return {
    options: {
      prompt,
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: "auto" } }),
      maxOutputTokens: request.maxOutputTokens,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.topP === undefined ? {} : { topP: request.topP }),
      ...thinking,
      // Whether an answer of theirs is whole is said by the name of its last event, which the SDK does not hand on.
      ...(target.wire === "openai" ? { includeRawChunks: true } : {}),
    },
    notes,
  };
}

interface Thinking {
  readonly reasoning?: Effort;
  readonly maxOutputTokens?: number;
  readonly providerOptions?: ProviderOptions;
  readonly notes: readonly string[];
}

function thinkingOf({ wire, model }: Target, { effort, maxOutputTokens }: ModelRequest): Thinking {
  const reasoning = effort === undefined ? {} : { reasoning: effort };
  switch (wire) {
    case "anthropic":
      if (effort !== undefined && BUDGET_THINKERS.test(model)) return budgetFor(effort, maxOutputTokens);
      return { ...reasoning, notes: [] };
    case "openai":
      // Nothing is kept on their side: the log has it all, and encrypted reasoning comes back to us instead.
      // A summary of the reasoning is not asked for: accounts that are not verified would be refused altogether.
      return { ...reasoning, providerOptions: { openai: { store: false, reasoningSummary: null } }, notes: [] };
    case "google":
      return geminiThinking(model, effort, maxOutputTokens);
    case "openai-chat":
    case "compatible":
      return { ...reasoning, notes: [] };
  }
}

/** Claude models that think only within a budget of tokens; later ones are told an effort. */
const BUDGET_THINKERS = /^claude-(?:opus-4(?:-[0-5])?|sonnet-4(?:-[0-5])?|haiku-4-5)(?:-\d{8}|-latest)?$/;

const SHARE: Readonly<Record<Effort, number>> = { low: 0.1, medium: 0.3, high: 0.6, xhigh: 0.8, max: 0.9 };
const SMALLEST_BUDGET = 1024;

/** Gemini 2.5 thinks by budget, and later models by level. What is thought counts as output with both. */
function geminiThinking(model: string, effort: Effort | undefined, maxOutputTokens: number): Thinking {
  if (!/^gemini-(?:2\.5|[3-9])/.test(model)) {
    return { notes: effort === undefined ? [] : [`effort: ${model} does not think; it was left out`] };
  }
  const shown = { includeThoughts: true };
  if (effort === undefined || !model.startsWith("gemini-2.5")) {
    const reasoning = effort === undefined ? {} : { reasoning: effort };
    return { ...reasoning, providerOptions: { google: { thinkingConfig: shown } }, notes: [] };
  }
  const [least, most] = [512, 24_576];
  const thinkingBudget = Math.min(most, Math.max(least, Math.floor(maxOutputTokens * SHARE[effort])));
  return { providerOptions: { google: { thinkingConfig: { ...shown, thinkingBudget } } }, notes: [] };
}

/** The SDK adds the budget to the output; here it is taken out of it, because no more than that was reserved. */
function budgetFor(effort: Effort, maxOutputTokens: number): Thinking {
  const budgetTokens = Math.max(SMALLEST_BUDGET, Math.floor(maxOutputTokens * SHARE[effort]));
  if (maxOutputTokens - budgetTokens < SMALLEST_BUDGET) {
    return { notes: [`effort: ${maxOutputTokens} tokens of output leave no room to think; it was left out`] };
  }
  return {
    maxOutputTokens: maxOutputTokens - budgetTokens,
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens } } },
    notes: [],
  };
}
