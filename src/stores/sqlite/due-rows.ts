// Which task comes next. A worker asks after every end and every new task, and mostly knows it already.
import type { ClaimRequest } from "../../ports/index.ts";
import type { TaskId, TaskView } from "../../schema/index.ts";
import { type Able, canTake } from "../embedded/can-take.ts";
import type { Database, Value } from "./database.ts";
import type { KnownRows } from "./known-rows.ts";
import type { TaskRows } from "./task-rows.ts";

const REQUESTS_KNOWN = 64;
const LOOKED_AHEAD = 32;
/** What becomes due later may come first: a look that did not see the end of what is due is soon too old. */
const LOOK_AGAIN_MS = 20;

export interface NextDue {
  readonly task: TaskView | undefined;
  readonly until: number | null;
}

interface Look {
  readonly able: Able;
  /** Due, in their order. Those that are not pending any more are taken off the front. */
  readonly due: TaskId[];
  readonly isAll: boolean;
  /** When it has to be taken again, at the latest. */
  readonly until: number | null;
}

export class DueRows {
  readonly #database: Database;
  readonly #tasks: TaskRows;
  readonly #looks: KnownRows<string, Look>;
  readonly #writing: KnownRows<"all", readonly TaskId[]>;

  constructor(database: Database, tasks: TaskRows) {
    this.#database = database;
    this.#tasks = tasks;
    this.#looks = database.known(REQUESTS_KNOWN);
    this.#writing = database.known(1);
  }

  /** MUST be called for every change of a task, before it can be asked again. */
  changed(before: TaskView | undefined, task: TaskView): void {
    const isTimed = task.spec.notBefore !== null;
    const isAdded = task.status === "pending" && before === undefined && !isTimed && this.#add(task);
    if ((task.status === "pending" && !isAdded) || (before?.status === "pending" && isTimed)) this.#looks.forget();
    if (before?.holder !== task.holder && task.spec.writes !== undefined) this.#writing.forget();
  }

  /** In its place, wherever it is looked for. False: there is a list that does not reach so far. */
  #add(task: TaskView): boolean {
    for (const { able, due, isAll } of this.#looks.sure().values()) {
      if (!canTake(able, task)) continue;
      if (!isAll || due.length >= LOOKED_AHEAD) return false;
      const behind = due.findLastIndex((id) => (this.#tasks.get(id)?.spec.priority ?? 0) >= task.spec.priority);
      due.splice(behind + 1, 0, task.id);
    }
    return true;
  }

  next(request: ClaimRequest, now: number): NextDue {
    const { fits, values } = fitting(request);
    const asked = [fits, ...values].join("\n");
    const known = this.#looks.get(asked);
    if (known !== undefined && (known.until === null || known.until > now)) {
      const task = this.#firstOf(known.due);
      if (task !== undefined || known.isAll) return { task, until: task === undefined ? known.until : null };
    }
    const look = this.#look(request, now);
    this.#looks.set(asked, look);
    const task = this.#firstOf(look.due);
    // Another process may have queued what is known here as it was before: then it is looked at again in a moment.
    return { task, until: task === undefined ? look.until : null };
  }

  #firstOf(due: TaskId[]): TaskView | undefined {
    for (;;) {
      const [first] = due;
      const task = first === undefined ? undefined : this.#tasks.get(first);
      if (first === undefined || task?.status === "pending") return task;
      due.shift();
    }
  }

  #look(request: ClaimRequest, now: number): Look {
    const { fits, values } = fitting(request);
    const { dispatch, backends, root, has } = request;
    const able = { dispatch, backends, root, has }; // no more: a request knows the tokens of attempts
    // Left to itself SQLite sorts all that is pending, at every claim. This index has them in order.
    const ordered = request.root === undefined ? "INDEXED BY tasks_pending" : "";
    const due = this.#database
      .all(`SELECT id FROM tasks ${ordered} WHERE ${fits} AND ${DUE} ${ORDER} LIMIT ${LOOKED_AHEAD}`, ...values, now)
      .map(({ id }) => id as TaskId);
    if (due.length === LOOKED_AHEAD) return { able, due, isAll: false, until: now + LOOK_AGAIN_MS };
    const sql = `SELECT min(not_before) AS until FROM tasks WHERE ${fits} AND not_before > ?`;
    const until = this.#database.one(sql, ...values, now)?.["until"] ?? null;
    return { able, due, isAll: true, until: until === null ? null : Number(until) };
  }

  writing(): TaskView[] {
    const known = this.#writing.get("all");
    if (known !== undefined) return known.map((id) => this.#tasks.get(id)).filter((task) => task !== undefined);
    const tasks = this.#tasks.select("INDEXED BY tasks_writing WHERE holder IS NOT NULL AND lane IS NOT NULL");
    this.#writing.set(
      "all",
      tasks.map(({ id }) => id),
    );
    return tasks;
  }

  pendingLanes(): string[] {
    return this.#database.all(LANES).map((row) => String(row["lane"]));
  }

  nextIn(lane: string | null, request: ClaimRequest, now: number): TaskView | undefined {
    const { fits, values } = fitting(request);
    const ordered = request.root === undefined ? "INDEXED BY tasks_by_lane" : "";
    const rest = `${ordered} WHERE lane IS ? AND ${fits} AND ${DUE} ${ORDER} LIMIT 1`;
    return this.#tasks.select(rest, lane, ...values, now)[0];
  }

  under(roots: readonly TaskId[], request: ClaimRequest, now: number): TaskView[] {
    const { fits, values } = fitting(request);
    const there = `root IN (${marks(roots)}) AND lane IS NOT NULL`;
    // Not by the status, as SQLite would: a tree is small, and what is pending may not be.
    const rest = `INDEXED BY tasks_by_root WHERE ${there} AND ${fits} AND ${DUE}`;
    return this.#tasks.select(rest, ...roots, ...values, now);
  }
}

const DUE = "(not_before IS NULL OR not_before <= ?)";
const ORDER = "ORDER BY priority DESC, ordinal";

/** From lane to lane by the index: how many tasks are in each does not matter. */
const LANES = `
  WITH RECURSIVE lanes (lane) AS (
    SELECT min(lane) FROM tasks INDEXED BY tasks_by_lane WHERE status = 'pending' AND lane IS NOT NULL
    UNION ALL
    SELECT (SELECT min(tasks.lane) FROM tasks INDEXED BY tasks_by_lane WHERE status = 'pending' AND tasks.lane > lanes.lane)
    FROM lanes WHERE lanes.lane IS NOT NULL
  )
  SELECT lane FROM lanes WHERE lane IS NOT NULL`;

/** Pending, and a task that this worker can run. */
function fitting({ dispatch, backends, root, has }: Able): { readonly fits: string; readonly values: Value[] } {
  const own = has.map(({ name, sha256 }) => `${name}:${sha256}`);
  const lacking = `SELECT 1 FROM json_each(needs) WHERE (value ->> 'name') || ':' || (value ->> 'sha256') NOT IN (${marks(own)})`;
  const inTree = root === undefined ? "" : " AND root = ?";
  return {
    fits: `status = 'pending' AND dispatch IN (${marks(dispatch)}) AND backend IN (${marks(backends)}) AND (needs IS NULL OR NOT EXISTS (${lacking}))${inTree}`,
    values: [...dispatch, ...backends, ...own, ...(root === undefined ? [] : [root])],
  };
}

const marks = (values: readonly string[]): string => values.map(() => "?").join(", ");
