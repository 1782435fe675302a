// What others may ask of a task, and what comes of it. Pure: stores run `decideCommand` inside the
// transaction that writes the answer, so two people who press at once cannot both win.
import type { CommandRefusal, ControlEvent, TaskCommand, TaskEvent, TaskView } from "../schema/index.ts";
import { allows } from "./transitions.ts";

/** `task`: nobody holds it, so the fact is written at once. `control`: its worker is told. */
export type CommandDecision =
  | { readonly kind: "task"; readonly event: TaskEvent }
  | { readonly kind: "control"; readonly event: ControlEvent }
  | { readonly kind: "refused"; readonly refusal: CommandRefusal };

const refused = (refusal: CommandRefusal): CommandDecision => ({ kind: "refused", refusal });
const wrongState = (view: TaskView): CommandDecision => refused({ why: "state", status: view.status });

export function decideCommand(view: TaskView, command: TaskCommand): CommandDecision {
  const isHeld = view.holder !== null;
  switch (command.type) {
    case "stop": {
      if (isHeld) return { kind: "control", event: { type: "stop.requested", task: view.id, by: command.by } };
      if (!allows(view.status, "cancelled")) return wrongState(view);
      // Its worker was told, and is gone: what it ran has not ended by itself.
      const isCut = view.status === "interrupted" && view.stopRequestedBy !== null;
      const how = view.attempts.length === 0 ? "unstarted" : isCut ? "forced" : "cooperative";
      return {
        kind: "task",
        event: { type: "task.ended", outcome: { status: "cancelled", by: command.by, how, answer: view.lastSaid } },
      };
    }
    case "answer": {
      const approval = view.approvals.find(({ id }) => id === command.approval);
      if (approval === undefined) return refused({ why: "no-approval" });
      if (view.outcome !== null) return wrongState(view);
      if (approval.state !== "open") return refused({ why: "approval-closed", state: approval.state });
      const { approval: id, answer, by } = command;
      return { kind: "control", event: { type: "answer.given", task: view.id, approval: id, answer, by } };
    }
    case "send":
      if (view.outcome !== null) return wrongState(view);
      return { kind: "control", event: { type: "message.sent", task: view.id, text: command.text, by: command.by } };
    // Done already, whoever holds the task by now: only to be written down.
    case "merged": {
      const { commit, into, by } = command;
      return { kind: "control", event: { type: "workspace.merged", task: view.id, commit, into, by } };
    }
    case "discarded":
      return { kind: "control", event: { type: "workspace.discarded", task: view.id, by: command.by } };
    case "requeue": {
      if (isHeld || !allows(view.status, "requeued")) return wrongState(view);
      const { because, by } = command;
      // Only a person tries again what has ended: somebody may have stopped it since it was looked at.
      if (because === "recovery" && view.status !== "interrupted") return wrongState(view);
      return { kind: "task", event: { type: "task.requeued", backend: command.backend ?? view.backend, because, by } };
    }
  }
}
