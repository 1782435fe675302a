// One turn of a language model, as parts of ours. Whatever the stream does, this ends with one `end` or `error`.
import type { Json } from "../schema/index.ts";
import type { ModelPart, ModelUsage } from "../ports/index.ts";
import { endingOf, INCOMPLETE } from "./finish-reason.ts";
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

export interface TurnReader {
  /** What of it is for the caller. After an `error` there is nothing more. */
  see(part: StreamPart): ModelPart | undefined;
  /** When nothing more comes. */
  end(): ModelPart;
}

/** Without a stream of its own: a part is looked at where it comes out of the provider's. */
export function readTurn({ model, tools, bounds, notes: given, fail }: TurnContext): TurnReader {
  const opaque = collectOpaque(model);
  const notes = [...given];
  const chars = { "text-delta": 0, "reasoning-delta": 0 };
  const inputs = new Map<string, number>();
  const ids = new Set<string>();
  let finish: Finish | undefined;
  let isIncomplete = false;

  return {
    see(sent) {
      const part = sent.type === "tool-call" ? { ...sent, toolCallId: unused(sent.toolCallId, ids) } : sent;
      opaque.see(part);
      if (part.type === "error") return fail(part.error);
      if (part.type === "raw") isIncomplete ||= saysIncomplete(part.rawValue);
      if (part.type === "finish") finish = isIncomplete ? withReason(part) : part;
      if (part.type === "stream-start") notes.push(...part.warnings.map(noteOf));
      if (part.type === "text-delta" || part.type === "reasoning-delta") {
        chars[part.type] += part.delta.length;
        if (chars[part.type] > bounds.textChars) return oversized("text", bounds.textChars);
        if (part.delta !== "") return { type: part.type, text: part.delta };
      }
      if (part.type === "tool-input-delta") {
        const length = (inputs.get(part.id) ?? 0) + part.delta.length;
        inputs.set(part.id, length);
        if (length > bounds.toolInputChars) return oversized("call", bounds.toolInputChars);
      }
      if (part.type === "tool-call") {
        if (part.input.length > bounds.toolInputChars) return oversized("call", bounds.toolInputChars);
        return { type: "call", call: readCall(part, tools) };
      }
      return undefined;
    },
    end: () =>
      finish === undefined
        ? cut(null)
        : ending(finish, { calls: ids.size, opaque: opaque.result(), notes: notes.slice(0, 20) }),
  };
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
  switch (endingOf(finishReason, calls)) {
    case "interrupted":
      return cut(null);
    case "error":
      // Of an overloaded endpoint, or Gemini's when it cannot write down a call of its own. Another try may do it.
      return {
        type: "error",
        kind: "unavailable",
        message: `the model gave up: ${reasonIn(finishReason)}`,
        usage: spent,
      };
    case "no-call":
      return {
        type: "error",
        kind: "unavailable",
        message: `the model stopped to call a tool (${reasonIn(finishReason)}), and no call came`,
        usage: spent,
      };
    case "too-long":
      return {
        type: "error",
        kind: "too-long",
        message: "the window was full before the answer was complete",
        usage: spent,
      };
    case "content-filter":
      return end("refused");
    case "length":
      return end("length");
    case "stop":
    case "tool-calls":
      return end(calls > 0 ? "calls" : "end");
  }
}

/** The SDK takes it for whole where it says nothing about why. */
const saysIncomplete = (event: unknown): boolean =>
  typeof event === "object" && event !== null && "type" in event && event.type === "response.incomplete";

const withReason = (finish: Finish): Finish =>
  (finish.finishReason.raw ?? "") === "" ? { ...finish, finishReason: { unified: "other", raw: INCOMPLETE } } : finish;

const reasonIn = ({ raw = "" }: Finish["finishReason"]): string =>
  raw === "" ? "the provider gave no reason" : raw.slice(0, 100);

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
