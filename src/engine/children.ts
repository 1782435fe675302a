// The tasks below an attempt, as its agent sees them: started, looked at, waited for, stopped.
import { summarize } from "../domain/summaries.ts";
import { hasEnded } from "../domain/transitions.ts";
import { CadreError, taskNotFound } from "../errors/index.ts";
import type { Admission, AfterWait, Delegated, Delegation } from "../ports/index.ts";
import type { CallId, TaskEvent, TaskId, TaskView } from "../schema/index.ts";
import { admit } from "./admit.ts";
import { Deadline } from "./deadline.ts";
import { onAbort } from "./follow.ts";
import type { Journal } from "./journal.ts";
import type { WorkingParts } from "./parts.ts";
import { isLeftToPerson } from "./recover.ts";
import type { Slot } from "./slot.ts";
import { stop } from "./stop.ts";

export class Children {
  readonly #parts: WorkingParts;
  readonly #journal: Journal;
  readonly #task: TaskView;
  readonly #slot: Slot;
  readonly #timeUp: AbortSignal;
  readonly #past: () => Promise<readonly TaskEvent[]>;
  /** Those whose end is in this task's stream already. */
  #told: Promise<Set<TaskId>> | undefined;

  constructor(
    parts: WorkingParts,
    journal: Journal,
    task: TaskView,
    slot: Slot,
    timeUp: AbortSignal,
    past: () => Promise<readonly TaskEvent[]>,
  ) {
    this.#parts = parts;
    this.#journal = journal;
    this.#task = task;
    this.#slot = slot;
    this.#timeUp = timeUp;
    this.#past = past;
  }

  async delegate(request: Delegation): Promise<Delegated> {
    const { agent, prompt, inputs, background, model, maxTurns, session, call } = request;
    try {
      const { spec, id } = this.#task;
      const origin = { mouth: "agent", by: id };
      const limits = { maxTurns };
      const wish = { agent, prompt, inputs, background, model, session, call, limits, askable: spec.askable, origin };
      await this.#journal.written();
      const take = (admissions: readonly Admission[]) => this.#parts.admitAndTake(admissions, this.#journal.hold);
      const [child] = await admit(this.#parts, [wish], this.#task, take);
      if (child === undefined) return { kind: "refused", message: "nothing was started" };
      return { kind: "started", child: child.id };
    } catch (error) {
      // Unknown agent, missing input, budget, depth: the agent can act on these. Losing the task it cannot.
      if (CadreError.isInstance(error) && error.code !== "attempt.stale")
        return { kind: "refused", message: toldOf(error) };
      throw error;
    }
  }

  /** Only what lies below: an agent has no business with anybody else's tasks. */
  async find(id: TaskId): Promise<TaskView | undefined> {
    const { store } = this.#parts;
    const found = await store.task(id);
    for (let above = found; above !== undefined;) {
      if (above.spec.parent === this.#task.id) return found;
      above = above.spec.parent === null ? undefined : await store.task(above.spec.parent);
    }
    return undefined;
  }

  async for(call: CallId): Promise<TaskView | undefined> {
    const { store } = this.#parts;
    const mine = await store.task(this.#task.id);
    for (const id of mine?.children ?? []) {
      const child = await store.task(id);
      if (child?.spec.call === call) return child;
    }
    return undefined;
  }

  /** As it ended; with a limit, or as it is when that is reached, or the attempt's time is up. */
  async outcomeOf(id: TaskId, waitMs?: number, after?: AfterWait): Promise<TaskView> {
    const { pulse, clock } = this.#parts;
    const look = () => this.#ended(id);
    const waitFor = async (signal: AbortSignal) => {
      if (waitMs === undefined) return pulse.until(`end:${id}`, signal, look);
      const late = new AbortController();
      using _abort = onAbort(signal, () => late.abort(signal.reason));
      using _up = onAbort(this.#timeUp, () => late.abort());
      using limit = new Deadline(clock, waitMs, () => late.abort());
      limit.resume();
      try {
        return await pulse.until(`end:${id}`, late.signal, look);
      } catch (error) {
        if (signal.aborted || !late.signal.aborted) throw error;
        return look(); // it may have ended in the last moment
      }
    };
    const ended = await this.#slot.wait("child", waitFor, "stops", after);
    if (ended !== undefined) {
      await this.#tell(ended, after);
      return ended;
    }
    return this.#existing(id);
  }

  /** As it ended, or as it is once nothing but a person makes it go on. */
  async atRest(id: TaskId): Promise<TaskView> {
    const look = async (): Promise<TaskView | undefined> => {
      const view = await this.#existing(id);
      return hasEnded(view.status) || isLeftToPerson(view, this.#parts) ? view : undefined;
    };
    const child = await this.#slot.wait("child", (signal) => this.#parts.pulse.until(`hold:${id}`, signal, look));
    if (hasEnded(child.status)) await this.#tell(child);
    return child;
  }

  /** Those that have ended since anybody looked: each is told of once. */
  async news(): Promise<readonly TaskView[]> {
    const { store } = this.#parts;
    const children = (await store.task(this.#task.id))?.children ?? [];
    const news: TaskView[] = [];
    if (children.length === 0) return news; // most have none, and the log need not be read for it
    const told = await this.#toldSoFar();
    for (const id of children) {
      if (told.has(id)) continue;
      const child = await store.task(id);
      if (child === undefined || !hasEnded(child.status)) continue;
      await this.#tell(child);
      news.push(child);
    }
    return news;
  }

  /** Those that still go on. */
  async unfinished(): Promise<readonly TaskView[]> {
    const { store } = this.#parts;
    const mine = await store.task(this.#task.id);
    const children = await Promise.all((mine?.children ?? []).map((id) => store.task(id)));
    return children.filter((child) => child !== undefined).filter(({ status }) => !hasEnded(status));
  }

  async stop(id: TaskId): Promise<TaskView> {
    await stop(this.#parts, id, `its parent ${this.#task.id}`);
    return this.#existing(id);
  }

  async #ended(id: TaskId): Promise<TaskView | undefined> {
    const view = await this.#parts.store.task(id);
    return view !== undefined && hasEnded(view.status) ? view : undefined;
  }

  async #existing(id: TaskId): Promise<TaskView> {
    const view = await this.#parts.store.task(id);
    if (view === undefined) throw taskNotFound(id);
    return view;
  }

  async #tell(child: TaskView, after?: AfterWait): Promise<void> {
    const told = await this.#toldSoFar();
    if (told.has(child.id)) return;
    told.add(child.id);
    const summary = child.outcome === null ? "" : summarize(child.outcome);
    const event = { type: "child.ended", child: child.id, status: child.status, summary } as const;
    if (after === "result") this.#journal.soon(event);
    else await this.#journal.append(event);
  }

  #toldSoFar(): Promise<Set<TaskId>> {
    this.#told ??= this.#past().then(
      (events) => new Set(events.flatMap((event) => (event.type === "child.ended" ? [event.child] : []))),
    );
    return this.#told;
  }
}

/** Hints are for people, and name commands; which agent was meant is of use to an agent, too. */
const toldOf = ({ message, facts: { nearest } }: CadreError): string =>
  typeof nearest === "string" ? `${message} (did you mean "${nearest}"?)` : message;
