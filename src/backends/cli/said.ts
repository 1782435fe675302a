// What a CLI says, in our words. Each translator turns one CLI's lines into these, and knows nothing else.
import type { ToolUse } from "../../ports/index.ts";
import type { Effect, FailReason, Json, ModelUsage } from "../../schema/index.ts";

/** What a CLI's own conversation has cost so far, all of its runs together. */
export interface Totals extends ModelUsage {
  /** In millionths of a US dollar; `null` where the CLI does not say. */
  readonly microUsd: number | null;
}

/** A tool that is about to be used, in a CLI that asks first. */
export interface WantedTool {
  readonly tool: string;
  readonly use: ToolUse;
  readonly input: Json;
  /** Why it cannot be allowed, whatever the policy says. */
  readonly problem?: string | undefined;
}

export type Said =
  /** Its own name for the conversation, by which it can be gone on with. */
  | { readonly kind: "session"; readonly id: string }
  /** A reply of the model has begun. */
  | { readonly kind: "turn" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "part"; readonly of: "text" | "reasoning"; readonly text: string }
  /** `reply` is what the CLI is told. */
  | {
      readonly kind: "wants";
      readonly id: string;
      readonly wanted: WantedTool;
      readonly reply: (isAllowed: boolean, rule: string) => string;
    }
  /** A tool that it asked for has ended. */
  | { readonly kind: "returned"; readonly id: string; readonly ok: boolean; readonly output: string }
  /** A tool was used, and nobody was asked. */
  | {
      readonly kind: "used";
      readonly tool: string;
      readonly effect: Effect;
      readonly input: Json;
      readonly ok: boolean;
      readonly output: string;
    }
  | { readonly kind: "note"; readonly level: "info" | "warning"; readonly text: string }
  | { readonly kind: "totals"; readonly totals: Totals }
  | { readonly kind: "answer"; readonly text: string; readonly output?: Json | undefined }
  | { readonly kind: "failure"; readonly reason: FailReason; readonly message: string }
  /** To be written to it as it is. */
  | { readonly kind: "tell"; readonly text: string }
  /** It is done with what it was told: it may be told more, or let go. */
  | { readonly kind: "idle" };

export interface Translator {
  /** One line of its output that was a JSON object. Never throws, whatever it holds. */
  take(line: Readonly<Record<string, unknown>>): readonly Said[];
  /**
   * For a program that speaks no JSON: every line of its output, and of what it complains about, goes here instead. It
   * has no last event, so that it has answered only if it also exits with 0.
   */
  readonly plain?:
    | { readonly out: (line: string) => readonly Said[]; readonly err: (line: string) => void }
    | undefined;
  /** There is no more. What was put together from pieces and not said yet. */
  rest(): readonly Said[];
}
