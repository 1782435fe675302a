// What is put before a model has to fit its window. Old turns are summed up first; where none is left, the results of
// the last one are shortened. Both are in the log: an attempt that goes on shows the same.
import type { Attempt, AttemptScope, Model } from "../ports/index.ts";
import { estimateRequest, type ModelWish } from "./call-model.ts";
import { compact, isFull } from "./compact.ts";
import type { Conversation } from "./conversation.ts";
import type { LoopParts } from "./loop-parts.ts";
import { planFor } from "./plan.ts";
import { shortenResults, tokensOf } from "./shorten-results.ts";

/** The newest turns that fit this share stay as they are, where that is enough. */
const KEPT = 0.3;
/** By our own estimate, which is rather too high, a result stays as long as this. */
const LEAST_CHARS = 2_000;
/** A provider that says that it is too long knows: then this, and so much of what was shown at each try. */
const LEAST_CHARS_TOLD = 500;
const SHARE_TOLD = 0.25;

export class Room {
  readonly #parts: LoopParts;
  readonly #attempt: Attempt;
  readonly #scope: AttemptScope;
  readonly #model: Model;
  readonly #conversation: Conversation;
  /** No summary could be had of what is too long now: it would cost, and fail, at every step. Until it fits again. */
  #isOnlyCut = false;

  constructor(parts: LoopParts, attempt: Attempt, scope: AttemptScope, model: Model, conversation: Conversation) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#scope = scope;
    this.#model = model;
    this.#conversation = conversation;
  }

  /** The wish, made anew after each step until it fits, or nothing more can be done. `null`: no model is asked for a summary. */
  async fit(wishNow: () => ModelWish, until: AbortSignal | null): Promise<ModelWish> {
    const wish = wishNow();
    if (!isFull(this.#model, estimateRequest(wish.messages, wish.tools), wish.maxOutputTokens)) {
      this.#isOnlyCut = false;
      return wish;
    }
    await this.#compact(KEPT, until);
    if (this.#over(wishNow()) > 0) await this.#compact(0, until);
    const over = this.#over(wishNow());
    if (over > 0) await this.#shorten((tokens) => tokens - over, LEAST_CHARS);
    return wishNow();
  }

  /** After a provider has said that it is too long, by how much nobody knows. False: there is no more to be had. */
  async more(until: AbortSignal): Promise<boolean> {
    if (await this.#compact(0, until)) return true;
    return this.#shorten((tokens) => tokens * SHARE_TOLD, LEAST_CHARS_TOLD);
  }

  /** By how many tokens it is too long. A model that may reply with more than half of its window seldom does. */
  #over({ messages, tools, maxOutputTokens }: ModelWish): number {
    const { contextTokens } = this.#model;
    return estimateRequest(messages, tools) - Math.max(contextTokens - maxOutputTokens, contextTokens / 2);
  }

  async #compact(kept: number, until: AbortSignal | null): Promise<boolean> {
    const plan = async (): Promise<string> => {
      const text = this.#scope.redact(await this.#parts.planOf(this.#attempt));
      return planFor(text, this.#attempt.own.plan, this.#model.contextTokens);
    };
    const of = { scope: this.#scope, model: this.#model, conversation: this.#conversation, plan };
    const compacted = await compact(of, kept, this.#isOnlyCut ? null : until);
    this.#isOnlyCut ||= compacted === "cut";
    return compacted !== null;
  }

  async #shorten(roomOf: (tokens: number) => number, leastChars: number): Promise<boolean> {
    const turn = this.#conversation.last;
    if (turn === undefined) return false;
    const { keepWhole, wholeAt } = this.#parts;
    const results = await shortenResults(turn, roomOf(tokensOf(turn)), leastChars, async (call, { text, truncated }) =>
      truncated ? wholeAt(this.#attempt, call) : keepWhole(this.#attempt, call, text),
    );
    if (results.length === 0) return false;
    const event = { type: "results.shortened", results } as const;
    await this.#scope.append(event);
    this.#conversation.add(event);
    return true;
  }
}
