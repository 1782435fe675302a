import { applyTaskEvent } from "../../domain/task-projection.ts";
import { staleAttempt, taskNotFound } from "../../errors/index.ts";
import type { Clock, Hold } from "../../ports/index.ts";
import type { TaskEvent, TaskId, TaskView } from "../../schema/index.ts";
import type { Inbox } from "./inbox.ts";
import type { Tables } from "./tables.ts";

/** The streams of tasks, with the rows and the inbox in step. Called inside transactions. */
export class TaskLog {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, "now">;
  readonly #inbox: Inbox;

  constructor(tables: Tables, clock: Pick<Clock, "now">, inbox: Inbox) {
    this.#tables = tables;
    this.#clock = clock;
    this.#inbox = inbox;
  }

  get(id: TaskId): TaskView {
    const task = this.#tables.task(id);
    if (task === undefined) throw taskNotFound(id);
    return task;
  }

  checkHold({ task, attempt, worker }: Hold): TaskView {
    const view = this.get(task);
    if (view.holder !== worker || view.attempts.length !== attempt) throw staleAttempt(task, attempt);
    return view;
  }

  add(task: TaskId, event: TaskEvent, attempt: number | null): TaskView {
    return this.addAll(task, attempt, (add) => add(event));
  }

  /** Any number of events of one task, and one change of its row. */
  addAll(id: TaskId, attempt: number | null, write: (add: (event: TaskEvent) => void) => void): TaskView {
    const before = this.get(id);
    let view = before;
    write((event) => {
      const envelope = this.#tables.addEvent(`task:${id}`, event, this.#clock.now(), attempt);
      view = applyTaskEvent(view, event, envelope);
      this.#inbox.follow(view, event, envelope);
    });
    if (view !== before) this.#tables.putTask(view);
    if (before.status === "waiting" && view.status !== "waiting") this.#tables.forgetSlot(id);
    return view;
  }
}
