// Backends that were limited or not to be reached: for a while nothing is sent to them by itself.
import * as z from "zod";
import { BackendName } from "./agent.ts";

export const CoolDown = z.strictObject({
  /** Whose limits were hit: the variables that hold its key, or the backend itself. */
  account: z.string().min(1),
  backend: BackendName,
  until: z.int(),
  /** How often in a row. */
  times: z.int().positive(),
  why: z.string(),
});
export type CoolDown = z.infer<typeof CoolDown>;

/** What is known of a limit when it is hit. */
export interface Limited extends Pick<CoolDown, "account" | "backend" | "why"> {
  /** How long it wants to be left alone, where it said so. */
  readonly retryAfterMs?: number | undefined;
}
