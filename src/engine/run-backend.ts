// The backend's own part of an attempt: it runs, it may be told to go on by a gate, it may have to be ended.
import type { Attempt, AttemptScope, Backend, BackendEnd } from "../ports/index.ts";
import type { Cost, Evidence, FailReason, Json } from "../schema/index.ts";
import { checkGates } from "./check-gates.ts";
import { Deadline } from "./deadline.ts";
import { onAbort } from "./follow.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";

/** How the backend's part went. `abandoned`: it did not end when it was asked to. */
export type RunResult =
  | {
      readonly kind: "answered";
      readonly answer: string;
      readonly output: Json | null;
      readonly evidence: Evidence;
      readonly recovered: FailReason | undefined;
      readonly isCut: boolean;
      readonly spent?: Cost | undefined;
    }
  | {
      readonly kind: "failed";
      readonly reason: FailReason;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
      readonly spent?: Cost | undefined;
    }
  | { readonly kind: "ended"; readonly spent?: Cost | undefined }
  | { readonly kind: "abandoned" };

/** What was set aside for a backend that cannot say what one call costs. */
interface Lent {
  /** The backend has its answer, and so much was used by then: the rest is free while it is judged. */
  tell(spent: Cost | undefined): void;
  /** It has to go on. False: nothing is left. */
  again(): Promise<boolean>;
}

export async function runBackend(
  parts: RunningParts,
  journal: Journal,
  backend: Backend,
  attempt: Attempt,
  scope: AttemptScope,
  whole: Lent,
): Promise<RunResult> {
  const tooLate = Promise.withResolvers<"abandoned">();
  // Once the attempt is over, its backend has a little while to wind up; then it is left behind.
  using grace = new Deadline(parts.clock, parts.settings.stopGraceMs, () => tooLate.resolve("abandoned"));
  using _abort = onAbort(scope.signal, () => grace.resume());
  const inTime = <T>(work: Promise<T>) => Promise.race([work, tooLate.promise]);
  let end = await inTime(settled(() => backend.run(attempt, scope)));
  for (let revision = 0; ; revision++) {
    if (end === "abandoned") return { kind: "abandoned" };
    journal.inAMoment(parts.clock);
    if (scope.signal.aborted) {
      await inTime(closing(end));
      return { kind: "ended", spent: end.spent };
    }
    if (end.kind !== "answered") return end;
    const { answer, output, exit, spent, revise } = end;
    if (answer.trim() === "" && output === undefined && end.mayBeSilent !== true) {
      await inTime(closing(end));
      return { kind: "failed", reason: "no_completion", message: "the agent ended without an answer", spent };
    }
    whole.tell(spent);
    const verdict = await inTime(checkGates(parts, journal, attempt, { answer, output, exit }, scope));
    if (verdict === "abandoned") return { kind: "abandoned" };
    const mayRevise = !verdict.passed && revise !== undefined && revision < parts.settings.maxRevisions;
    if (mayRevise && (await goesOn(whole, end))) {
      end = await inTime(settled(() => revise(verdict.feedback)));
      continue;
    }
    const complaint = await inTime(closing(end));
    if (complaint === "abandoned") return { kind: "abandoned" };
    if (!verdict.passed) return { kind: "failed", reason: verdict.reason, message: verdict.feedback, spent };
    if (complaint.message !== undefined)
      return { kind: "failed", reason: "backend_error", message: complaint.message, spent };
    return {
      kind: "answered",
      answer,
      output: output ?? null,
      evidence: verdict.evidence,
      recovered: end.recovered,
      isCut: end.isCut === true,
      spent,
    };
  }
}

const isAnswer = (end: BackendEnd): end is Extract<BackendEnd, { kind: "answered" }> => end.kind === "answered";

/** A backend that throws has a bug, or lets the attempt's end pass through it. Both are said, neither is lost. */
async function settled(run: () => Promise<BackendEnd>): Promise<BackendEnd> {
  try {
    return await run();
  } catch (error) {
    return { kind: "failed", reason: "crashed", message: messageOf(error) };
  }
}

const closing = async (end: BackendEnd): Promise<{ message: string | undefined }> => {
  if (!isAnswer(end) || end.close === undefined) return { message: undefined };
  try {
    return { message: await end.close() };
  } catch (error) {
    return { message: messageOf(error) };
  }
};

/** Where it was stopped while it waited for room, what it kept is let go all the same. */
async function goesOn(whole: Lent, end: BackendEnd): Promise<boolean> {
  try {
    return await whole.again();
  } catch (error) {
    await closing(end);
    throw error;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
