// A question to a person: written down before anyone is shown it, answered through the store, waited for
// without holding a slot.
import type { Question } from "../ports/index.ts";
import type { Answer, ApprovalId, Askable, TaskView } from "../schema/index.ts";
import { onAbort } from "./follow.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";
import type { Slot } from "./slot.ts";

/** Somebody at a terminal is there; whoever reads an inbox, or has a host before them, may have left. */
const EXPIRES: readonly Askable[] = ["inbox", "host"];

export async function ask(
  parts: RunningParts,
  journal: Journal,
  slot: Slot,
  task: TaskView,
  question: Question,
  { canWait, timeUp }: { readonly canWait: boolean; readonly timeUp: AbortSignal },
): Promise<Answer> {
  const { mint, clock, settings } = parts;
  if (task.spec.askable === "nobody") return { verdict: "deny", note: "nobody can be asked" };
  if (!canWait) return { verdict: "deny", note: "this backend cannot wait for an answer" };
  const id = mint.id("appr");
  const expiresAt = EXPIRES.includes(task.spec.askable) ? clock.now() + settings.approvalTimeoutMs : null;
  const { rule = null, grants = [], ...asked } = question;
  const approval = { id, ...asked, rule, grants: [...grants], sha256: mint.sha256(question.body), expiresAt };
  await journal.append({ type: "approval.asked", approval });

  const given = await slot.wait("approval", (signal) => waitForAnswer(parts, task, id, { expiresAt, timeUp }, signal));
  if (given === null) {
    await journal.append({ type: "approval.expired", approval: id });
    return { verdict: "deny", note: "nobody answered in time" };
  }
  await journal.append({ type: "approval.answered", approval: id, answer: given.answer, by: given.by });
  return given.answer;
}

type Given = { readonly answer: Answer; readonly by: string };

async function waitForAnswer(
  { store, pulse, clock }: RunningParts,
  task: TaskView,
  id: ApprovalId,
  { expiresAt, timeUp }: { readonly expiresAt: number | null; readonly timeUp: AbortSignal },
  signal: AbortSignal,
): Promise<Given | null> {
  const done = new AbortController();
  using _abort = onAbort(signal, () => done.abort(signal.reason));
  let isLate = false;
  const giveUp = () => {
    if (done.signal.aborted) return;
    isLate = true;
    done.abort();
  };
  // Waiting takes none of an agent's time. Where that is up all the same, its last words are not waited away.
  using _up = onAbort(timeUp, giveUp);
  if (expiresAt !== null) void clock.sleep(expiresAt - clock.now(), done.signal).then(giveUp);
  const look = async (): Promise<Given | undefined> => {
    const approval = (await store.task(task.id))?.approvals.find((one) => one.id === id);
    if (approval?.state !== "answered" || approval.answer === null) return undefined;
    return { answer: approval.answer, by: approval.by ?? "somebody" };
  };
  try {
    return await pulse.until(`task:${task.id}`, done.signal, look);
  } catch (error) {
    if (isLate) return (await look()) ?? null; // it may have come in the last moment
    throw error;
  } finally {
    done.abort();
  }
}
