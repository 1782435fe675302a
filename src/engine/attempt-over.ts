/** Why an attempt must end although its backend is not done. */
export type OverReason =
  | { readonly kind: "stopped"; readonly by: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "shutdown" }
  /** Another worker holds the task now: nothing more is ours to say. */
  | { readonly kind: "lost" };

/** The reason of an aborted attempt's signal. Backends may let it pass through them. */
class AttemptOver extends Error {
  readonly over: OverReason;

  constructor(over: OverReason) {
    super(`the attempt is over: ${over.kind}`);
    this.name = "AttemptOver";
    this.over = over;
  }
}

/** One for all: every attempt that has ended says this to whatever still runs of it, and most often nothing does. */
const LOST = new AttemptOver({ kind: "lost" });

export const attemptOver = (over: OverReason): AttemptOver => (over.kind === "lost" ? LOST : new AttemptOver(over));

/** Why the attempt behind this signal is over; `undefined` while it is not. */
export const overReason = (signal: AbortSignal): OverReason | undefined =>
  signal.aborted && signal.reason instanceof AttemptOver ? signal.reason.over : undefined;
