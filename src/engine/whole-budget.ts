import { openLedger, wholeCap } from "../domain/budgets.ts";
import type { Capabilities, ReserveAnswer } from "../ports/index.ts";
import {
  type Cost,
  type FailReason,
  NOTHING,
  type ReservationId,
  type Reserved,
  type TaskView,
} from "../schema/index.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";
import type { RunResult } from "./run-backend.ts";
import type { Slot } from "./slot.ts";
import { whenSettled } from "./when-settled.ts";

/** Of what nothing limits nobody knows how much it will be. */
const UNKNOWN: Cost = { microUsd: null, tokens: 0 };

const UNSTARTED: ReadonlySet<FailReason> = new Set(["backend_unavailable", "refused"] as const);

/**
 * What is set aside for a backend that cannot say what one call costs: all that is left. What nobody settles of it counts as
 * spent when the attempt ends, also where its worker was killed.
 */
export class WholeBudget {
  readonly #journal: Journal;
  readonly #task: TaskView;
  /** At first what admission has set aside. */
  #held: Reserved | null;
  #isTaken = false;
  /** What the backend has told by now, and was settled. */
  #told: Cost = NOTHING;

  constructor(journal: Journal, task: TaskView) {
    this.#journal = journal;
    this.#task = task;
    this.#held = task.reserved;
  }

  /** Before the backend is launched, or goes on. False: nothing of the budget is left. */
  async take(parts: RunningParts, slot: Slot, until: AbortSignal, { usage }: Capabilities): Promise<boolean> {
    // Another of the task's backends would have needed it: this one reserves call by call.
    if (usage === "per-call") this.giveBack();
    else {
      const id = parts.mint.id("rsrv");
      const journal = this.#journal;
      const reserve = () => journal.reserve(id, "whole", "whole");
      const whole = () => whenSettled(parts, { journal, slot }, reserve, until);
      const held = this.#held ?? (await this.#setAside(id, usage, whole));
      if (held === "short") return false;
      this.#held = held;
    }
    this.#isTaken = true;
    return true;
  }

  /** All that the backend may take from its start on. Null: of money, nothing limits it. */
  get mostMicroUsd(): number | null {
    const microUsd = this.#held?.amount.microUsd ?? null;
    return microUsd === null ? null : microUsd + (this.#told.microUsd ?? 0);
  }

  /** It has its answer, and uses nothing while that is judged: whoever judges it needs what is left. */
  tell(told: Cost | undefined): void {
    if (this.#held === null || told === undefined) return;
    const { amount } = this.#held;
    const { microUsd, tokens } = since(told, this.#told);
    this.#told = told;
    // What nobody can price may have cost all that was set aside.
    if (microUsd === null && amount.microUsd !== null) this.#settle({ microUsd: amount.microUsd, tokens }, true);
    else this.#settle({ microUsd, tokens });
  }

  async settle(parts: RunningParts, result: RunResult): Promise<void> {
    this.tell("spent" in result ? result.spent : undefined);
    if (this.#held !== null && (await this.#isUnstarted(parts, result))) this.#settle(NOTHING);
  }

  /** Nothing was launched for it. */
  giveBack(): void {
    if (!this.#isTaken) this.#settle(NOTHING);
  }

  #settle(spent: Cost, isBound?: true): void {
    if (this.#held === null) return;
    this.#journal.soon({ type: "settle", reservation: this.#held.id, spent, ...(isBound ? { isBound } : {}) });
    this.#held = null;
  }

  async #setAside(
    id: ReservationId,
    usage: Capabilities["usage"],
    reserve: () => Promise<ReserveAnswer>,
  ): Promise<Reserved | "short" | null> {
    const { parent, limits } = this.#task.spec;
    const isUnlimited = parent === null && wholeCap([openLedger(limits.budget)]) === null; // then nobody has to be asked
    const answer = isUnlimited ? null : await reserve();
    if (answer?.kind === "short") return "short";
    const amount = answer?.amount ?? null;
    if (amount !== null) return { id, amount };
    if (usage === "none") return null;
    // What it takes is written down all the same, be it that nobody knows how much.
    await this.#journal.reserve(id, UNKNOWN, "whole");
    return { id, amount: UNKNOWN };
  }

  /** Whoever was not there, or would not begin, has taken nothing; the same reasons come in the middle of work, too. */
  async #isUnstarted({ store }: RunningParts, result: RunResult): Promise<boolean> {
    if (result.kind !== "failed" || !UNSTARTED.has(result.reason)) return false;
    await this.#journal.written();
    const { id, turns, calls } = this.#task;
    const now = await store.task(id);
    return now !== undefined && now.turns === turns && now.calls.made === calls.made;
  }
}

/** A backend tells all that it has taken by then. */
const since = (told: Cost, before: Cost): Cost => ({
  microUsd: told.microUsd === null ? null : Math.max(0, told.microUsd - (before.microUsd ?? 0)),
  tokens: Math.max(0, told.tokens - before.tokens),
});
