// Questions for the person at the terminal: one at a time, and none that was settled elsewhere meanwhile.
import type { Approval, ApprovalId, Envelope } from "../../schema/index.ts";

type Put = (approval: Approval, signal: AbortSignal) => Promise<void>;

export interface OpenQuestions {
  /** Takes every event: what is asked is put, and taken back when nobody waits for the answer any more. */
  take(envelope: Envelope): void;
  /** Until the last of them is answered or taken back. */
  settled(): Promise<void>;
}

/** `put` gets a signal that is aborted when the answer is no longer wanted, or by `signal`. */
export function openQuestions(put: Put, signal: AbortSignal): OpenQuestions {
  const open = new Map<ApprovalId, { readonly stream: string; readonly over: AbortController }>();
  let last = Promise.resolve();
  const ask = (approval: Approval, stream: string) => {
    const over = new AbortController();
    open.set(approval.id, { stream, over });
    last = last.then(async () => {
      const either = AbortSignal.any([signal, over.signal]);
      if (!either.aborted) await put(approval, either);
    });
  };
  return {
    take({ stream, event }) {
      if (event.type === "approval.asked") ask(event.approval, stream);
      if (event.type === "approval.answered" || event.type === "approval.expired")
        open.get(event.approval)?.over.abort();
      if (event.type === "task.ended" || event.type === "task.interrupted")
        for (const one of open.values()) if (one.stream === stream) one.over.abort();
    },
    settled: () => last,
  };
}
