// Which files each verb of the store touches. Nothing here can fail the verb: it has committed already.
import { kindOf } from "../../domain/transitions.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Clock, HeldEvent, Store } from "../../ports/index.ts";
import type { Amount, SessionId, TaskCommand, TaskId, TaskView } from "../../schema/index.ts";
import * as lines from "./event-lines.ts";
import { dayFile, logFile } from "./layout.ts";
import { LogFiles } from "./log-files.ts";
import { because } from "./problems.ts";
import { type StateFileOptions, StateWriter } from "./state-writer.ts";
import { attemptEndLines, startingLine } from "./subagent-lines.ts";

/** Sooner than what goes on is shown: whoever follows a log reads along. */
const LINES_AFTER_MS = 20;

export class StateFiles {
  readonly #store: Store;
  readonly #clock: Pick<Clock, "now">;
  readonly #writer: StateWriter;
  readonly #logs: LogFiles;
  /** For verbs that change many tasks: their files together may take longer than a frame. */
  readonly #breathe = yielding();

  constructor(store: Store, options: StateFileOptions) {
    this.#store = store;
    this.#clock = options.clock;
    this.#writer = new StateWriter(store, options);
    const logs = new OwnedFolder(options.layout.folders.logs);
    this.#logs = new LogFiles(
      logs,
      this.#writer.problems,
      options.clock,
      Math.min(LINES_AFTER_MS, options.showAfterMs ?? 0),
    );
  }

  async admitted(views: readonly TaskView[]): Promise<void> {
    await this.#quietly(async () => {
      for (const view of views) {
        await this.#breathe();
        this.#writer.plan(view);
        await this.#writer.goesOn(view);
        this.#log(view.id, lines.admittedLine(view));
        if (view.spec.parent !== null) this.#log(view.spec.parent, lines.childLine(view));
      }
    });
  }

  async claimed(view: TaskView): Promise<void> {
    await this.#quietly(async () => {
      await this.#writer.goesOn(view);
      this.#log(view.id, lines.startedLine(view));
      this.#logDay(startingLine(view));
    });
  }

  /** Most appends change no status: they cost one line in one file, and often not even that. */
  appended(view: TaskView, events: readonly HeldEvent[]): Promise<void> | undefined {
    this.#log(view.id, ...events.map(lines.heldLine));
    const isChange = events.some((event) => !("session" in event) && kindOf(event) !== "worked");
    const sessions = new Set(events.flatMap((event) => sessionsOf(event, view)));
    return isChange || sessions.size > 0 ? this.#appendedChange(view, events, isChange, sessions) : undefined;
  }

  async #appendedChange(
    view: TaskView,
    events: readonly HeldEvent[],
    isChange: boolean,
    sessions: Set<SessionId>,
  ): Promise<void> {
    await this.#quietly(async () => {
      if (isChange && events.every(({ type }) => type === "attempt.suspended")) return this.#writer.goesOn(view);
      if (isChange) sessions.delete(view.spec.session);
      const others = [...sessions].map((session) => this.#writer.spoken(session));
      await Promise.all([isChange ? this.#writer.changed(view) : undefined, ...others]);
      if (events.some(({ type }) => LEAVES.has(type))) this.#logDay(...attemptEndLines(view));
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
      this.#log(view.id, outcome === null ? lines.commandLine(command) : lines.endLine(outcome));
    });
  }

  async interrupted(views: readonly TaskView[], why: string): Promise<void> {
    await this.#quietly(async () => {
      for (const view of views) {
        await this.#breathe();
        await this.#writer.changed(view);
        this.#log(view.id, lines.interruptedLine(why));
        this.#logDay(...attemptEndLines(view));
      }
    });
  }

  async expired(session: SessionId): Promise<void> {
    await this.#quietly(() => this.#writer.forget(session));
  }

  settled(task: TaskId, spent: Amount): void {
    this.#log(task, lines.spentLine(spent));
  }

  async close(): Promise<void> {
    await this.#quietly(() => this.#writer.showAll());
    this.#logs.flush();
  }

  #log(task: TaskId, ...texts: (string | null)[]): void {
    this.#logs.add(
      logFile(task),
      this.#clock.now(),
      texts.filter((text) => text !== null),
    );
  }

  #logDay(...texts: string[]): void {
    const now = this.#clock.now();
    this.#logs.add(dayFile("subagents", now), now, texts);
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
function sessionsOf(event: HeldEvent, { spec }: TaskView): SessionId[] {
  if ("session" in event) return [event.session];
  return event.type === "turn.ended" ? [spec.session] : [];
}

/** After these the attempt is over, whatever becomes of the task. */
const LEAVES: ReadonlySet<HeldEvent["type"]> = new Set(["task.ended", "task.requeued", "task.interrupted"] as const);
