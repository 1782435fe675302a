// What a model was asked and said, as far as the log keeps it.
import * as z from "zod";
import { Json } from "./json.ts";

const count = z.int().nonnegative();

/** `inputTokens` is all of the input, with what came from a cache or went into one. */
export const ModelUsage = z.strictObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
});
export type ModelUsage = z.infer<typeof ModelUsage>;

export const ModelCall = z.strictObject({
  /** The model's own name for it. */
  id: z.string(),
  tool: z.string(),
  /** What the model sent; where it was not JSON, its text. */
  input: Json,
  /** Why it cannot be run: it was not a JSON object, or no such tool was offered. The model can be told. */
  invalid: z.string().optional(),
});
export type ModelCall = z.infer<typeof ModelCall>;

export const ModelStop = z.enum(["end", "calls", "length", "refused"]);
export type ModelStop = z.infer<typeof ModelStop>;

/** Why a call of a model failed, as far as it matters for what is done next. */
export const ModelFault = z.enum(["rate_limited", "unavailable", "auth", "too-long", "other"]);
export type ModelFault = z.infer<typeof ModelFault>;
