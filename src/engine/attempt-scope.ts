import { redactor } from "../domain/redaction.ts";
import type { AttemptScope, Question } from "../ports/index.ts";
import type { Answer, TaskEvent, TaskView } from "../schema/index.ts";
import { ask, type AskOptions } from "./ask.ts";
import { Children } from "./children.ts";
import { Hearing } from "./hearing.ts";
import type { Journal } from "./journal.ts";
import { LeftApprovals } from "./left-approvals.ts";
import { LiveRedaction } from "./live-redaction.ts";
import type { RunningParts, WorkingParts } from "./parts.ts";
import { Permits } from "./permit.ts";
import type { Slot } from "./slot.ts";
import { whenSettled } from "./when-settled.ts";

export interface ScopeOf {
  readonly journal: Journal;
  readonly task: TaskView;
  readonly token: string;
  readonly slot: Slot;
  readonly signal: AbortSignal;
  readonly timeUp: AbortSignal;
  /** Whether the backend can stop and wait for a person before it uses a tool. */
  readonly canWait: boolean;
}

interface OpenedScope extends AttemptScope {
  /** Nothing more comes: what waited to be the beginning of a secret was none. */
  showRest(): void;
}

/** The engine's side of one attempt, as its backend sees it. */
export function openScope(
  parts: WorkingParts,
  { journal, task, token, slot, signal, timeUp, canWait }: ScopeOf,
): OpenedScope {
  const { mint, clock, pulse, live } = parts;
  const secrets = redactor([...parts.credentials.known(), ["CADRE_TOKEN", token]]);
  const shown = new LiveRedaction(secrets, (part) => live.write(task.id, part));
  const left = new LeftApprovals(task);
  const askPerson = (question: Question, how: Pick<AskOptions, "canWait" | "isFollowed">): Promise<Answer> => {
    const redacted = { ...question, title: secrets.text(question.title), body: secrets.text(question.body) };
    return ask(parts, journal, slot, task, redacted, { ...how, timeUp, left });
  };
  const permits = new Permits(parts, journal, task, (question) => askPerson(question, { canWait, isFollowed: true }));

  const hearing = new Hearing(parts, journal, task);
  // Nothing has happened before the first attempt that one could go on with.
  const past = journal.hold.attempt === 1 ? async () => [] : () => readPast(parts, task);
  const children = new Children(parts, journal, task, slot, timeUp, past);

  return {
    signal,
    timeUp,
    past,
    append: async (...entries) => {
      signal.throwIfAborted();
      shown.before(entries);
      if (entries.length === 0) await journal.written();
      else await journal.append(...entries.map((entry) => secrets.json(entry)));
    },
    soon: (...entries) => {
      // What a call has cost is known when it is known: it is written with the attempt's end.
      if (!entries.every(({ type }) => type === "settle")) signal.throwIfAborted();
      shown.before(entries);
      journal.soon(...entries.map((entry) => secrets.json(entry)));
    },
    redact: (value) => secrets.json(value),
    live: (part) => {
      if (!signal.aborted) shown.write(part);
    },
    permit: async (call) => {
      signal.throwIfAborted(); // in its last moments an attempt winds up: it begins nothing
      // What is wrong with an input quotes it.
      const problem = call.problem === undefined ? undefined : secrets.text(call.problem);
      return permits.permit({ ...call, input: secrets.json(call.input), problem });
    },
    // Who asks of its own accord waits for the answer, also in a program that does not wait for a permission.
    ask: (question, after) => askPerson(question, { canWait: true, isFollowed: after === "result" }),
    reserve: async (amount, { waitUntil, ...more } = {}) => {
      const reservation = mint.id("rsrv");
      const reserve = () => journal.reserve(reservation, amount, "call", more);
      const answer = await (waitUntil === undefined
        ? reserve()
        : whenSettled(parts, { journal, slot }, reserve, waitUntil));
      return answer.kind === "reserved" ? reservation : false;
    },
    holdBack: async (wish, share) => {
      const answer = await journal.reserveSoon(mint.id("rsrv"), wish, "later", { share });
      if (answer.kind === "short") return "nothing left";
      const { reservation, amount } = answer;
      return amount === null ? "unlimited" : { reservation, amount };
    },
    delegate: async (request) => {
      signal.throwIfAborted();
      return children.delegate(request);
    },
    child: (id) => children.find(id),
    childFor: (call) => children.for(call),
    outcomeOf: (...asked) => children.outcomeOf(...asked),
    atRest: (child) => children.atRest(child),
    stopChild: (child) => children.stop(child),
    endedChildren: () => children.news(),
    unfinishedChildren: () => children.unfinished(),
    hear: () => hearing.all(),
    hearNext: async () =>
      (await hearing.next()) ??
      slot.wait("message", (waiting) => pulse.until(`task:${task.id}`, waiting, () => hearing.next())),
    sleep: (ms, until) => {
      const sleeping = async (waiting: AbortSignal): Promise<void> => {
        await clock.sleep(ms, until === undefined ? waiting : AbortSignal.any([waiting, until]));
        waiting.throwIfAborted();
      };
      return slot.wait("timer", sleeping, until === undefined ? "stops" : "goes on");
    },
    together: (strands) => slot.together(strands),
    wait: (...waiting) => slot.wait(...waiting),
    showRest: () => {
      shown.flush();
      live.over?.(task.id);
    },
  };
}

const PAGE = 500;

async function readPast({ store }: RunningParts, task: TaskView): Promise<TaskEvent[]> {
  const events: TaskEvent[] = [];
  for (let after = task.firstPosition - 1; ;) {
    const page = await store.read({ stream: `task:${task.id}`, after, limit: PAGE });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the store lets only a task's events into its stream
    events.push(...page.map(({ event }) => event as TaskEvent));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return events;
    after = last.position;
  }
}
