// One turn of a language model, as parts of ours. Whatever the stream does, this ends with one `end` or `error`.
import type { Json } from "../schema/index.ts";
import type { ModelPart, ModelUsage } from "../ports/index.ts";
import { collectOpaque } from "./opaque.ts";
import type { StreamPart, Warning } from "./sdk.ts";
import { readCall } from "./read-call.ts";
import { toUsage } from "./usage.ts";
import type { Bounds } from "./watched-fetch.ts";

export interface TurnContext {
  readonly model: string;
  readonly tools: ReadonlySet<string>;
  readonly bounds: Bounds;
  /** Notes that were made before the call. */
  readonly notes: readonly string[];
  readonly fail: (error: unknown) => ModelPart;
}

type Finish = Extract<StreamPart, { type: "finish" }>;

export async function* readTurn(parts: AsyncIterable<StreamPart>, context: TurnContext): AsyncGenerator<ModelPart> {
  const { bounds, fail } = context;
  const opaque = collectOpaque(context.model);
  const notes = [...context.notes];
  const lengths = new Map<string, number>();
  const ids = new Set<string>();
  let finish: Finish | undefined;

  const tooLong = (what: string, id: string, delta: string, most: number): boolean => {
    const key = `${what}:${id}`;
    const length = (lengths.get(key) ?? 0) + delta.length;
    lengths.set(key, length);
    return length > most;
  };

  for await (const given of parts) {
    const part = given.type === "tool-call" ? { ...given, toolCallId: unused(given.toolCallId, ids) } : given;
    opaque.see(part);
    if (part.type === "error") return yield fail(part.error);
    if (part.type === "finish") finish = part;
    if (part.type === "stream-start") notes.push(...part.warnings.map(noteOf));
    if (part.type === "text-delta" || part.type === "reasoning-delta") {
      if (tooLong(part.type, "", part.delta, bounds.textChars)) return yield oversized("text", bounds.textChars);
      if (part.delta !== "") yield { type: part.type, text: part.delta };
    }
    if (part.type === "tool-input-delta" && tooLong(part.type, part.id, part.delta, bounds.toolInputChars)) {
      return yield oversized("call", bounds.toolInputChars);
    }
    if (part.type === "tool-call") {
      if (part.input.length > bounds.toolInputChars) return yield oversized("call", bounds.toolInputChars);
      yield { type: "call", call: readCall(part, context.tools) };
    }
  }

  yield finish === undefined
    ? cut(null)
    : ending(finish, { calls: ids.size, opaque: opaque.result(), notes: notes.slice(0, 20) });
}

/** Some endpoints give all calls of a turn one id, and then nobody could tell whose a result is. */
function unused(id: string, ids: Set<string>): string {
  let free = id;
  for (let n = 2; ids.has(free); n++) free = `${id}_${n}`;
  ids.add(free);
  return free;
}

interface Turn {
  readonly calls: number;
  readonly opaque: Json | undefined;
  readonly notes: readonly string[];
}

function ending({ usage, finishReason }: Finish, { calls, opaque, notes }: Turn): ModelPart {
  const spent = toUsage(usage);
  const end = (stop: Extract<ModelPart, { type: "end" }>["stop"]): ModelPart => ({
    type: "end",
    usage: spent,
    stop,
    ...(opaque === undefined ? {} : { opaque }),
    notes,
  });
  switch (finishReason.unified) {
    case "interrupted":
      return cut(null);
    case "error":
      // Gemini gives up like this when it cannot write down a call of its own. Another try may.
      return { type: "error", kind: "unavailable", message: `the model gave up: ${finishReason.raw}`, usage: spent };
    case "content-filter":
      return end("refused");
    case "length":
      return end("length");
    case "stop":
    case "tool-calls":
    case "other":
      return end(calls > 0 ? "calls" : "end");
  }
}

const cut = (usage: ModelUsage | null): ModelPart => ({
  type: "error",
  kind: "unavailable",
  message: "the stream ended before the answer was complete",
  usage,
});

const oversized = (what: "text" | "call", most: number): ModelPart => ({
  type: "error",
  kind: "other",
  message: `the model wrote a ${what} of more than ${most} characters; it was stopped`,
  usage: null,
});

function noteOf(warning: Warning): string {
  const text = "message" in warning ? warning.message : [warning.feature, warning.details].filter(Boolean).join(": ");
  return text.slice(0, 300);
}
