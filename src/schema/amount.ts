// Money and tokens. Money is counted in millionths of a US dollar, as integers: budgets are compared
// after thousands of additions, and floating-point dollars drift.
import * as z from "zod";

const count = z.int().nonnegative();

export const Amount = z.strictObject({ microUsd: count, tokens: count });
export type Amount = z.infer<typeof Amount>;

/** What one call costs, or may cost at the most. `microUsd` is `null` where nobody knows the price. */
export const Cost = z.strictObject({ microUsd: count.nullable(), tokens: count });
export type Cost = z.infer<typeof Cost>;

/** The most that a task and everything below it may spend. `null` is no limit of its own. */
export const Budget = z.strictObject({ microUsd: count.nullable(), tokens: count.nullable() });
export type Budget = z.infer<typeof Budget>;

/**
 * `call`: something is sent on it, and it is settled when that is answered. `whole`: for all that a backend will do. `later`:
 * it is only kept, and given back if nobody came to use it.
 */
export const ReservationUse = z.enum(["call", "whole", "later"]);
export type ReservationUse = z.infer<typeof ReservationUse>;
