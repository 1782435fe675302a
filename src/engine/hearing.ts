// Messages that were sent to a task, handed to its agent one by one: each is marked as received when it is
// handed over, so that none is lost with an attempt and none is given twice.
import type { Heard } from "../ports/index.ts";
import type { TaskView } from "../schema/index.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";

const PAGE = 100;

export class Hearing {
  readonly #parts: RunningParts;
  readonly #journal: Journal;
  #after: number;
  /** One at a time: two strands that listen get two messages, not one twice. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: RunningParts, journal: Journal, task: TaskView) {
    this.#parts = parts;
    this.#journal = journal;
    this.#after = task.heardThrough;
  }

  /** The next message, where there is one. */
  next(): Promise<Heard | undefined> {
    const next = this.#turn.then(() => this.#take());
    this.#turn = next.catch(() => undefined);
    return next;
  }

  async all(): Promise<Heard[]> {
    const heard: Heard[] = [];
    for (let next = await this.next(); next !== undefined; next = await this.next()) heard.push(next);
    return heard;
  }

  async #take(): Promise<Heard | undefined> {
    const { store } = this.#parts;
    for (;;) {
      const page = await store.read({ stream: `control:${this.#journal.hold.task}`, after: this.#after, limit: PAGE });
      if (page.length === 0) return undefined;
      for (const { position, event } of page) {
        if (event.type !== "message.sent") {
          this.#after = position;
          continue;
        }
        const { text, by } = event;
        await this.#journal.append({ type: "message.received", text, by, control: position });
        this.#after = position;
        return { text, by };
      }
    }
  }
}
