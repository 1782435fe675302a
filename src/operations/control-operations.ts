// Acting on a task that exists, and answering what it asks.
import * as z from "zod";
import { approvalClosed, approvalNotFound, sessionBusy, wrongTaskState } from "../errors/index.ts";
import type { CommandAnswer } from "../ports/index.ts";
import { Answer, ApprovalId, BackendName, TaskId, TaskView } from "../schema/index.ts";
import { allowForGood } from "./allow-for-good.ts";
import { defineOperation } from "./operation.ts";
import { reach, taskOfApproval } from "./reach.ts";

/** `done`: it has happened. `told`: its worker was told, and will do it. */
const Acted = z.strictObject({ result: z.enum(["done", "told"]), task: TaskView });

/** `which` task or approval it was about, and `what` was to be done to it. */
function acted(answer: CommandAnswer, which: string, what: string): z.input<typeof Acted> {
  if (answer.kind !== "refused") return { result: answer.kind, task: answer.task };
  const { refusal } = answer;
  switch (refusal.why) {
    case "state":
      throw wrongTaskState(which, refusal.status, what);
    case "session-busy":
      throw sessionBusy(refusal.session, refusal.task);
    case "no-approval":
      throw approvalNotFound(which);
    case "approval-closed":
      throw approvalClosed(which, refusal.state);
  }
}

export const stopTask = defineOperation({
  authority: "agent",
  summary: "Stop a task and everything below it.",
  input: z.strictObject({ task: TaskId }),
  output: Acted,
  async run(context, { task }) {
    await reach(context, task);
    return acted(await context.engine.stop(task, context.caller.by), task, "stopped");
  },
});

export const retryTask = defineOperation({
  authority: "agent",
  summary: "Queue a failed, stopped or interrupted task again, as a new attempt.",
  input: z.strictObject({ task: TaskId, backend: BackendName.optional() }),
  output: Acted,
  async run(context, { task, backend }) {
    const { spec } = await reach(context, task);
    const command = { type: "requeue", because: "retry", backend, by: context.caller.by } as const;
    // Only to a backend that it was admitted for: its restrictions were checked against those.
    if (backend !== undefined && !spec.backends.includes(backend))
      throw wrongTaskState(task, "not admitted", `run by ${backend}`);
    return acted(await context.engine.command(task, command), task, "tried again");
  },
});

export const sendMessage = defineOperation({
  authority: "agent",
  summary: "Send a message to an agent that is at work. It hears it at its next turn.",
  input: z.strictObject({ task: TaskId, text: z.string().min(1) }),
  output: Acted,
  async run(context, { task, text }) {
    await reach(context, task);
    return acted(
      await context.engine.command(task, { type: "send", text, by: context.caller.by }),
      task,
      "sent a message",
    );
  },
});

export const answerApproval = defineOperation({
  authority: "person",
  summary: "Answer what an agent asks: allow it, deny it, or say something.",
  input: z.strictObject({ approval: ApprovalId, answer: Answer }),
  output: Acted,
  async run(context, { approval, answer }) {
    const { id, approvals, outcome } = await taskOfApproval(context, approval);
    const asked = approvals.find((one) => one.id === approval);
    // No rule comes of an answer that is too late.
    const isOpen = asked?.state === "open" && outcome === null;
    if (isOpen && answer.verdict === "allow" && answer.scope === "always")
      await allowForGood(context.config, asked.grants);
    const given = await context.engine.command(id, { type: "answer", approval, answer, by: context.caller.by });
    const isEnded = given.kind === "refused" && given.refusal.why === "state";
    return acted(given, isEnded ? id : approval, "answered");
  },
});
