// How many tasks there are of a kind, kept in step with what is written here: limits are looked at for every task.
import type { TaskId, TaskView, Worker, WorkerId } from "../../schema/index.ts";
import type { Database } from "./database.ts";
import type { KnownRows } from "./known-rows.ts";
import { HOLDERS, workerOf } from "./holders.ts";

const TREES_KNOWN = 1_000;

interface Holder {
  readonly worker: Worker;
  readonly tasks: number;
}

export class TaskCounts {
  readonly #database: Database;
  readonly #computing: KnownRows<"all", number>;
  readonly #inTree: KnownRows<TaskId, number>;
  readonly #holders: KnownRows<"all", ReadonlyMap<WorkerId, Holder>>;

  constructor(database: Database) {
    this.#database = database;
    this.#computing = database.known(1);
    this.#inTree = database.known(TREES_KNOWN);
    this.#holders = database.known(1);
  }

  computing(): number {
    const known = this.#computing.get("all");
    if (known !== undefined) return known;
    const count = this.#count("SELECT count(*) AS count FROM tasks WHERE status = 'running'");
    this.#computing.set("all", count);
    return count;
  }

  inTree(root: TaskId): number {
    const known = this.#inTree.get(root);
    if (known !== undefined) return known;
    const count = this.#count("SELECT count(*) AS count FROM tasks WHERE root = ?", root);
    this.#inTree.set(root, count);
    return count;
  }

  holders(): Worker[] {
    return [...this.#allHolders().values()].map(({ worker }) => worker);
  }

  #allHolders(): ReadonlyMap<WorkerId, Holder> {
    const known = this.#holders.get("all");
    if (known !== undefined) return known;
    const holders = this.#database.all(HOLDERS).map((row) => ({ worker: workerOf(row), tasks: Number(row["tasks"]) }));
    const byId = new Map(holders.map((holder) => [holder.worker.id, holder]));
    this.#holders.set("all", byId);
    return byId;
  }

  /** MUST be called for every change of a task, before it can be asked again. */
  changed(before: TaskView | undefined, task: TaskView): void {
    const computing = this.#computing.get("all");
    if (computing !== undefined) this.#computing.set("all", computing + isComputing(task) - isComputing(before));
    const inTree = before === undefined ? this.#inTree.get(task.spec.root) : undefined;
    if (inTree !== undefined) this.#inTree.set(task.spec.root, inTree + 1);
    if (before?.holder !== task.holder) this.#moved(before?.holder ?? null, task.holder);
  }

  #moved(from: WorkerId | null, to: WorkerId | null): void {
    const known = this.#holders.get("all");
    if (known === undefined) return;
    const holders = new Map(known);
    for (const [id, more] of [
      [from, -1],
      [to, 1],
    ] as const) {
      if (id === null) continue;
      const holder = holders.get(id);
      // Who it is stands in a row of its own, which may be new as well.
      if (holder === undefined) return this.#holders.forget();
      if (holder.tasks + more === 0) holders.delete(id);
      else holders.set(id, { ...holder, tasks: holder.tasks + more });
    }
    this.#holders.set("all", holders);
  }

  #count(sql: string, ...values: string[]): number {
    return Number(this.#database.one(sql, ...values)?.["count"] ?? 0);
  }
}

const isComputing = (task: TaskView | undefined): number => Number(task?.status === "running");
