// Why a turn ended. The SDK's word for it is taken, except where that word would make a whole answer of half of one,
// or half of one of a whole: then what the provider itself said decides.
import type { StreamPart } from "./sdk.ts";

type FinishReason = Extract<StreamPart, { type: "finish" }>["finishReason"];

type Ending = Exclude<FinishReason["unified"], "other"> | "too-long" | "no-call";

/** The SDK has a word for these, and it is another one. */
const MISTAKEN: ReadonlyMap<string, Ending> = new Map([
  // Anthropic: the turn was too long to be made at once. What came is half of it.
  ["pause_turn", "length"],
  // Anthropic, Z.ai: not the answer is too long, what was sent is.
  ["model_context_window_exceeded", "too-long"],
]);

/** The SDK knows these as `other`, and they are in use. Written as they are sent, but for capitals. */
const KNOWN: ReadonlyMap<string, Ending> = new Map([
  ["eos", "stop"], // Together
  ["eos_token", "stop"], // Text Generation Inference
  ["stop_sequence", "stop"], // the same; Claude behind a gateway
  ["end_turn", "stop"], // Claude behind a gateway
  ["complete", "stop"], // Cohere
  ["stop", "stop"], // Gemini behind a gateway, as STOP
  ["max_tokens", "length"], // Claude, Cohere and Gemini behind a gateway
  ["max_output_tokens", "length"], // Responses behind a gateway
  ["max_length", "length"], // servers of one's own
  ["model_length", "length"], // Mistral
  ["tool_use", "tool-calls"], // Claude behind a gateway
  ["tool_call", "tool-calls"], // Cohere
  ["refusal", "content-filter"], // Claude behind a gateway
  ["safety", "content-filter"], // Gemini behind a gateway, and the next four
  ["prohibited_content", "content-filter"],
  ["recitation", "content-filter"],
  ["blocklist", "content-filter"],
  ["spii", "content-filter"],
  ["content_filtered", "content-filter"], // Bedrock behind a gateway, and the next
  ["guardrail_intervened", "content-filter"],
  ["sensitive", "content-filter"], // Z.ai
  ["error_toxic", "content-filter"], // Cohere
]);

/** OpenAI's Responses may say by their last event that they are not whole, and nothing about why. */
export const INCOMPLETE = "incomplete";

/** Broken off in the middle: the last call that came may be half of one. */
const BROKEN_OFF: ReadonlySet<string> = new Set([
  INCOMPLETE,
  "error",
  "abort",
  "timeout",
  "network_error", // Z.ai
  "insufficient_system_resource", // DeepSeek
]);

/** A turn that ended for a call, and has none, has lost it: what came with it is no answer. */
export function endingOf(reason: FinishReason, calls: number): Ending {
  const ending = saidBy(reason, calls);
  return ending === "tool-calls" && calls === 0 ? "no-call" : ending;
}

/** A reason that nobody knows is no reason to take what came for an answer. Calls that came before it are made. */
function saidBy({ unified, raw = "" }: FinishReason, calls: number): Ending {
  const said = raw.toLowerCase();
  const mistaken = MISTAKEN.get(said);
  if (mistaken !== undefined) return mistaken;
  if (unified !== "other") return unified;
  if (BROKEN_OFF.has(said)) return "error";
  return KNOWN.get(said) ?? (said === "" ? "interrupted" : calls > 0 ? "tool-calls" : "error");
}
