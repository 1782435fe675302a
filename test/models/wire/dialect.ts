import type { WireAnswer, WireFailure } from "./reply.ts";

/** One event of a stream: its name, where the provider names events, and its data. */
export interface WireEvent {
  readonly event?: string;
  readonly data: unknown;
  /** The first words of the answer have been said with this one. */
  readonly spoken?: true;
}

/** What a request said, in words that fit every provider. */
export interface Said {
  readonly model: string;
  readonly system: string;
  /** Texts of users and assistants, in order. */
  readonly texts: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: unknown }[];
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** Of an endpoint that has no word for a tool that failed, none ever did. */
  readonly results: readonly { readonly text: string; readonly isError: boolean }[];
  readonly maxOutputTokens: number | undefined;
  readonly key: string | undefined;
}

/** How one provider speaks. */
export interface Dialect {
  /** The paths at which it answers; anything else is 404. */
  readonly path: RegExp;
  events(answer: WireAnswer, n: number): WireEvent[];
  /** The event that says "overloaded" in the middle of a stream. */
  overloaded(): WireEvent;
  failure(kind: WireFailure, message: string | undefined): { readonly status: number; readonly body: unknown };
  said(body: unknown, headers: Readonly<Record<string, string>>, path: string): Said;
  /** What it sends at the very end of a complete stream. */
  readonly closing?: string;
}

/** The text of a content that is a string, or parts some of which hold text. */
export type Content = string | readonly { readonly text?: string }[] | undefined;

export const textOf = (content: Content): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");

/** OpenAI has no word for a tool that failed; the SDK writes it into the text. */
export function resultOf(text: string): Said["results"][number] {
  const wrapped = /^\{"error":(".*")\}$/s.exec(text)?.[1];
  return { text: wrapped === undefined ? text : (JSON.parse(wrapped) as string), isError: wrapped !== undefined };
}
