import { inboxChanges, type InboxPlace } from "../../domain/inbox-projection.ts";
import type { Clock } from "../../ports/index.ts";
import type { ControlEvent, InboxEvent, InboxItem, InboxItemId, TaskEvent, TaskView } from "../../schema/index.ts";
import type { Tables } from "./tables.ts";

/** Items of the inbox, kept in step with the log. Called inside transactions. */
export class Inbox {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, "now">;

  constructor(tables: Tables, clock: Pick<Clock, "now">) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** `task`: as the event has left it. */
  follow(task: TaskView, event: TaskEvent | ControlEvent | InboxEvent, place: InboxPlace): void {
    const changed = inboxChanges(task, event, place, {
      itemsOf: (id) => this.#tables.itemsOf(id),
      task: (id) => this.#tables.task(id),
    });
    for (const item of changed) this.#tables.putItem(item);
  }

  /** Those that nobody had read, as they are then. One fact for each task. */
  acknowledge(ids: readonly InboxItemId[], by: string): InboxItem[] {
    const unread = [...new Set(ids)]
      .map((id) => this.#tables.item(id))
      .filter((item) => item !== undefined)
      .filter(({ read }) => read === null);
    for (const [id, items] of Map.groupBy(unread, ({ task }) => task)) {
      const task = this.#tables.task(id);
      if (task === undefined) continue;
      const event = { type: "item.acknowledged", task: id, items: items.map((item) => item.id), by } as const;
      this.follow(task, event, this.#tables.addEvent(`inbox:${id}`, event, this.#clock.now(), null));
    }
    return unread.map(({ id }) => this.#tables.item(id)).filter((item) => item !== undefined);
  }
}
