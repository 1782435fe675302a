// Which files each verb of the store touches. Nothing here can fail the verb: it has committed already.
import { kindOf } from "../../domain/transitions.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Clock, HeldEntry, Store } from "../../ports/index.ts";
import type { SessionId, TaskCommand, TaskId, TaskView } from "../../schema/index.ts";
import * as lines from "./event-lines.ts";
import { dayFile, logFile } from "./layout.ts";
import { LogFiles } from "./log-files.ts";
import { because } from "./problems.ts";
import { type StateFileOptions, StateWriter } from "./state-writer.ts";
import { attemptEndLines, startingLine } from "./subagent-lines.ts";

/** Sooner than what goes on is shown: whoever follows a log reads along. */
const LINES_AFTER_MS = 100;

export class StateFiles {
  readonly #store: Store;
  readonly #clock: Pick<Clock, "now">;
  readonly #writer: StateWriter;
  readonly #logs: LogFiles;
  readonly #isLate: boolean;
  /** What was appended and is not shown yet, where nobody is kept waiting for it. */
  readonly #showing = new Set<Promise<void>>();

  constructor(store: Store, options: StateFileOptions) {
    this.#store = store;
    this.#clock = options.clock;
    this.#writer = new StateWriter(store, options);
    const { showAfterMs = 0, layout, clock } = options;
    this.#isLate = showAfterMs > 0;
    const logs = new OwnedFolder(layout.folders.logs);
    this.#logs = new LogFiles(logs, this.#writer.problems, clock, Math.min(LINES_AFTER_MS, showAfterMs));
  }

  async admitted(views: readonly TaskView[]): Promise<void> {
    const breathe = yielding(); // the files of many tasks may take longer than a frame
    await this.#quietly(async () => {
      for (const view of views) {
        await breathe();
        await this.#writer.goesOn(view);
        await this.#log(view.id, () => [lines.admittedLine(view)]);
        if (view.spec.parent !== null) await this.#log(view.spec.parent, () => [lines.childLine(view)]);
      }
    });
  }

  async claimed(view: TaskView): Promise<void> {
    await this.#quietly(async () => {
      await this.#writer.goesOn(view);
      await this.#log(view.id, () => [lines.startedLine(view)]);
      await this.#logDay(() => [startingLine(view)]);
    });
  }

  /** What is about to be done may look at the plan. */
  isAbout(view: TaskView): void {
    this.#writer.plan(view);
  }

  /** Most appends change no status: they cost one line in one file, and often not even that. */
  appended(view: TaskView, entries: readonly HeldEntry[]): Promise<void> | undefined {
    const changes = entries.filter(isChange).map(({ type }) => type);
    const sessions = new Set(entries.flatMap((entry) => sessionsOf(entry, view)));
    const logged = this.#log(view.id, () => entries.map(lines.heldLine));
    if (changes.length === 0 && sessions.size === 0) return logged;
    const shown = this.#appendedChange(view, changes, sessions, logged);
    if (!this.#isLate) return shown;
    this.#showing.add(shown);
    void shown.then(() => this.#showing.delete(shown));
    return undefined;
  }

  /** All that was appended before and is not put off. */
  async shown(): Promise<void> {
    await Promise.all(this.#showing);
  }

  async #appendedChange(
    view: TaskView,
    changes: readonly HeldEntry["type"][],
    sessions: Set<SessionId>,
    logged: Promise<void> | undefined,
  ): Promise<void> {
    await this.#quietly(async () => {
      const isEnd = changes.some((type) => LEAVES.has(type));
      // Whoever waits for a task looks at its files next. What is below it is its agent's, who does not.
      const isAwaited = isEnd && view.spec.parent === null;
      if (changes.length > 0) sessions.delete(view.spec.session);
      const shown = isAwaited ? this.#writer.changed(view) : changes.length > 0 ? this.#writer.goesOn(view) : undefined;
      await Promise.all([logged, shown, ...[...sessions].map((session) => this.#writer.spoken(session))]);
      if (isEnd) await this.#logDay(() => attemptEndLines(view));
    });
  }

  async resumed(task: TaskId): Promise<void> {
    await this.#quietly(async () => {
      const view = await this.#store.task(task);
      if (view !== undefined) await this.#writer.goesOn(view);
    });
  }

  async commanded(view: TaskView, command: TaskCommand, isDone: boolean): Promise<void> {
    await this.#quietly(async () => {
      if (isDone) await this.#writer.changed(view);
      const outcome = isDone && command.type === "stop" ? view.outcome : null;
      await this.#log(view.id, () => [outcome === null ? lines.commandLine(command) : lines.endLine(outcome)]);
    });
  }

  async interrupted(views: readonly TaskView[], why: string): Promise<void> {
    const breathe = yielding();
    await this.#quietly(async () => {
      for (const view of views) {
        await breathe();
        await this.#writer.changed(view);
        await this.#log(view.id, () => [lines.interruptedLine(why)]);
        await this.#logDay(() => attemptEndLines(view));
      }
    });
  }

  async expired(session: SessionId): Promise<void> {
    await this.#quietly(() => this.#writer.forget(session));
  }

  async close(): Promise<void> {
    await this.shown();
    await this.#quietly(() => this.#writer.showAll());
    await this.#logs.flush();
  }

  #log(task: TaskId, texts: () => readonly (string | null)[]): Promise<void> | undefined {
    return this.#logs.add(logFile(task), { at: this.#clock.now(), texts });
  }

  #logDay(texts: () => readonly string[]): Promise<void> | undefined {
    const at = this.#clock.now();
    return this.#logs.add(dayFile("subagents", at), { at, texts });
  }

  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#writer.problems.raise("files", `state files are behind: ${because(error)}`);
    }
  }
}

/** Whose files say something else now: after each turn, what has been said so far. */
function sessionsOf(event: HeldEntry, { spec }: TaskView): SessionId[] {
  if ("session" in event) return [event.session];
  return event.type === "turn.ended" ? [spec.session] : [];
}

/** After these the attempt is over, whatever becomes of the task. */
const LEAVES: ReadonlySet<HeldEntry["type"]> = new Set(["task.ended", "task.requeued", "task.interrupted"] as const);

/** Of the task's status. */
const isChange = (entry: HeldEntry): boolean =>
  entry.type !== "reserve" && entry.type !== "settle" && !("session" in entry) && kindOf(entry) !== "worked";
