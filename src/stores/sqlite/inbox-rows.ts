// Items of the inbox as rows. An item's id ends in the position of its event, so the order of positions is theirs.
import type { InboxQuery } from "../../ports/index.ts";
import type { InboxItem, InboxItemId, TaskId } from "../../schema/index.ts";
import type { Database, Row, Value } from "./database.ts";

export class InboxRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(id: InboxItemId): InboxItem | undefined {
    const row = this.#database.one("SELECT item FROM inbox WHERE id = ?", id);
    return row === undefined ? undefined : itemOf(row);
  }

  of(task: TaskId): InboxItem[] {
    return this.#database.all("SELECT item FROM inbox WHERE task = ? ORDER BY ordinal", task).map(itemOf);
  }

  put(item: InboxItem): void {
    this.#database.run(
      `INSERT INTO inbox (ordinal, id, task, root, is_unread, is_open, item) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (ordinal) DO UPDATE SET is_unread = excluded.is_unread, is_open = excluded.is_open, item = excluded.item`,
      ordinalOf(item.id),
      item.id,
      item.task,
      item.root,
      Number(item.read === null),
      Number(item.isOpen),
      JSON.stringify(item),
    );
  }

  list({ state, root, before, limit }: InboxQuery): InboxItem[] {
    const clauses = [...STATES[state]];
    const values: Value[] = [];
    if (root !== undefined) {
      clauses.push("root = ?");
      values.push(root);
    }
    if (before !== undefined) {
      clauses.push("ordinal < ?");
      values.push(ordinalOf(before));
    }
    const condition = clauses.length === 0 ? "" : `WHERE ${clauses.join(" AND ")}`;
    return this.#database
      .all(`SELECT item FROM inbox ${condition} ORDER BY ordinal DESC LIMIT ?`, ...values, limit)
      .map(itemOf);
  }
}

const STATES: Readonly<Record<InboxQuery["state"], readonly string[]>> = {
  unread: ["is_unread = 1"],
  waiting: ["(is_unread = 1 OR is_open = 1)"],
  all: [],
};

const ordinalOf = (id: InboxItemId): number => Number(id.slice(id.indexOf("_") + 1));

/** Written by this store from an item that was checked; read back as one. */
const itemOf = (row: Row): InboxItem => JSON.parse(String(row["item"])) as InboxItem;
