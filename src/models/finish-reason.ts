// Why a turn ended. The SDK's word for it is taken, except where that word would make a whole answer of half of one,
// or half of one of a whole: then what the provider itself said decides.
import type { StreamPart } from "./sdk.ts";

type FinishReason = Extract<StreamPart, { type: "finish" }>["finishReason"];

type Ending = Exclude<FinishReason["unified"], "other"> | "too-long";

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
  ["model_length", "length"], // Mistral
  ["tool_use", "tool-calls"], // Claude behind a gateway
  ["tool_call", "tool-calls"], // Cohere
  ["refusal", "content-filter"], // Claude behind a gateway
  ["safety", "content-filter"], // Gemini behind a gateway
  ["sensitive", "content-filter"], // Z.ai
  ["error_toxic", "content-filter"], // Cohere
]);

/** A reason that nobody knows is no reason to take what came for an answer. Calls that came are whole. */
export function endingOf({ unified, raw = "" }: FinishReason, calls: number): Ending {
  const said = raw.toLowerCase();
  const mistaken = MISTAKEN.get(said);
  if (mistaken !== undefined) return mistaken;
  if (unified !== "other") return unified;
  return KNOWN.get(said) ?? (calls > 0 ? "tool-calls" : said === "" ? "interrupted" : "error");
}
