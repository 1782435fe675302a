// A tape: a written or recorded script of what an agent says and does. Strict, because people write it.
import * as z from "zod";
import { Json, JsonObject } from "./json.ts";

const text = z.string();

const Say = z.strictObject({ say: text });
const Read = z.strictObject({ read: text, expect: text.optional() });
const Write = z.strictObject({ write: text, content: text });
/** Any tool, by its name: for the native loop. */
const Call = z.strictObject({ call: text, input: JsonObject.default({}), expect: text.optional() });
const Ask = z.strictObject({ ask: text });
const Delegate = z.strictObject({
  delegate: text,
  prompt: text,
  inputs: JsonObject.optional(),
  background: z.boolean().optional(),
});
const Spend = z.strictObject({ spend: z.strictObject({ microUsd: z.int().min(0), tokens: z.int().min(0) }) });
const Pause = z.strictObject({ pause_ms: z.int().min(0).max(3_600_000) });
const Hear = z.strictObject({ hear: text });
const Hang = z.strictObject({ hang: z.literal(true) });
const Crash = z.strictObject({ crash: text });
const Fail = z.strictObject({ fail: z.enum(["refused", "backend_error", "rate_limited"]), message: text });
const Answer = z.strictObject({ answer: text, output: Json.optional() });
const Feedback = z.strictObject({ feedback: text });

/** What may happen at the same time: the tool calls of one turn. */
export const TapeCall = z.union([Read, Write, Call, Ask, Delegate]);
export type TapeCall = z.infer<typeof TapeCall>;

const Together = z.strictObject({ together: z.array(TapeCall).min(1) });

export const TapeStep = z.union([
  Say,
  Read,
  Write,
  Call,
  Ask,
  Delegate,
  Together,
  Spend,
  Pause,
  Hear,
  Hang,
  Crash,
  Fail,
  Answer,
  Feedback,
]);
export type TapeStep = z.infer<typeof TapeStep>;

export const Tape = z.array(TapeStep);
export type Tape = z.infer<typeof Tape>;
