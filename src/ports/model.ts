import type { Amount, Effort, Json, ModelCall, ModelStop, ModelUsage } from "../schema/index.ts";

export type { Effort, ModelCall, ModelStop, ModelUsage } from "../schema/index.ts";

/**
 * What has been said so far. System messages stand first; one that stands later is sent as the user's, because
 * not every provider takes it there.
 */
export type ModelMessage =
  | { readonly role: "system" | "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ModelCall[]; readonly opaque?: Json }
  | { readonly role: "tool"; readonly call: string; readonly text: string; readonly isError: boolean };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Of everything that is written, reasoning included. */
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly effort?: Effort | undefined;
  /** How many replies the conversation has had, with those that were summed up since. Absent: all are in the messages. */
  readonly repliesBefore?: number | undefined;
  /** A question beside the conversation, such as for a summary of it: the reply is no part of it. */
  readonly isAside?: boolean | undefined;
}

export type ModelErrorKind =
  /** Too many requests, or the quota is used up. */
  | "rate_limited"
  /** The provider, or the way to it, failed. The same request may succeed later. */
  | "unavailable"
  /** The key, its rights or the account. */
  | "auth"
  /** The request does not fit the model's window. */
  | "too-long"
  /** The caller's signal was aborted. */
  | "aborted"
  /** Anything else. The same request would fail again. */
  | "other";

export type ModelPart =
  | { readonly type: "text-delta" | "reasoning-delta"; readonly text: string }
  | { readonly type: "call"; readonly call: ModelCall }
  | {
      readonly type: "end";
      /** `null`: the provider did not say. */
      readonly usage: ModelUsage | null;
      readonly stop: ModelStop;
      readonly opaque?: Json;
      /** What of the request the model could not follow, for people. */
      readonly notes: readonly string[];
    }
  | {
      readonly type: "error";
      readonly kind: ModelErrorKind;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
      /** `null`: the call may have been paid for, and nobody knows how much. Count what was reserved. */
      readonly usage: ModelUsage | null;
    };

/**
 * One model of one provider, one call at a time.
 *
 * - A stream MUST end with exactly one `end` or `error`, also when it is cut, aborted or empty; it MUST NOT throw.
 *   It MUST NOT retry by itself: the loop owns retries, because every try is paid for.
 * - `end` is for a turn that the provider says is over. One that it broke off, or that ends without a reason, is an
 *   `error`: half an answer would pass for a whole one.
 * - A call is given only when it is complete. Calls of a stream that ends in `error` MUST NOT be run.
 * - `priceOf` says `null` when the price is not known. Never a guess, and never zero. An upper bound for a call that
 *   is still to be made counts all of its input as written to the cache, which is the dearest kind.
 * - `opaque` is what the provider wants back unchanged: signatures of reasoning, ids of its items, for the text and
 *   for every call. It is JSON, goes with the assistant's message, and nobody else reads it. A model that did not
 *   make it ignores it.
 */
export interface Model {
  /** `provider/model`, with nothing left to resolve. */
  readonly name: string;
  readonly contextTokens: number;
  /** What to ask for where nobody says; never more than the model can write. */
  readonly maxOutputTokens: number;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
  priceOf(usage: ModelUsage): Amount | null;
}
