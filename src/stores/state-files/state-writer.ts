// Writes the files that show a task and its session. The store has committed before: a disk that fails costs
// the files, and never what they show.
import { join } from "node:path";
import { later } from "../../platform/later.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import type { Clock, Store } from "../../ports/index.ts";
import type { SessionId, TaskId, TaskView } from "../../schema/index.ts";
import { type Layout, planFile, sessionFile, taskFile } from "./layout.ts";
import { onLine } from "./log-text.ts";
import { because, Problems } from "./problems.ts";
import { sessionText } from "./session-state.ts";
import { readState, taskBody, taskText, wishesStop } from "./task-state.ts";

export interface StateFileOptions {
  readonly layout: Layout;
  readonly clock: Pick<Clock, "now">;
  /** Told once of each problem, and again if it comes back. */
  readonly onProblem: (message: string) => void;
  /** Attempts that end sooner are never shown as running, and cost no files for it. Default: all are shown at once. */
  readonly showRunningAfterMs?: number | undefined;
}

const TITLE_MAX = 1000;
const MB = 1024 * 1024;
const UNWRITTEN_MAX = 1000;

export class StateWriter {
  readonly problems: Problems;
  readonly #store: Store;
  readonly #layout: Layout;
  readonly #tasks: OwnedFolder;
  readonly #plans: OwnedFolder;
  readonly #sessions: OwnedFolder;
  /** Tasks whose files could not be written: tried again once something can be. */
  readonly #unwritten = new Set<TaskId>();
  /** Claimed a moment ago, and to be shown unless something else of them is first. */
  readonly #begun = new Map<TaskId, TaskView>();
  readonly #showRunningAfterMs: number;

  constructor(store: Store, { layout, onProblem, showRunningAfterMs = 0 }: StateFileOptions) {
    this.#showRunningAfterMs = showRunningAfterMs;
    this.problems = new Problems(onProblem);
    this.#store = store;
    this.#layout = layout;
    this.#tasks = new OwnedFolder(layout.folders.tasks);
    this.#plans = new OwnedFolder(layout.folders.plans);
    this.#sessions = new OwnedFolder(layout.folders.sessions);
  }

  /** The title only, and only once: from then on the plan is the agent's. */
  plan({ id, spec }: TaskView): void {
    const title = onLine(spec.prompt.replace(/\s+/g, " ").trim(), TITLE_MAX);
    this.#write(this.#plans, planFile(id), () =>
      this.#plans.create(planFile(id), `# Plan for ${spec.definition.name} - ${title}\n`),
    );
  }

  /** A claim, which changes nothing but the status. */
  async begun(view: TaskView): Promise<void> {
    if (this.#showRunningAfterMs === 0) return this.changed(view);
    this.#begun.set(view.id, view);
    later(this.#showRunningAfterMs, () => {
      if (this.#begun.get(view.id) === view) void this.changed(view).catch(() => undefined); // nobody waits for it
    });
  }

  /** What was put off. */
  async showBegun(): Promise<void> {
    for (const view of this.#begun.values()) await this.changed(view);
  }

  /** The task's file and its session's. A wish to stop it that nobody has read yet is not written over. */
  async changed(view: TaskView): Promise<void> {
    this.#begun.delete(view.id);
    const name = taskFile(view.id);
    const isWish = view.stopRequestedBy === null && wishesStop(readState(this.#tasks, name, MB), view, this.#layout);
    if (!isWish && (await this.task(view))) await this.#writeMissed();
    await this.session(view.spec.session);
  }

  /**
   * Until the file shows what the store shows. Another process may have committed a later state and written
   * it before us: whoever writes last looks again, so the last one to write has the last word of the log.
   */
  async task(view: TaskView): Promise<boolean> {
    const name = taskFile(view.id);
    for (let shown = view; ;) {
      const text = taskText(shown, this.#store.id, this.#layout);
      if (!this.#write(this.#tasks, name, () => this.#tasks.replace(name, text))) {
        if (this.#unwritten.size < UNWRITTEN_MAX) this.#unwritten.add(view.id);
        return false;
      }
      const now = await this.#store.task(view.id);
      if (now === undefined || now.position <= shown.position || this.#isSame(now, shown)) return true;
      shown = now;
    }
  }

  /** The same for a session. */
  async session(id: SessionId): Promise<void> {
    const name = sessionFile(id);
    for (let shown = ""; ;) {
      const text = await this.sessionText(id);
      if (text === undefined || text === shown) return;
      if (!this.#write(this.#sessions, name, () => this.#sessions.replace(name, text))) return;
      shown = text;
    }
  }

  /** What the session's file should hold. */
  async sessionText(id: SessionId): Promise<string | undefined> {
    const session = await this.#store.session(id);
    const latest = session?.tasks.at(-1);
    const task = latest === undefined ? undefined : await this.#store.task(latest);
    return session === undefined || task === undefined ? undefined : sessionText(session, task, this.#layout);
  }

  #isSame(one: TaskView, other: TaskView): boolean {
    return JSON.stringify(taskBody(one, this.#layout)) === JSON.stringify(taskBody(other, this.#layout));
  }

  async #writeMissed(): Promise<void> {
    for (const id of this.#unwritten) {
      this.#unwritten.delete(id);
      const view = await this.#store.task(id);
      if (view === undefined) continue;
      if (!(await this.task(view))) return;
      this.plan(view);
      await this.session(view.spec.session);
    }
  }

  #write(folder: OwnedFolder, name: string, write: () => void): boolean {
    try {
      write();
      this.problems.clear(folder.path);
      return true;
    } catch (error) {
      const file = this.#layout.shown(join(folder.path, name));
      this.problems.raise(
        folder.path,
        `${file} cannot be written: ${because(error)}. The store has everything; the file follows later`,
      );
      return false;
    }
  }
}
