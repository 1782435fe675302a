import type { AttemptScope, Model } from "../ports/index.ts";
import { NOTHING, type ReservationId } from "../schema/index.ts";
import { boundOf } from "./call-model.ts";

const INPUT_TOKENS = 6_000;
const OUTPUT_TOKENS = 2_000;

/** What the last words of an agent may cost, set aside from the start: a budget that is used up still has an answer. */
export class HeldBack {
  readonly #scope: AttemptScope;
  readonly #model: Model;
  #reservation: ReservationId | false = false;

  constructor(scope: AttemptScope, model: Model) {
    this.#scope = scope;
    this.#model = model;
  }

  async take(): Promise<void> {
    this.#reservation = await this.#scope.reserve(boundOf(this.#model, INPUT_TOKENS, OUTPUT_TOKENS), "later");
  }

  async release(): Promise<void> {
    const held = this.#reservation;
    this.#reservation = false;
    if (held !== false) await this.#scope.settle(held, NOTHING);
  }
}
