import type { Json } from "../schema/index.ts";
import type { ModelCall } from "../ports/index.ts";
import type { StreamPart } from "./sdk.ts";
import { isObject } from "./to-prompt.ts";

/** How much is kept of an input that is not what it should be. */
const LONGEST_INVALID = 8192;

/** What walks a value by recursion must not be brought down by what a model wrote. */
const DEEPEST = 100;

export function readCall(part: Extract<StreamPart, { type: "tool-call" }>, offered: ReadonlySet<string>): ModelCall {
  const call = { id: part.toolCallId, tool: part.toolName };
  const kept = part.input.slice(0, LONGEST_INVALID);
  const input = parsed(part.input);
  if (input === undefined) return { ...call, input: kept, invalid: "its input is not JSON" };
  if (!isObject(input)) return { ...call, input: kept, invalid: "its input is not a JSON object" };
  if (isDeep(input)) return { ...call, input: kept, invalid: `its input is nested more than ${DEEPEST} deep` };
  return offered.has(part.toolName) ? { ...call, input } : { ...call, input, invalid: "no such tool was offered" };
}

function parsed(text: string): Json | undefined {
  // A call without input comes as nothing at all from some endpoints.
  if (text.trim() === "") return {};
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function isDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; depth <= DEEPEST; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
