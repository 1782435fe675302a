import { applySessionEvent } from "../../domain/session-projection.ts";
import { hasEnded } from "../../domain/transitions.ts";
import type { Admission, Clock } from "../../ports/index.ts";
import type { SessionEvent, SessionId, SessionMessage, SessionView, TaskId, TaskStatus } from "../../schema/index.ts";
import type { Tables } from "./tables.ts";

/** Conversations, and who is at work in them. Called inside transactions. */
export class Sessions {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, "now">;

  constructor(tables: Tables, clock: Pick<Clock, "now">) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** One that can be gone on with. */
  find(id: SessionId): SessionView | undefined {
    const view = this.#tables.session(id);
    return view === undefined || view.expiredAt !== null ? undefined : view;
  }

  /** The unfinished task of a session, apart from this one. */
  busyWith(id: SessionId, except?: TaskId): TaskId | undefined {
    return this.#tables.session(id)?.tasks.find((task) => task !== except && !this.#hasEnded(task));
  }

  add(event: SessionEvent): void {
    const at = this.#clock.now();
    this.#tables.putSession(applySessionEvent(this.#tables.session(event.session), event, at));
    this.#tables.addEvent(`session:${event.session}`, event, at, null);
  }

  /** For a task that is let in: its session goes on, or begins, and has its prompt. */
  admitted({ id: task, spec, continues, forks }: Admission, parent: SessionId | null): void {
    const { session, prompt } = spec;
    if (continues) this.add({ type: "session.continued", session, task });
    else {
      const forkOf = forks === undefined ? {} : { forkOf: forks.session };
      this.add({ type: "session.opened", session, agent: spec.definition.name, parent, task, ...forkOf });
    }
    for (const message of forks === undefined ? [] : this.#settled(forks.session, forks.messages))
      this.add({ type: "message.kept", session, message });
    this.add({ type: "message.kept", session, message: { role: "user", content: prompt, task } });
  }

  /** A task that is tried again needs its session, even if what was said in it is gone. */
  revive(session: SessionId, task: TaskId): void {
    if (this.#tables.session(session)?.expiredAt !== null) this.add({ type: "session.continued", session, task });
  }

  /** False: it is not there, was used since, or is in use: by a task of its own, or by the tree that it belongs to. */
  expire(session: SessionId, by: string, unusedSince: number): boolean {
    const view = this.find(session);
    if (view === undefined || view.updatedAt >= unusedSince) return false;
    const isUsed = view.tasks.some((task) => !this.#hasEnded(task) || !this.#hasEnded(this.#rootOf(task)));
    if (isUsed) return false;
    this.add({ type: "session.expired", session, by });
    return true;
  }

  /** The last that was said in tasks that have ended. */
  #settled(id: SessionId, most: number): SessionMessage[] {
    return (this.#tables.session(id)?.messages ?? []).filter(({ task }) => this.#hasEnded(task)).slice(-most);
  }

  #rootOf(task: TaskId): TaskId {
    return this.#tables.task(task)?.spec.root ?? task;
  }

  #hasEnded(task: TaskId): boolean {
    const status: TaskStatus = this.#tables.task(task)?.status ?? "failed";
    return hasEnded(status);
  }
}
