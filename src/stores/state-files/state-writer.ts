// Writes the files that show a task and its session. The store has committed before: a disk that fails costs
// the files, and never what they show.
import { join } from "node:path";
import { newPlan } from "../../domain/new-plan.ts";
import { hasEnded } from "../../domain/transitions.ts";
import { LatestOnly } from "../../platform/latest-only.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { PutOff } from "../../platform/put-off.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Clock, Store } from "../../ports/index.ts";
import type { SessionId, TaskId, TaskView } from "../../schema/index.ts";
import { type Layout, planFile, sessionFile, sessionHome, taskFile } from "./layout.ts";
import { because, Problems } from "./problems.ts";
import { isSameSession, type SessionSeen, sessionText } from "./session-state.ts";
import { readState, taskBody, taskText, wishesStop } from "./task-state.ts";

export interface StateFileOptions {
  readonly layout: Layout;
  readonly clock: Pick<Clock, "now">;
  /** Told once of each problem, and again if it comes back. */
  readonly onProblem: (message: string) => void;
  /**
   * How late a task that goes on may be shown, and what is said in a session; where many go on at once, it takes longer.
   * What ends sooner costs no files for it. An end is shown at once, beside whoever works; by default everything is, before
   * the verb returns.
   */
  readonly showAfterMs?: number | undefined;
}

const MB = 1024 * 1024;
const UNWRITTEN_MAX = 1000;
const PLANS_KNOWN = 1000;
/** Of what is shown late, each time. */
const SHOWN_AT_ONCE = 16;

export class StateWriter {
  readonly problems: Problems;
  readonly #store: Store;
  readonly #layout: Layout;
  readonly #tasks: OwnedFolder;
  readonly #plans: OwnedFolder;
  readonly #sessions: OwnedFolder;
  /** Tasks whose files could not be written: tried again once something can be. */
  readonly #unwritten = new Set<TaskId>();
  /** What goes on, to be shown unless its end is first. */
  readonly #goingOn: PutOff | undefined;
  /** Those of late. */
  readonly #plansMade = new Set<TaskId>();
  readonly #taskWrites = new LatestOnly<boolean>();
  readonly #sessionWrites = new LatestOnly<void>();
  readonly #breathe = yielding();

  constructor(store: Store, { layout, onProblem, showAfterMs = 0 }: StateFileOptions) {
    this.#goingOn = showAfterMs === 0 ? undefined : new PutOff(showAfterMs, SHOWN_AT_ONCE);
    this.problems = new Problems(onProblem);
    this.#store = store;
    this.#layout = layout;
    this.#tasks = new OwnedFolder(layout.folders.tasks);
    this.#plans = new OwnedFolder(layout.folders.plans);
    this.#sessions = new OwnedFolder(layout.folders.sessions);
  }

  /** The title only, and only once: from then on the plan is the agent's. Never throws. */
  plan({ id, spec }: TaskView): void {
    if (this.#plansMade.has(id)) return;
    const name = planFile(id);
    try {
      this.#plans.create(name, newPlan(spec));
      this.problems.clear(this.#plans.path);
    } catch (error) {
      this.#raise(this.#plans, name, error);
      return;
    }
    if (this.#plansMade.size >= PLANS_KNOWN) this.#plansMade.clear();
    this.#plansMade.add(id);
  }

  /** A task that is new, or goes on. */
  async goesOn(view: TaskView): Promise<void> {
    if (this.#goingOn === undefined) return this.changed(view);
    this.#goingOn.put(view.id, async () => {
      this.#goingOn?.drop(view.spec.session); // shown with it
      await this.changed((await this.#store.task(view.id)) ?? view);
    });
  }

  /** What was put off. */
  async showAll(): Promise<void> {
    await this.#goingOn?.doAll();
  }

  /** The task's file, its plan and its session's file. */
  async changed(view: TaskView): Promise<void> {
    this.#goingOn?.drop(view.id);
    this.plan(view);
    await Promise.all([this.#taskAndMissed(view), this.session(view.spec.session)]);
  }

  /** A wish to stop it that nobody has read yet is not written over. */
  async #taskAndMissed(view: TaskView): Promise<void> {
    const mayBeWished = view.stopRequestedBy === null && !hasEnded(view.status);
    if (mayBeWished && wishesStop(readState(this.#tasks, taskFile(view.id), MB), view, this.#layout)) return;
    if (await this.task(view)) await this.#writeMissed();
  }

  /**
   * Until the file shows what the store shows. Another process may have committed a later state and written
   * it before us: whoever writes last looks again, so the last one to write has the last word of the log.
   */
  task(view: TaskView): Promise<boolean> {
    return this.#taskWrites.run(view.id, () => this.#taskNow(view));
  }

  async #taskNow(view: TaskView): Promise<boolean> {
    const name = taskFile(view.id);
    const latest = await this.#store.task(view.id);
    for (let shown = latest !== undefined && latest.position > view.position ? latest : view; ;) {
      const text = taskText(shown, this.#store.id, this.#layout);
      if (!this.#replace(this.#tasks, name, text)) {
        if (this.#unwritten.size < UNWRITTEN_MAX) this.#unwritten.add(view.id);
        return false;
      }
      const now = await this.#store.task(view.id);
      if (now === undefined || now.position <= shown.position || this.#isSame(now, shown)) return true;
      shown = now;
    }
  }

  /** What was said in it, where nothing has changed its status: of turns that follow each other quickly the last is written. */
  async spoken(id: SessionId): Promise<void> {
    if (this.#goingOn === undefined) return this.session(id);
    this.#goingOn.put(id, () => this.session(id));
  }

  /** The same for a session. */
  session(id: SessionId): Promise<void> {
    this.#goingOn?.drop(id);
    return this.#sessionWrites.run(id, () => this.#sessionNow(id));
  }

  async #sessionNow(id: SessionId): Promise<void> {
    const name = sessionFile(id);
    for (let shown: SessionSeen | undefined; ;) {
      const seen = await this.#seen(id);
      if (seen === null) return shown === undefined ? undefined : this.forget(id);
      if (seen === undefined || (shown !== undefined && isSameSession(seen, shown, this.#layout))) return;
      if (!this.#replace(this.#sessions, name, sessionText(seen, this.#layout))) return;
      shown = seen;
    }
  }

  /** Its file, and what backends have kept of it: the session is gone. */
  async forget(id: SessionId): Promise<void> {
    for (const name of [sessionFile(id), sessionHome(id)]) {
      try {
        await this.#sessions.remove(name);
      } catch (error) {
        const path = this.#layout.shown(join(this.#sessions.path, name));
        this.problems.raise(name, `${path} cannot be removed: ${because(error)}. It is tried again later`);
      }
    }
  }

  /** What the session's file should hold. `null`: there should be none. */
  async sessionText(id: SessionId): Promise<string | null | undefined> {
    const seen = await this.#seen(id);
    return seen === undefined || seen === null ? seen : sessionText(seen, this.#layout);
  }

  async #seen(id: SessionId): Promise<SessionSeen | null | undefined> {
    const session = await this.#store.session(id);
    if (session !== undefined && session.expiredAt !== null) return null;
    const latest = session?.tasks.at(-1);
    const task = latest === undefined ? undefined : await this.#store.task(latest);
    return session === undefined || task === undefined ? undefined : { session, task };
  }

  #isSame(one: TaskView, other: TaskView): boolean {
    return JSON.stringify(taskBody(one, this.#layout)) === JSON.stringify(taskBody(other, this.#layout));
  }

  async #writeMissed(): Promise<void> {
    for (const id of this.#unwritten) {
      await this.#breathe();
      this.#unwritten.delete(id);
      const view = await this.#store.task(id);
      if (view === undefined) continue;
      if (!(await this.task(view))) return;
      this.plan(view);
      await this.session(view.spec.session);
    }
  }

  #replace(folder: OwnedFolder, name: string, text: string): boolean {
    try {
      folder.replace(name, text);
      this.problems.clear(folder.path);
      return true;
    } catch (error) {
      this.#raise(folder, name, error);
      return false;
    }
  }

  #raise(folder: OwnedFolder, name: string, error: unknown): void {
    const file = this.#layout.shown(join(folder.path, name));
    this.problems.raise(
      folder.path,
      `${file} cannot be written: ${because(error)}. The store has everything; the file follows later`,
    );
  }
}
