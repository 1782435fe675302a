// A question to a person: written down before anyone is shown it, answered through the store, waited for
// without holding a slot.
import type { Question } from "../ports/index.ts";
import type { Answer, Approval, Askable, TaskView } from "../schema/index.ts";
import { onAbort } from "./follow.ts";
import type { Journal } from "./journal.ts";
import type { LeftApprovals } from "./left-approvals.ts";
import type { RunningParts } from "./parts.ts";
import type { Slot } from "./slot.ts";

/** Somebody at a terminal is there; whoever reads an inbox, or has a host before them, may have left. */
const EXPIRES: readonly Askable[] = ["inbox", "host"];

export interface AskOptions {
  readonly canWait: boolean;
  readonly timeUp: AbortSignal;
  readonly left: LeftApprovals;
  /** What comes of the answer is written down at once. The answer goes along: no worker dies between the two. */
  readonly isFollowed: boolean;
}

export async function ask(
  parts: RunningParts,
  journal: Journal,
  slot: Slot,
  task: TaskView,
  question: Question,
  { canWait, timeUp, left, isFollowed }: AskOptions,
): Promise<Answer> {
  if (task.spec.askable === "nobody") return { verdict: "deny", note: "nobody can be asked" };
  if (!canWait) return { verdict: "deny", note: "this backend cannot wait for an answer" };
  const sha256 = parts.mint.sha256(question.body);
  const before = left.take({ ...question, sha256 });
  const approval = before ?? (await put(parts, journal, task, question, sha256));

  const known = before === undefined ? undefined : await answerTo(parts, task, before);
  const given =
    known ??
    (await slot.wait("approval", (signal) => waitForAnswer(parts, task, approval, timeUp, signal))) ??
    (await answerTo(parts, task, approval)) ?? // in the last moment, or while a slot was waited for
    (await expire(journal, approval));
  if (given === undefined) return { verdict: "deny", note: "nobody answered in time" };
  const answered = { type: "approval.answered", approval: approval.id, ...given } as const;
  if (isFollowed) journal.soon(answered);
  else await journal.append(answered);
  return given.answer;
}

/** Unless somebody was quicker: whoever answered was told that it was taken. */
const expire = async (journal: Journal, approval: Approval): Promise<Given | undefined> =>
  givenIn(await journal.append({ type: "approval.expired", approval: approval.id }), approval);

async function put(
  { mint, clock, settings }: RunningParts,
  journal: Journal,
  { spec }: TaskView,
  question: Question,
  sha256: string,
): Promise<Approval> {
  const { rule = null, grants = [], ...asked } = question;
  const expiresAt = EXPIRES.includes(spec.askable) ? clock.now() + settings.approvalTimeoutMs : null;
  const approval = { id: mint.id("appr"), ...asked, rule, grants: [...grants], sha256, expiresAt };
  await journal.append({ type: "approval.asked", approval });
  return approval;
}

type Given = { readonly answer: Answer; readonly by: string };

const answerTo = async ({ store }: RunningParts, task: TaskView, approval: Approval): Promise<Given | undefined> =>
  givenIn(await store.task(task.id), approval);

function givenIn(task: TaskView | undefined, { id }: Approval): Given | undefined {
  const approval = task?.approvals.find((one) => one.id === id);
  if (approval?.state !== "answered" || approval.answer === null) return undefined;
  return { answer: approval.answer, by: approval.by ?? "somebody" };
}

async function waitForAnswer(
  parts: RunningParts,
  task: TaskView,
  approval: Approval,
  timeUp: AbortSignal,
  signal: AbortSignal,
): Promise<Given | undefined> {
  const { pulse, clock } = parts;
  const { expiresAt } = approval;
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
  try {
    return await pulse.until(`task:${task.id}`, done.signal, () => answerTo(parts, task, approval));
  } catch (error) {
    if (isLate) return undefined;
    throw error;
  } finally {
    done.abort();
  }
}
