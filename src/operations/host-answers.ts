// Questions that go to the user of a host. The host shows them and passes on what was said; its model has no part in it.
import * as z from "zod";
import { approvalClosed, approvalNotFound, authorityDenied, invalidInput } from "../errors/index.ts";
import { Answer, ApprovalId, TaskView } from "../schema/index.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { taskOfApproval } from "./reach.ts";

/** Inside of an attempt, what looks like a host may be the agent itself. */
const isHost = ({ caller }: OperationContext): boolean => caller.mouth === "mcp" && caller.inside === null;

export async function mayAskHost(context: OperationContext): Promise<boolean> {
  return isHost(context) && (await context.config.get("security.host_approvals")).value === true;
}

export const relayAnswer = defineOperation({
  authority: "agent",
  summary: "Pass on what the user of a host has answered, for a task whose questions go there.",
  // Of what was shown, the hash. Nothing is allowed for good in this way: that is for the user's own settings.
  input: z.strictObject({ approval: ApprovalId, sha256: z.string(), answer: Answer }),
  output: z.strictObject({ task: TaskView }),
  async run(context, { approval, sha256, answer }) {
    if (!isHost(context)) throw authorityDenied("approval.relay", "is for a host that asks its own user");
    if (answer.verdict === "allow" && answer.scope === "always")
      throw invalidInput("a host's user allows it once, or for this task");
    const { id, spec, approvals } = await taskOfApproval(context, approval);
    if (spec.askable !== "host") throw authorityDenied("approval.relay", "is not how this task asks");
    if (approvals.find((one) => one.id === approval)?.sha256 !== sha256) throw approvalNotFound(approval);
    const by = `${context.caller.by}, through a host`;
    const given = await context.engine.command(id, { type: "answer", approval, answer, by });
    if (given.kind !== "refused") return { task: given.task };
    const { refusal } = given;
    throw refusal.why === "approval-closed" ? approvalClosed(approval, refusal.state) : approvalNotFound(approval);
  },
});
