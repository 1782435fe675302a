// A model that says what a test wants. Strict: a call that nobody expects fails, and so do replies that are left over.
import type { Model, ModelPart, ModelRequest, ModelStop, ModelUsage } from "../ports/index.ts";
import type { Json, ModelFault } from "../schema/index.ts";

export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly {
    readonly tool: string;
    readonly input: Json;
    readonly id?: string;
    readonly invalid?: string;
  }[];
  readonly stop?: ModelStop;
  readonly usage?: ModelUsage | null;
  readonly opaque?: Json;
  readonly error?: { readonly kind: ModelFault; readonly message: string; readonly retryAfterMs?: number };
  /** Comes only when this is resolved. */
  readonly after?: Promise<unknown>;
}

export type ReplyScript = ScriptedReply | ((request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>);

export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
  /** Throws if something of the script was not asked for. */
  done(): void;
}

export const someUsage = (change: Partial<ModelUsage> = {}): ModelUsage => ({
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  ...change,
});

export interface ScriptedModelOptions {
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Of one token, in millionths of a dollar; `null`: nobody knows. */
  readonly microUsdPerToken?: number | null;
}

export function scriptedModel(script: readonly ReplyScript[], options: ScriptedModelOptions = {}): ScriptedModel {
  const { contextTokens = 100_000, maxOutputTokens = 1_000, microUsdPerToken = 1 } = options;
  const requests: ModelRequest[] = [];
  let next = 0;
  return {
    name: "test/scripted",
    contextTokens,
    maxOutputTokens,
    requests,
    priceOf: ({ inputTokens, outputTokens }) =>
      microUsdPerToken === null
        ? null
        : { microUsd: (inputTokens + outputTokens) * microUsdPerToken, tokens: inputTokens + outputTokens },
    async *stream(request, signal): AsyncGenerator<ModelPart> {
      requests.push(structuredClone(request));
      const entry = script[next++];
      if (entry === undefined) {
        return yield { type: "error", kind: "other", message: "the script has no reply left", usage: null };
      }
      const reply = typeof entry === "function" ? await entry(request) : entry;
      yield* play(reply, requests.length, signal);
    },
    done() {
      if (next < script.length) throw new Error(`${script.length - next} replies were not asked for`);
    },
  };
}

async function* play(reply: ScriptedReply, number: number, signal: AbortSignal): AsyncGenerator<ModelPart> {
  if (reply.after !== undefined) {
    await Promise.race([
      reply.after,
      new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true })),
    ]);
  }
  if (signal.aborted) return yield { type: "error", kind: "aborted", message: "stopped", usage: null };
  const { text = "", reasoning, calls = [], error } = reply;
  if (reasoning !== undefined) yield { type: "reasoning-delta", text: reasoning };
  if (text !== "") yield { type: "text-delta", text };
  if (error !== undefined) return yield { type: "error", ...error, usage: reply.usage ?? null };
  for (const [index, { id = `call-${number}-${index}`, ...call }] of calls.entries()) {
    yield { type: "call", call: { id, ...call } };
  }
  yield {
    type: "end",
    usage: reply.usage === undefined ? someUsage() : reply.usage,
    stop: reply.stop ?? (calls.length > 0 ? "calls" : "end"),
    notes: [],
    ...(reply.opaque === undefined ? {} : { opaque: reply.opaque }),
  };
}
