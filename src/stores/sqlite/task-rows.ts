// Tasks as rows. What was admitted never changes and may be large: it is written once, apart from the state. While a task
// is held, its row may be behind its events; whoever reads it adds those.
import { agentKey } from "../../domain/agent-names.ts";
import { applyKept } from "../../domain/task-projection.ts";
import { laneOf } from "../../domain/write-lanes.ts";
import type { TaskQuery } from "../../ports/index.ts";
import type { TaskId, TaskRef, TaskView } from "../../schema/index.ts";
import type { Database, Row, Value } from "./database.ts";
import type { EventRows } from "./event-rows.ts";
import type { HeldRows } from "./held-rows.ts";
import type { KnownRows } from "./known-rows.ts";

const CACHED = 500;
/** So often may what changes nothing that is searched by be left to the log, until a reader would have too much to add. */
const LEFT_AT_MOST = 32;

/** Of one task: as it is, and as it was before; `undefined` where it is new. */
interface Change {
  readonly task: TaskView;
  readonly before: TaskView | undefined;
}

export class TaskRows {
  readonly #database: Database;
  readonly #events: EventRows;
  /** Parsed views, good for as long as the row's position says so: another process may have moved on. */
  readonly #cache = new Map<string, TaskView>();
  readonly #known: KnownRows<string, TaskView>;
  readonly #held: HeldRows<string, Change>;
  /** How often each was left to the log. */
  readonly #left = new Map<string, number>();

  constructor(database: Database, events: EventRows) {
    this.#database = database;
    this.#events = events;
    this.#known = database.known(CACHED);
    this.#held = database.held("tasks", (changes) => {
      for (const change of changes) this.#write(change);
    });
  }

  get(id: TaskId): TaskView | undefined {
    const known = this.#held.get(id)?.task ?? this.#known.get(id);
    if (known !== undefined) return known;
    return this.#database.atOnce(() => {
      const row = this.#database.written("SELECT id, position, holder FROM tasks WHERE id = ?", id);
      return row === undefined ? undefined : this.#view(row);
    });
  }

  put(task: TaskView): void {
    const held = this.#held.get(task.id);
    const isNew = held === undefined && task.position === task.firstPosition;
    const before = held === undefined && !isNew ? this.get(task.id) : held?.before;
    this.#held.set(task.id, { task, before });
    this.#keep(task);
  }

  #write({ task, before }: Change): void {
    const isFoundAlike = before !== undefined && areFoundAlike(before, task);
    if (isFoundAlike && this.#isLeft(task)) return;
    const { spec: _spec, ...rest } = task;
    const state = JSON.stringify(rest);
    if (before === undefined)
      this.#database.run(INSERT, ...fixedColumns(task), ...searchedColumns(task), task.position, state);
    // Indexes are the dearer part of an update.
    else if (isFoundAlike) this.#database.run(UPDATE_STATE, task.position, state, task.id);
    else this.#database.run(UPDATE, ...searchedColumns(task), task.position, state, task.id);
    this.#left.delete(task.id);
    for (const { id } of task.approvals.slice(before?.approvals.length ?? 0)) {
      this.#database.run("INSERT INTO approvals (id, task) VALUES (?, ?)", id, task.id);
    }
  }

  #isLeft({ id, holder }: TaskView): boolean {
    const times = (this.#left.get(id) ?? 0) + 1;
    if (holder === null || times > LEFT_AT_MOST) return false;
    this.#left.set(id, times);
    return true;
  }

  /** What was undone may have left views here that never came to be. */
  forget(): void {
    this.#cache.clear();
  }

  list({ status, agent, root, parent, asking, before, limit }: TaskQuery): TaskView[] {
    const clauses: string[] = [];
    const values: Value[] = [];
    const where = (clause: string, ...given: Value[]) => {
      clauses.push(clause);
      values.push(...given);
    };
    if (status !== undefined) where(`status IN (${status.map(() => "?").join(", ")})`, ...status);
    if (agent !== undefined) where("agent = ?", agentKey(agent));
    if (root !== undefined) where("root = ?", root);
    if (parent !== undefined) where("parent = ?", parent);
    if (asking === true) where("asking = 1");
    else if (asking !== undefined) where("id = (SELECT task FROM approvals WHERE id = ?)", asking);
    if (before !== undefined) where("ordinal < (SELECT ordinal FROM tasks WHERE id = ?)", before);
    const condition = clauses.length === 0 ? "" : `WHERE ${clauses.join(" AND ")}`;
    return this.select(`${condition} ORDER BY ordinal DESC LIMIT ?`, ...values, limit);
  }

  find(ref: TaskRef, limit: number): TaskView[] {
    switch (ref.kind) {
      case "last":
        return this.select("ORDER BY ordinal DESC LIMIT 1");
      case "number":
        return this.select("WHERE agent = ? AND number = ?", ref.agent, ref.number);
      case "id": {
        const whole = this.select("WHERE id = ?", ref.text);
        return whole.length > 0 ? whole : this.select("WHERE substr(id, -length(?1)) = ?1 LIMIT ?2", ref.text, limit);
      }
    }
  }

  /** Tasks by the end of a query: conditions, order, limit. */
  select(rest: string, ...values: Value[]): TaskView[] {
    const known = this.#known.sure();
    return this.#database.atOnce(() =>
      this.#database
        .all(`SELECT id, position, holder FROM tasks ${rest}`, ...values)
        .map((row) => known.get(String(row["id"])) ?? this.#view(row)),
    );
  }

  /** Of a row that was read `atOnce` with this: a view that knew one of its events and not the one before would be kept as it is. */
  #view({ id, position, holder }: Row): TaskView {
    const cached = this.#cache.get(String(id));
    const before = cached !== undefined && cached.position >= Number(position) ? cached : this.#parsed(String(id));
    const view = holder === null ? before : this.#withLater(before);
    this.#keep(view);
    return view;
  }

  /** Written by this store from a view that was checked; read back as one. */
  #parsed(id: string): TaskView {
    const row = this.#database.written("SELECT spec, state FROM tasks WHERE id = ?", id);
    return { ...JSON.parse(String(row?.["state"])), spec: JSON.parse(String(row?.["spec"])) } as TaskView;
  }

  /** What has happened since stands in the log. */
  #withLater(before: TaskView): TaskView {
    const streams = [`task:${before.id}`, `control:${before.id}`] as const;
    const later = streams.flatMap((stream) => this.#events.later(stream, before.position));
    return later.toSorted((a, b) => a.position - b.position).reduce(applyKept, before);
  }

  #keep(task: TaskView): void {
    this.#known.set(task.id, task);
    this.#cache.delete(task.id);
    this.#cache.set(task.id, task);
    if (this.#cache.size > CACHED) this.#cache.delete(this.#cache.keys().next().value ?? "");
  }
}

const FIXED = "id, ordinal, agent, number, root, parent, dispatch, priority, not_before, lane, needs, spec";
const INSERT = `INSERT INTO tasks (${FIXED}, status, backend, holder, asking, position, state) VALUES (${"?, ".repeat(17)}?)`;
const UPDATE = "UPDATE tasks SET status = ?, backend = ?, holder = ?, asking = ?, position = ?, state = ? WHERE id = ?";
const UPDATE_STATE = "UPDATE tasks SET position = ?, state = ? WHERE id = ?";

const fixedColumns = ({ id, firstPosition, number, spec }: TaskView): Value[] => [
  id,
  firstPosition,
  agentKey(spec.definition.name),
  number,
  spec.root,
  spec.parent,
  spec.dispatch,
  spec.priority,
  spec.notBefore,
  laneOf(spec),
  spec.needs.length === 0 ? null : JSON.stringify(spec.needs),
  JSON.stringify(spec),
];

const searchedColumns = (task: TaskView): Value[] => [task.status, task.backend, task.holder, isAsking(task) ? 1 : 0];

const isAsking = ({ approvals }: TaskView): boolean => approvals.some(({ state }) => state === "open");

const areFoundAlike = (a: TaskView, b: TaskView): boolean =>
  a.status === b.status &&
  a.backend === b.backend &&
  a.holder === b.holder &&
  isAsking(a) === isAsking(b) &&
  a.approvals.length === b.approvals.length;
