// State files as a way in: what others have written into the folder of tasks, read as wishes.
import { join } from "node:path";
import { z } from "zod";
import { isStatusWord } from "../../domain/status-words.ts";
import { trackedNames } from "../../platform/git-tracked.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Store } from "../../ports/index.ts";
import { AgentName, TaskId, type TaskView } from "../../schema/index.ts";
import { onLine } from "./log-text.ts";
import { because } from "./problems.ts";
import type { StateFileOptions } from "./state-writer.ts";
import { editProblem, type FoundState, isDropped, readState, taskText, wishesStop } from "./task-state.ts";

export type ForeignWish =
  /** Admit it with this id. Somebody else may do so first: a refusal as a duplicate is as good. */
  | {
      readonly kind: "start";
      readonly id: TaskId;
      readonly agent: string;
      readonly prompt: string;
      readonly createdAt: number;
    }
  | { readonly kind: "stop"; readonly task: TaskId };

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

const MAX_BYTES = 1024 * 1024;
const MAX_STARTS = 1000;
/** A file that changed this recently and makes no sense may not be whole yet. */
const UNSETTLED_MS = 2000;

/**
 * What others wish by way of files: a pending file that nobody knows starts a task, `cancelled` in the file
 * of a task stops it. `planFile` and `logFile` in such a file are ignored: paths are ours to choose.
 *
 * MUST only be called in a folder that a person has trusted, which this does not check: whoever can write a
 * file here can start an agent. What git tracks is refused even there.
 */
export async function readForeignStates(store: Store, options: ForeignOptions): Promise<ForeignStates> {
  const scan = new Scan(store, options);
  try {
    await scan.run();
    await scan.refuseTracked();
  } catch (error) {
    return { wishes: [], problems: [onLine(because(error))] };
  }
  return scan.found();
}

const Dropped = z.looseObject({
  agent: AgentName,
  prompt: z.string().min(1),
  createdAt: z.string().transform((text, context) => {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
    context.addIssue("is not a time");
    return z.NEVER;
  }),
});

type Verdict = ForeignWish | { readonly kind: "fine" | "later" } | { readonly kind: "problem"; readonly what: string };

const FINE: Verdict = { kind: "fine" };
const problem = (what: string): Verdict => ({ kind: "problem", what });

class Scan {
  readonly #store: Store;
  readonly #options: ForeignOptions;
  readonly #folder: OwnedFolder;
  readonly #seen: Map<string, string>;
  readonly #problems: string[] = [];
  readonly #wishes = new Map<string, ForeignWish>();

  constructor(store: Store, options: ForeignOptions) {
    this.#store = store;
    this.#options = options;
    this.#folder = new OwnedFolder(options.layout.folders.tasks);
    this.#seen = options.seen ?? new Map();
  }

  async run(): Promise<void> {
    const breathe = yielding();
    const present = new Set<string>();
    for await (const name of this.#folder.names()) {
      if (!name.endsWith(".json")) continue;
      present.add(name);
      const fingerprint = this.#folder.fingerprint(name);
      if (fingerprint === null || this.#seen.get(name) === fingerprint || this.#wishes.size >= MAX_STARTS) continue;
      await breathe();
      const verdict = await this.#judge(name);
      if (verdict.kind === "later") continue;
      this.#seen.set(name, fingerprint);
      if (verdict.kind === "problem") this.#report(name, verdict.what);
      else if (verdict.kind !== "fine") this.#wishes.set(name, verdict);
    }
    for (const name of this.#seen.keys()) if (!present.has(name)) this.#seen.delete(name);
  }

  /** A wish is somebody's on this machine: what a project brings along with its files is none. */
  async refuseTracked(): Promise<void> {
    if (this.#wishes.size === 0) return;
    const tracked = await trackedNames(this.#folder.path).catch((error: unknown) => because(error));
    for (const name of this.#wishes.keys()) {
      if (typeof tracked !== "string" && !tracked.has(name)) continue;
      this.#wishes.delete(name);
      if (typeof tracked === "string") this.#seen.delete(name);
      this.#report(name, typeof tracked === "string" ? `may be tracked by git: ${tracked}` : "is tracked by git");
    }
  }

  found(): ForeignStates {
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

  async #judge(name: string): Promise<Verdict> {
    const id = TaskId.safeParse(name.slice(0, -".json".length)).data;
    if (id === undefined) return problem("is not named after a task: task_<letters, digits and ->.json");
    const found = readState(this.#folder, name, MAX_BYTES);
    if (found.kind === "missing") return FINE;
    if (found.kind === "unusable" && this.#isUnsettled(found.changedAt)) return { kind: "later" };
    // After the file: a view that was read before it might be the older of the two.
    const view = await this.#store.task(id);
    return view === undefined ? this.#judgeUnknown(id, found) : this.#judgeKnown(view, found);
  }

  #isUnsettled(changedAt: number | null): boolean {
    const age = this.#options.clock.now() - (changedAt ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < UNSETTLED_MS;
  }

  #judgeKnown(view: TaskView, found: FoundState): Verdict {
    const { layout } = this.#options;
    if (found.kind === "state" && found.stamp?.store === this.#store.id) return FINE;
    if (isDropped(found, view)) return FINE;
    if (wishesStop(found, view, layout)) return view.stopRequestedBy === null ? { kind: "stop", task: view.id } : FINE;
    const isOurs = found.kind === "large" && taskText(view, this.#store.id, layout).length > MAX_BYTES;
    if (isOurs) return FINE;
    return problem(editProblem(found, view, layout));
  }

  #judgeUnknown(id: TaskId, found: FoundState): Verdict {
    if (found.kind === "missing") return FINE;
    if (found.kind === "large") return problem("is larger than 1 MB");
    if (found.kind === "unusable") return problem(found.why);
    const { taskId, status } = found.body;
    if (taskId !== id) return problem(`says that it is the task ${brief(taskId)}`);
    if (found.isStamped) return problem("was written for a task that this store does not have");
    if (!isStatusWord(String(status), this.#options.layout.dialect))
      return problem(`has an unknown status: ${brief(status)}`);
    if (status !== "pending") return problem(`is ${brief(status)} and not ours: only a pending one is taken`);
    const dropped = Dropped.safeParse(found.body);
    if (!dropped.success) return problem(`cannot be started: ${z.prettifyError(dropped.error)}`);
    const { agent, prompt, createdAt } = dropped.data;
    return { kind: "start", id, agent, prompt, createdAt };
  }
}

const brief = (value: unknown): string => onLine(JSON.stringify(value) ?? "missing", 80);
