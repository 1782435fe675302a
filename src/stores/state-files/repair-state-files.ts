import { join } from "node:path";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Store } from "../../ports/index.ts";
import type { TaskId, TaskView } from "../../schema/index.ts";
import { sessionFile, taskFile } from "./layout.ts";
import { type StateFileOptions, StateWriter } from "./state-writer.ts";
import { type FoundState, isDropped, readState, taskBody, whatDiffers } from "./task-state.ts";

const PAGE = 100;
const MB = 1024 * 1024;
const HOUR_MS = 3_600_000;

export interface Repaired {
  readonly looked: number;
  readonly rewritten: number;
}

/**
 * Makes the files show what the store shows, for when a worker starts: some process may have been killed
 * between its commit and its files. The store wins; an edit is reported in words before it is written over.
 * In a trusted folder `readForeignStates` comes first: it takes up the edits that are wishes.
 */
export async function repairStateFiles(store: Store, options: StateFileOptions): Promise<Repaired> {
  const repair = new Repair(store, options);
  await repair.run();
  return { looked: repair.looked, rewritten: repair.rewritten };
}

class Repair {
  looked = 0;
  rewritten = 0;
  readonly #store: Store;
  readonly #options: StateFileOptions;
  readonly #writer: StateWriter;
  readonly #tasks: OwnedFolder;
  readonly #sessions: OwnedFolder;

  constructor(store: Store, options: StateFileOptions) {
    this.#store = store;
    this.#options = options;
    this.#writer = new StateWriter(store, options);
    this.#tasks = new OwnedFolder(options.layout.folders.tasks);
    this.#sessions = new OwnedFolder(options.layout.folders.sessions);
  }

  async run(): Promise<void> {
    const breathe = yielding();
    const before = this.#options.clock.now() - HOUR_MS;
    for (const folder of [this.#tasks, this.#sessions]) {
      // A folder that cannot be tidied cannot be written to either, and the writer says so.
      await folder.removeTemporary(before).catch(() => undefined);
    }
    for (let last: TaskId | undefined; ;) {
      const page = await this.#store.tasks({ limit: PAGE, before: last });
      for (const view of page) {
        await breathe();
        this.looked++;
        if (await this.#repairTask(view)) this.rewritten++;
        await this.#repairSession(view);
      }
      if (page.length < PAGE) return;
      last = page.at(-1)?.id;
    }
  }

  async #repairTask(view: TaskView): Promise<boolean> {
    const found = readState(this.#tasks, taskFile(view.id), this.#mayHold(view));
    const need = await this.#needOf(found, view);
    if (need === "none") return false;
    if (need === "edited") {
      const { layout } = this.#options;
      const file = layout.shown(join(layout.folders.tasks, taskFile(view.id)));
      const problem = `${file} ${whatDiffers(found, view, layout)}`;
      this.#writer.problems.raise(problem, problem);
    }
    if (found.kind === "missing") this.#writer.plan(view);
    return this.#writer.task(view);
  }

  async #needOf(found: FoundState, view: TaskView): Promise<"none" | "old" | "edited"> {
    if (found.kind === "missing" || isDropped(found, view)) return "old";
    if (found.kind !== "state" || found.stamp?.store !== this.#store.id) return "edited";
    const { position } = found.stamp;
    if (position > view.position) {
      // Somebody has gone on since this page was read; or the log is an older one than the file was made from.
      const now = await this.#store.task(view.id);
      return now !== undefined && now.position >= position ? "none" : "edited";
    }
    const isSame = JSON.stringify(found.body) === JSON.stringify(taskBody(view, this.#options.layout));
    return isSame && position === view.position ? "none" : "old";
  }

  /** Only with its latest task, which comes first: a session may have many. */
  async #repairSession({ id, spec }: TaskView): Promise<void> {
    const session = await this.#store.session(spec.session);
    if (session?.tasks.at(-1) !== id) return;
    const text = await this.#writer.sessionText(spec.session);
    if (text === null) return this.#writer.forget(spec.session);
    if (text === undefined) return;
    const found = this.#sessions.read(sessionFile(spec.session), Buffer.byteLength(text));
    if (found.kind !== "text" || found.text !== text) await this.#writer.session(spec.session);
  }

  /** As much as we would write ourselves, and what a foreign file may hold. */
  #mayHold(view: TaskView): number {
    return MB + 2 * Buffer.byteLength(JSON.stringify(taskBody(view, this.#options.layout)));
  }
}
