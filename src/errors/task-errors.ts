import { CadreError, type ErrorExtra } from "./cadre-error.ts";

export const taskNotFound = (ref: string) =>
  new CadreError("task.not-found", `there is no task "${ref}"`, {
    hint: "List the tasks: cadre status",
    facts: { task: ref },
  });

export const taskAmbiguous = (ref: string, matches: number) =>
  new CadreError("task.ambiguous", `"${ref}" fits ${matches} tasks`, {
    hint: "Give more of the id, or the whole of it: cadre status",
    facts: { task: ref, matches },
  });

/** The task is in a status in which this cannot be done to it. */
export const wrongTaskState = (task: string, status: string, wish: string) =>
  new CadreError("task.state", `${task} is ${status}: it cannot be ${wish}`, {
    hint: `See what happened to it: cadre show ${task}`,
    facts: { task, status },
  });

export const sessionNotFound = (session: string) =>
  new CadreError("session.not-found", `there is no session "${session}"`, {
    hint: "It may have expired. List those there are: cadre sessions list",
    facts: { session },
  });

export const sessionBusy = (session: string, task: string) =>
  new CadreError("session.busy", `the session ${session} is busy with ${task}`, {
    hint: `Wait for it or stop it first: cadre stop ${task}. Or begin a new session from it: --fork`,
    facts: { session, task },
  });

export const approvalNotFound = (approval: string) =>
  new CadreError("approval.not-found", `there is no approval "${approval}"`, {
    hint: "List what waits for an answer: cadre inbox",
    facts: { approval },
  });

export const approvalClosed = (approval: string, how: string) =>
  new CadreError("approval.closed", `the approval ${approval} was ${how} already`, {
    hint: "List what waits for an answer: cadre inbox",
    facts: { approval, how },
  });

export const admissionRefused = (why: string, what: string, hint?: string) =>
  new CadreError("admission.refused", what, { hint, facts: { why } });

export const authorityDenied = (operation: string, what: string) =>
  new CadreError("authority.denied", `"${operation}" ${what}`, {
    hint: "A person does this, on a terminal, outside of any running agent.",
    facts: { operation },
  });

/** Whoever is inside of an attempt is that attempt, and has to show it, whichever home they name. */
export const attemptUnproven = () =>
  new CadreError("authority.denied", "cadre was called inside an attempt without that attempt's token and home", {
    hint: "Leave CADRE_HOME, CADRE_ATTEMPT and CADRE_TOKEN as the attempt has them, and name no other home.",
  });

/** Asked for by a program in a sandbox, which sees nothing of the store. */
export const needsStore = (what: string, hint: string) =>
  new CadreError("authority.denied", `${what} does not work inside of a sandbox: it needs Cadre's store`, {
    hint,
    facts: { operation: what },
  });

/** A tree of its own, or the repository behind it, is not as it has to be. What lies there is left as it is. */
export const workspaceFailed = (what: string, extra?: ErrorExtra) => new CadreError("workspace.failed", what, extra);

/** Raised to a writer that lost its task: another worker holds it now, or it has ended. */
export const staleAttempt = (task: string, attempt: number) =>
  new CadreError("attempt.stale", `attempt ${attempt} of ${task} no longer holds the task`, {
    facts: { task, attempt },
  });

export const corruptLog = (what: string) =>
  new CadreError("log.corrupt", `the log is damaged: ${what}`, {
    hint: "Nothing was changed. Keep the file, and report this.",
  });
