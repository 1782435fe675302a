// Sessions as rows.
import { agentKey } from "../../domain/agent-names.ts";
import type { SessionQuery } from "../../ports/index.ts";
import type { SessionId, SessionView } from "../../schema/index.ts";
import type { Database, Row, Value } from "./database.ts";
import type { KnownRows } from "./known-rows.ts";

/** Each may be large: a session has its messages. */
const KNOWN = 200;

export class SessionRows {
  readonly #database: Database;
  readonly #known: KnownRows<SessionId, SessionView>;

  constructor(database: Database) {
    this.#database = database;
    this.#known = database.known(KNOWN);
  }

  get(id: SessionId): SessionView | undefined {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const row = this.#database.one("SELECT view FROM sessions WHERE id = ?", id);
    if (row === undefined) return undefined;
    const view = viewOf(row);
    this.#known.set(id, view);
    return view;
  }

  put(session: SessionView): void {
    this.#database.hold(`session ${session.id}`, () =>
      this.#database.run(
        "INSERT OR REPLACE INTO sessions (id, view, agent, updated_at, is_expired) VALUES (?, ?, ?, ?, ?)",
        session.id,
        JSON.stringify(session),
        agentKey(session.agent),
        session.updatedAt,
        Number(session.expiredAt !== null),
      ),
    );
    this.#known.set(session.id, session);
  }

  list({ agent, unusedSince, before, limit }: SessionQuery): SessionView[] {
    const clauses = ["is_expired = 0"];
    const values: Value[] = [];
    const where = (clause: string, value: Value) => {
      clauses.push(clause);
      values.push(value);
    };
    if (agent !== undefined) where("agent = ?", agentKey(agent));
    if (unusedSince !== undefined) where("updated_at < ?", unusedSince);
    if (before !== undefined) where("(updated_at, id) < (SELECT updated_at, id FROM sessions WHERE id = ?)", before);
    return this.#database
      .all(
        `SELECT view FROM sessions WHERE ${clauses.join(" AND ")} ORDER BY updated_at DESC, id DESC LIMIT ?`,
        ...values,
        limit,
      )
      .map(viewOf);
  }
}

/** Written by this store from a view that was checked; read back as one. */
const viewOf = (row: Row): SessionView => JSON.parse(String(row["view"])) as SessionView;
