// Questions for the person at the terminal: one at a time, and none that was settled elsewhere meanwhile.
import type { Approval, ApprovalId, Envelope } from "../../schema/index.ts";

type Put = (approval: Approval, signal: AbortSignal) => Promise<void>;

export interface OpenQuestions {
  /**
   * Takes every event: what is asked is put, and taken back when nobody waits for the answer any more. What was open when
   * its worker died is put again when another one takes up the task: that waits for the same answer.
   */
  take(envelope: Envelope): void;
  /** Until the last of them is answered or taken back. */
  settled(): Promise<void>;
}

/** `put` gets a signal that is aborted when the answer is no longer wanted, or by `signal`. */
export function openQuestions(put: Put, signal: AbortSignal): OpenQuestions {
  const open = new Map<
    ApprovalId,
    { readonly approval: Approval; readonly stream: string; readonly over: AbortController }
  >();
  let last = Promise.resolve();
  const ask = (approval: Approval, stream: string) => {
    const over = new AbortController();
    open.set(approval.id, { approval, stream, over });
    last = last.then(async () => {
      const either = AbortSignal.any([signal, over.signal]);
      if (!either.aborted) await put(approval, either);
    });
  };
  const close = (id: ApprovalId) => {
    open.get(id)?.over.abort();
    open.delete(id);
  };
  return {
    take({ stream, event }) {
      if (event.type === "approval.asked") ask(event.approval, stream);
      if (event.type === "answer.given" || event.type === "approval.answered" || event.type === "approval.expired")
        close(event.approval);
      for (const { approval, over } of [...open.values()].filter((one) => one.stream === stream)) {
        if (event.type === "task.ended") close(approval.id);
        if (event.type === "task.interrupted") over.abort();
        if (event.type === "attempt.started" && over.signal.aborted) ask(approval, stream);
      }
    },
    settled: () => last,
  };
}
