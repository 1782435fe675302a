// What a scripted server answers, in words that fit every provider.
import type { Json } from "../../../src/schema/index.ts";

export type WirePart =
  /** `signature` is what the provider wants back: Anthropic's signature, OpenAI's encrypted reasoning, Google's thought signature. */
  | { readonly reasoning: string; readonly signature?: string }
  | { readonly text: string }
  /** `raw` instead of `input`: what the model wrote, JSON or not. */
  | { readonly call: string; readonly id?: string; readonly input?: Json; readonly raw?: string };

/** As a provider would bill it: `input` is everything, `output` includes `reasoning`. */
export interface WireUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

export interface WireAnswer {
  readonly parts: readonly WirePart[];
  /** `null`: the provider says nothing about it. */
  readonly usage?: WireUsage | null;
  readonly stop?: "length" | "refused";
  /** Why it ended, in the provider's own word. `null`: it does not say. */
  readonly because?: string | null;
  /** The connection breaks half-way (`socket`), or ends politely too early (`politely`). */
  readonly cut?: "socket" | "politely";
  /** After the first words nothing more comes until this resolves. */
  readonly hold?: Promise<unknown>;
  /** Everything but the last event has come, and that waits until this resolves. */
  readonly holdEnd?: Promise<unknown>;
  /** After the first words the provider says that it is overloaded, in the stream. */
  readonly overloaded?: true;
}

export type WireFailure =
  | "auth"
  | "forbidden"
  | "not-found"
  | "rate-limited"
  | "server-error"
  | "overloaded"
  | "overflow"
  | "bad-request";

export type WireReply =
  | WireAnswer
  | { readonly failure: WireFailure; readonly retryAfter?: string; readonly message?: string }
  /** A stream with no event in it. */
  | { readonly nothing: true }
  /** Exactly these bytes. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string };

export const say = (text: string, usage?: WireUsage): WireAnswer => ({
  parts: [{ text }],
  ...(usage === undefined ? {} : { usage }),
});

export const callTool = (name: string, input: Json, id?: string): WirePart => ({
  call: name,
  input,
  ...(id === undefined ? {} : { id }),
});

export const USAGE: WireUsage = { input: 20, output: 8 };

/** What the model wrote as the input of a call. */
export const written = (part: Extract<WirePart, { call: string }>): string =>
  part.raw ?? JSON.stringify(part.input ?? {});

/** A text in a few pieces, as tokens come. */
export function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}
