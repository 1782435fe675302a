// Sessions as rows.
import { agentKey } from "../../domain/agent-names.ts";
import type { SessionQuery } from "../../ports/index.ts";
import type { SessionId, SessionView } from "../../schema/index.ts";
import type { Database, Row, Value } from "./database.ts";
import type { HeldRows } from "./held-rows.ts";
import type { KnownRows } from "./known-rows.ts";
import { writerOfMany } from "./many-rows.ts";

/** Each may be large: a session has its messages. */
const KNOWN = 200;

const write = writerOfMany("INSERT OR REPLACE INTO sessions (id, view, agent, updated_at, is_expired)", 5);

export class SessionRows {
  readonly #database: Database;
  /** `null`: it is not there. */
  readonly #known: KnownRows<SessionId, SessionView | null>;
  readonly #held: HeldRows<SessionId, SessionView>;

  constructor(database: Database) {
    this.#database = database;
    this.#known = database.known(KNOWN);
    this.#held = database.held("sessions", (sessions) => write(database, sessions.map(columns)));
  }

  get(id: SessionId): SessionView | undefined {
    const known = this.#held.get(id) ?? this.#known.get(id);
    if (known !== undefined) return known ?? undefined;
    const row = this.#database.written("SELECT view FROM sessions WHERE id = ?", id);
    const view = row === undefined ? undefined : viewOf(row);
    this.#known.set(id, view ?? null);
    return view;
  }

  put(session: SessionView): void {
    this.#held.set(session.id, session);
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

const columns = (session: SessionView): Value[] => [
  session.id,
  JSON.stringify(session),
  agentKey(session.agent),
  session.updatedAt,
  Number(session.expiredAt !== null),
];

/** Written by this store from a view that was checked; read back as one. */
const viewOf = (row: Row): SessionView => JSON.parse(String(row["view"])) as SessionView;
