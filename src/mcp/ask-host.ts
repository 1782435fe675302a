// Questions of sub-agents, put to the user of the host. What comes back is the user's and not the model's: the protocol
// has a place of its own for it, which no argument of a tool reaches. Anything but a clear yes is a no.
import { type InputRequests, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import * as z from "zod";
import { CadreError } from "../errors/index.ts";
import { type Answer, ApprovalId, type ApprovalView, type TaskView } from "../schema/index.ts";
import type { HostCall } from "./host-tool.ts";
import { openQuestions } from "./show/outcome-words.ts";
import { questionText } from "./show/question-text.ts";

export interface HostQuestion {
  readonly approval: ApprovalView;
  readonly message: string;
}

/** What is kept of a question until its answer comes. */
export const Asked = z.strictObject({
  approval: ApprovalId,
  sha256: z.string(),
  isText: z.boolean(),
});
export type Asked = z.infer<typeof Asked>;

export const askedOf = ({ approval }: HostQuestion): Asked => ({
  approval: approval.id,
  sha256: approval.sha256,
  isText: approval.kind === "question",
});

/** More than a tree has at work at once. */
const MOST = 1_000;

/** What a task and all below it want to know, of which this host's user may be asked. */
export async function questionsFor({ cadre, session, user }: HostCall, task: TaskView): Promise<HostQuestion[]> {
  const { root, askable } = task.spec;
  if (user === null || askable !== "host" || task.id !== root || !session.hasStarted(root)) return [];
  const { tasks } = await cadre.call("task.list", { root, status: ["running", "waiting"], limit: MOST });
  return tasks.flatMap((one) =>
    openQuestions(one).flatMap((approval) => {
      const message = questionText(one.spec.definition.name, approval);
      return message === undefined ? [] : [{ approval, message }];
    }),
  );
}

const ONCE = "allow once";
const FOR_TASK = "allow for this task";
const DENY = "deny";

export const formOf = ({ approval, message }: HostQuestion) => ({
  message,
  requestedSchema: {
    type: "object" as const,
    ...(approval.kind === "question"
      ? { properties: { answer: { type: "string" as const, title: "Your answer" } }, required: ["answer"] }
      : {
          properties: { decision: { type: "string" as const, title: "Decision", enum: [DENY, ONCE, FOR_TASK] } },
          required: ["decision"],
        }),
  },
});

export const requestsFor = (questions: readonly HostQuestion[]): InputRequests =>
  Object.fromEntries(questions.map((one) => [one.approval.id, inputRequired.elicit(formOf(one))]));

const Decided = z.looseObject({ decision: z.enum([ONCE, FOR_TASK]) });
const Said = z.looseObject({ answer: z.string().min(1) });

/** Nothing where there is no answer yet. */
export function answerIn(responses: unknown, { approval, isText }: Asked): Answer | undefined {
  const given = z.record(z.string(), z.unknown()).safeParse(responses).data;
  if (given === undefined || !Object.hasOwn(given, approval)) return undefined;
  const view = inputResponse(given, approval);
  if (view.kind !== "elicit" || view.action !== "accept")
    return { verdict: "deny", note: "the host's user did not accept" };
  if (isText) {
    const text = Said.safeParse(view.content).data?.answer;
    return text === undefined ? { verdict: "deny", note: "no answer" } : { verdict: "text", text };
  }
  const decision = Decided.safeParse(view.content).data?.decision;
  if (decision === undefined) return { verdict: "deny", note: "denied by the host's user" };
  return { verdict: "allow", scope: decision === ONCE ? "once" : "task" };
}

export interface Given extends Asked {
  readonly answer: Answer;
}

/** A question that somebody else has answered meanwhile, or that is over, needs no answer. */
export async function relay({ cadre }: HostCall, given: readonly Given[]): Promise<void> {
  for (const { approval, sha256, answer } of given) {
    try {
      await cadre.call("approval.relay", { approval, sha256, answer });
    } catch (error) {
      if (!CadreError.isInstance(error) || !error.code.startsWith("approval.")) throw error;
    }
  }
}
