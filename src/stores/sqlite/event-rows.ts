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

const insertEvents = writerOfMany("INSERT INTO events (position, stream, seq, at, attempt, event)", 6);
const insertStreams = writerOfMany("INSERT INTO streams (id, name)", 2);

interface Stream {
  /** `undefined`: nothing was ever written to it, as with most of those that are for messages. */
  readonly id: number | undefined;
  readonly seq: number;
}
const EMPTY: Stream = { id: undefined, seq: 0 };

export class EventRows {
  readonly #database: Database;
  readonly #streams: KnownRows<StreamName, Stream>;
  readonly #recent: KnownRows<number, Row>;
  readonly #last: KnownRows<"position" | "stream", number>;
  readonly #added: HeldRows<number, readonly Value[]>;
  readonly #opened: HeldRows<number, readonly Value[]>;

  constructor(database: Database) {
    this.#database = database;
    this.#streams = database.known(STREAMS_KNOWN);
    this.#recent = database.known(EVENTS_KNOWN);
    this.#last = database.known(2);
    this.#added = database.held("events", (rows) => insertEvents(database, rows));
    this.#opened = database.held("streams", (rows) => insertStreams(database, rows));
  }

  add(stream: StreamName, event: LogEvent, at: number, attempt: number | null): Envelope {
    const before = this.#stream(stream);
    const id = before.id ?? this.#open(stream);
    const seq = before.seq + 1;
    const position = this.head() + 1;
    const text = JSON.stringify(event);
    this.#added.set(position, [position, id, seq, at, attempt, text]);
    this.#streams.set(stream, { id, seq });
    this.#recent.set(position, { position, stream, seq, at, attempt, event: text });
    this.#last.set("position", position);
    return { position, stream, seq, at, attempt, event };
  }

  #open(stream: StreamName): number {
    const id = this.#lastOf("stream", "SELECT max(id) AS last FROM streams") + 1;
    this.#opened.set(id, [id, stream]);
    this.#last.set("stream", id);
    return id;
  }

  /** What it is about is not there: nobody can have written to it. */
  isEmpty(stream: StreamName): void {
    if (this.#streams.get(stream) === undefined) this.#streams.set(stream, EMPTY);
  }

  read({ stream, after, limit }: ReadQuery): Envelope[] {
    if (stream === undefined) return (this.#readRecent(after, limit) ?? this.#readAll(after, limit)).map(envelopeOf);
    const { id } = this.#stream(stream);
    if (id === undefined) return [];
    const sql = "SELECT * FROM events WHERE stream = ? AND position > ? ORDER BY seq LIMIT ?";
    return this.#database.all(sql, id, after, limit).map((row) => envelopeOf({ ...row, stream }));
  }

  /**
   * Those of a stream after a position, from its end: there are few of them, however many it has. As the file has them, and
   * not as they were known: whoever joins two streams needs both from one moment (`Database.atOnce`).
   */
  later(stream: StreamName, after: number): Envelope[] {
    const later: Row[] = [];
    // Mostly there is none: the last one says so.
    for (let [seen, few] = [0, 1]; ; [seen, few] = [seen + few, FEW]) {
      const rows = this.#database.all(FROM_END, stream, few, seen);
      later.push(...rows.filter(({ position }) => Number(position) > after));
      if (rows.length < few || Number(rows.at(-1)?.["position"]) <= after) break;
    }
    return later.toReversed().map((row) => envelopeOf({ ...row, stream }));
  }

  head(): number {
    return this.#lastOf("position", "SELECT max(position) AS last FROM events");
  }

  #lastOf(what: "position" | "stream", sql: string): number {
    return this.#last.get(what) ?? Number(this.#database.one(sql)?.["last"] ?? 0);
  }

  #readAll(after: number, limit: number): Row[] {
    return this.#database.all(ALL, after, limit);
  }

  /** `undefined` where not all that was asked for is known. Positions have no gaps: nothing is ever removed. */
  #readRecent(after: number, limit: number): Row[] | undefined {
    const head = this.#last.get("position");
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

  #stream(name: StreamName): Stream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const row = this.#database.one(STREAM, name);
    const stream = row === undefined ? EMPTY : { id: Number(row["id"]), seq: Number(row["seq"]) };
    this.#streams.set(name, stream);
    return stream;
  }
}

const STREAM = "SELECT id, (SELECT max(seq) FROM events WHERE stream = streams.id) AS seq FROM streams WHERE name = ?";

const FEW = 32;
const FROM_END = `
  SELECT * FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY seq DESC LIMIT ? OFFSET ?`;

/** In the order of the first: there are as many rows as events. */
const ALL = `
  SELECT position, name AS stream, seq, at, attempt, event FROM events CROSS JOIN streams ON streams.id = events.stream
  WHERE position > ? ORDER BY position LIMIT ?`;

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
