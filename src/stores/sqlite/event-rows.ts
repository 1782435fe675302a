// The log as rows. What was written here a moment ago is read back without a look at the file: the engine's own
// reader follows every commit.
import type { ReadQuery } from "../../ports/index.ts";
import type { Envelope, LogEvent, StreamName } from "../../schema/index.ts";
import type { Database, Row, Value } from "./database.ts";
import type { HeldRows } from "./held-rows.ts";
import type { KnownRows } from "./known-rows.ts";
import { writerOfMany } from "./many-rows.ts";

const STREAMS_KNOWN = 20_000;
const EVENTS_KNOWN = 4_000;

const insert = writerOfMany("INSERT INTO events (position, stream, seq, at, attempt, event)", 6);

export class EventRows {
  readonly #database: Database;
  /** The last number of a stream; 0: nothing was ever written to it, as with most of those that are for messages. */
  readonly #seqs: KnownRows<StreamName, number>;
  readonly #recent: KnownRows<number, Row>;
  readonly #head: KnownRows<"head", number>;
  readonly #added: HeldRows<number, readonly Value[]>;

  constructor(database: Database) {
    this.#database = database;
    this.#seqs = database.known(STREAMS_KNOWN);
    this.#recent = database.known(EVENTS_KNOWN);
    this.#head = database.known(1);
    this.#added = database.held("events", (rows) => insert(database, rows));
  }

  add(stream: StreamName, event: LogEvent, at: number, attempt: number | null): Envelope {
    const seq = this.#lastSeq(stream) + 1;
    const position = this.head() + 1;
    const text = JSON.stringify(event);
    const row = { position, stream, seq, at, attempt, event: text };
    this.#added.set(position, [position, stream, seq, at, attempt, text]);
    this.#seqs.set(stream, seq);
    this.#recent.set(position, row);
    this.#head.set("head", position);
    return { position, stream, seq, at, attempt, event };
  }

  /** What it is about is not there: nobody can have written to it. */
  isEmpty(stream: StreamName): void {
    if (this.#seqs.get(stream) === undefined) this.#seqs.set(stream, 0);
  }

  read({ stream, after, limit }: ReadQuery): Envelope[] {
    if (stream === undefined) return (this.#readRecent(after, limit) ?? this.#readAll(after, limit)).map(envelopeOf);
    if (this.#seqs.get(stream) === 0) return [];
    const sql = "SELECT * FROM events WHERE stream = ? AND position > ? ORDER BY seq LIMIT ?";
    const rows = this.#database.all(sql, stream, after, limit);
    if (rows.length === 0 && after === 0 && limit > 0) this.#seqs.set(stream, 0);
    return rows.map(envelopeOf);
  }

  head(): number {
    return (
      this.#head.get("head") ?? Number(this.#database.one("SELECT max(position) AS head FROM events")?.["head"] ?? 0)
    );
  }

  #readAll(after: number, limit: number): Row[] {
    return this.#database.all("SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?", after, limit);
  }

  /** `undefined` where not all that was asked for is known. Positions have no gaps: nothing is ever removed. */
  #readRecent(after: number, limit: number): Row[] | undefined {
    const head = this.#head.get("head");
    if (head === undefined) return undefined;
    const recent = this.#recent.sure();
    const rows: Row[] = [];
    for (let position = after + 1; position <= Math.min(head, after + limit); position++) {
      const row = recent.get(position);
      if (row === undefined) return undefined;
      rows.push(row);
    }
    return rows;
  }

  #lastSeq(stream: StreamName): number {
    const known = this.#seqs.get(stream);
    if (known !== undefined) return known;
    return Number(this.#database.one("SELECT max(seq) AS seq FROM events WHERE stream = ?", stream)?.["seq"] ?? 0);
  }
}

function envelopeOf(row: Row): Envelope {
  return {
    position: Number(row["position"]),
    stream: row["stream"] as StreamName,
    seq: Number(row["seq"]),
    at: Number(row["at"]),
    attempt: row["attempt"] === null ? null : Number(row["attempt"]),
    event: JSON.parse(String(row["event"])) as LogEvent,
  };
}
