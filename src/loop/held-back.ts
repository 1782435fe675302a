import type { AttemptScope, Model } from "../ports/index.ts";
import { NOTHING, type ReservationId } from "../schema/index.ts";
import { boundOf } from "./call-model.ts";

const INPUT_TOKENS = 6_000;
const OUTPUT_TOKENS = 2_000;

/** What the last words of an agent may cost, set aside from the start: a budget that is used up still has an answer. */
export class HeldBack {
  readonly #scope: AttemptScope;
  readonly #model: Model;
  #reservation: Promise<ReservationId | false> | undefined;

  constructor(scope: AttemptScope, model: Model) {
    this.#scope = scope;
    this.#model = model;
  }

  /** Once, and nobody waits for it: it is written with the reservation of the first call. */
  take(): void {
    if (this.#reservation !== undefined) return;
    this.#reservation = this.#scope.reserve(boundOf(this.#model, INPUT_TOKENS, OUTPUT_TOKENS), "later");
    this.#reservation.catch(() => undefined); // the call fails alike
  }

  async release(): Promise<void> {
    const held = await this.#reservation;
    this.#reservation = undefined;
    if (held !== undefined && held !== false) this.#scope.soon({ type: "settle", reservation: held, spent: NOTHING });
  }
}
