import type { AttemptScope, HeldAmount, Model } from "../ports/index.ts";
import type { Cost } from "../schema/index.ts";
import { boundOf } from "./call-model.ts";

const INPUT_TOKENS = 6_000;
const OUTPUT_TOKENS = 2_000;
/** Of what is left, at the most: what is kept for the end must not keep the work from being done. */
const SHARE = 0.25;

const TOO_LITTLE =
  "A quarter of the budget is held back for last words, and they may cost more: when the budget is used up, there may be none.";

/** What the last words of an agent may cost, set aside from the start: a budget that is used up still has an answer. */
export class HeldBack {
  readonly #scope: AttemptScope;
  readonly #model: Model;
  #held: Promise<HeldAmount | null> | undefined;
  #isSaid = false;

  constructor(scope: AttemptScope, model: Model) {
    this.#scope = scope;
    this.#model = model;
  }

  /** Once, and nobody waits for it: it is written with the reservation of the first call. */
  take(): void {
    if (this.#held !== undefined) return;
    this.#held = this.#take();
    this.#held.catch(() => undefined); // the call fails alike
  }

  /** By what it is kept: a call is reserved instead of it. */
  async kept(): Promise<HeldAmount["reservation"] | undefined> {
    if (this.#held === undefined) return undefined;
    await this.#scope.append(); // it may stand open
    return (await this.#held)?.reservation;
  }

  /** It was given up for the call that it was kept for. */
  given(): void {
    this.#held = undefined;
  }

  /** Written with what the failed call has cost, so that nobody takes it in between. */
  again(amount: Cost): void {
    this.#held = this.#scope.holdBack(amount, 1).then((held) => (typeof held === "string" ? null : held));
    this.#held.catch(() => undefined); // the next call fails alike
  }

  async #take(): Promise<HeldAmount | null> {
    const wish = boundOf(this.#model, INPUT_TOKENS, OUTPUT_TOKENS);
    const held = await this.#scope.holdBack(wish, SHARE);
    if (held === "unlimited" || held === "nothing left") return null;
    const isLess = held.amount.tokens < wish.tokens || (held.amount.microUsd ?? 0) < (wish.microUsd ?? 0);
    if (isLess && !this.#isSaid) this.#scope.soon({ type: "note.taken", level: "info", text: TOO_LITTLE });
    this.#isSaid ||= isLess;
    return held;
  }
}
