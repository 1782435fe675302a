import type { Amount, Json } from "../schema/index.ts";

export type ModelMessage =
  | { readonly role: "system" | "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ModelCall[]; readonly opaque?: Json }
  | { readonly role: "tool"; readonly call: string; readonly text: string; readonly isError: boolean };

export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  /** What the model sent. `invalid`: it was not JSON, or no such tool was offered. */
  readonly input: Json;
  readonly invalid?: string | undefined;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
}

export type ModelPart =
  | { readonly type: "text-delta" | "reasoning-delta"; readonly text: string }
  | { readonly type: "call"; readonly call: ModelCall }
  | {
      readonly type: "end";
      readonly usage: ModelUsage;
      readonly stop: "end" | "calls" | "length" | "refused";
      readonly opaque?: Json;
    }
  | {
      readonly type: "error";
      readonly kind: "rate_limited" | "unavailable" | "auth" | "too-long" | "other";
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    };

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/**
 * One model of one provider, one call at a time.
 *
 * - A stream MUST end with exactly one `end` or `error`. It MUST NOT retry by itself: the loop owns retries,
 *   because every try is paid for.
 * - `priceOf` says `null` when the price is not known. Never a guess, and never zero.
 * - `opaque` is what the provider wants back unchanged (signatures of reasoning); nobody else reads it.
 */
export interface Model {
  readonly name: string;
  readonly contextTokens: number;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
  priceOf(usage: ModelUsage): Amount | null;
}
