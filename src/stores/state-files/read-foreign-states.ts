// State files as a way in: what others have written into the folder of tasks, read as wishes.
import { join } from "node:path";
import { onLine } from "../../domain/on-line.ts";
import { trackedNames } from "../../platform/git-tracked.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Store } from "../../ports/index.ts";
import { TaskId } from "../../schema/index.ts";
import {
  FOREIGN_MAX_BYTES,
  type ForeignWish,
  judgeKnown,
  judgeUnknown,
  problem,
  type Verdict,
} from "./judge-foreign.ts";
import { because } from "./problems.ts";
import type { StateFileOptions } from "./state-writer.ts";
import { readState } from "./task-state.ts";

export interface ForeignStates {
  /** Those to stop first, then those to start, oldest first. */
  readonly wishes: readonly ForeignWish[];
  /** In words, one for each file that is neither ours nor a wish. */
  readonly problems: readonly string[];
}

export interface ForeignOptions extends Pick<StateFileOptions, "layout" | "clock"> {
  /** Files that were looked at before, and what they were like. With the same map only changed ones are read. */
  readonly seen?: Map<string, string>;
}

/** At a time: what is beyond waits for the next look. */
const MAX_WISHES = 1000;
/** A file that changed this recently and makes no sense may not be whole yet. */
const UNSETTLED_MS = 2000;

/**
 * What others wish by way of files: a pending file that nobody knows starts a task, `cancelled` in the file
 * of a task stops it.
 *
 * MUST only be called in a folder that a person has trusted, which this does not check: whoever can write a
 * file here can start an agent. What git tracks is refused even there.
 */
export async function readForeignStates(store: Store, options: ForeignOptions): Promise<ForeignStates> {
  const scan = new Scan(store, options);
  try {
    await scan.look();
    await scan.refuseTracked();
  } catch (error) {
    return { wishes: [], problems: [onLine(because(error))] };
  }
  return scan.found();
}

class Scan {
  readonly #store: Store;
  readonly #options: ForeignOptions;
  readonly #folder: OwnedFolder;
  readonly #seen: Map<string, string>;
  /** Not kept before the end: a look that fails in the middle must not make us forget a wish. */
  readonly #fresh = new Map<string, string>();
  readonly #problems: string[] = [];
  readonly #wishes = new Map<string, ForeignWish>();

  constructor(store: Store, options: ForeignOptions) {
    this.#store = store;
    this.#options = options;
    this.#folder = new OwnedFolder(options.layout.folders.tasks);
    this.#seen = options.seen ?? new Map();
  }

  async look(): Promise<void> {
    const breathe = yielding();
    const present = new Set<string>();
    for await (const name of this.#folder.names()) {
      if (!name.endsWith(".json")) continue;
      present.add(name);
      if (this.#wishes.size >= MAX_WISHES) continue;
      await breathe();
      await this.#lookAt(name);
    }
    for (const name of this.#seen.keys()) if (!present.has(name)) this.#seen.delete(name);
  }

  async #lookAt(name: string): Promise<void> {
    const fingerprint = this.#folder.fingerprint(name);
    if (fingerprint === null || this.#seen.get(name) === fingerprint) return;
    const verdict = await this.#judge(name);
    if (verdict === "later") return;
    this.#fresh.set(name, fingerprint);
    if (verdict.kind === "problem") this.#report(name, verdict.what);
    else if (verdict.kind !== "fine") this.#wishes.set(name, verdict);
  }

  async #judge(name: string): Promise<Verdict | "later"> {
    const id = TaskId.safeParse(name.slice(0, -".json".length)).data;
    if (id === undefined) return problem("is not named after a task: task_<letters, digits and ->.json");
    const found = readState(this.#folder, name, FOREIGN_MAX_BYTES);
    if (found.kind === "unusable" && this.#isUnsettled(found.changedAt)) return "later";
    // After the file: a view that was read before it might be the older of the two.
    const view = await this.#store.task(id);
    const { layout } = this.#options;
    return view === undefined ? judgeUnknown(found, id, layout) : judgeKnown(found, view, this.#store.id, layout);
  }

  #isUnsettled(changedAt: number | null): boolean {
    const age = this.#options.clock.now() - (changedAt ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < UNSETTLED_MS;
  }

  /** A wish is somebody's on this machine: what a project brings along with its files is none. */
  async refuseTracked(): Promise<void> {
    if (this.#wishes.size === 0) return;
    const tracked = await trackedNames(this.#folder.path).catch((error: unknown) => because(error));
    for (const name of this.#wishes.keys()) {
      if (typeof tracked !== "string" && !tracked.has(name)) continue;
      this.#wishes.delete(name);
      if (typeof tracked === "string") this.#fresh.delete(name);
      this.#report(name, typeof tracked === "string" ? `may be tracked by git: ${tracked}` : "is tracked by git");
    }
  }

  found(): ForeignStates {
    for (const [name, fingerprint] of this.#fresh) this.#seen.set(name, fingerprint);
    const all = [...this.#wishes.values()];
    const starts = all.filter((wish) => wish.kind === "start");
    return {
      wishes: [
        ...all.filter(({ kind }) => kind === "stop"),
        ...starts.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
      ],
      problems: this.#problems,
    };
  }

  #report(name: string, what: string): void {
    this.#problems.push(onLine(`${this.#options.layout.shown(join(this.#folder.path, name))} ${what}`));
  }
}
