import type { WorkOptions } from "../engine/index.ts";
import type { OperationInput, OperationName, OperationOutput } from "../operations/index.ts";
import type { FoundBackend, Obstacle } from "../ports/index.ts";
import type {
  ConfinementLabel,
  CoolDown,
  CustodyTier,
  Envelope,
  TaskId,
  TaskStatus,
  TaskView,
} from "../schema/index.ts";

export interface ModelsFound {
  readonly default: string | null;
  /** Why the default cannot be used. */
  readonly obstacle: Obstacle | null;
  readonly providers: readonly {
    readonly name: string;
    readonly variables: readonly string[];
    readonly isMet: boolean;
    /** Why it cannot be used although its key is set: an address that is none. */
    readonly obstacle: Obstacle | null;
  }[];
}

export interface BackendFound extends FoundBackend {
  readonly name: string;
  readonly cannot: readonly string[];
  /** It was limited, and is not chosen by itself for a while. */
  readonly coolDown: CoolDown | null;
}

/** An open Cadre: the library's face, and what every mouth speaks to. It keeps the process alive until it is closed. */
export interface Cadre extends AsyncDisposable {
  readonly home: string;
  readonly project: string;

  /** A status in the words of this home's layout: a home that is Gemini CLI's says `complete`. */
  statusWord(status: TaskStatus): string;

  /** How surely nothing of an attempt outlives it, on this machine. Finding out may start a few programs. */
  custodyTier(): Promise<CustodyTier>;

  /** What holds the programs of attempts to their policy, on this machine. Finding out starts one. */
  confinement(): Promise<ConfinementLabel>;

  /** The file with what a driven program really said of a task, from the project; `null` where there is none. */
  rawLog(task: TaskId): string | null;

  /** Calls back once it listens, and whenever the agents that there are have become others, until the signal. */
  watchAgents(onChange: () => void, signal: AbortSignal): Promise<void>;

  /** What has changed in the project's repository since its last commit, or another; new files, too. Empty: nothing. */
  diff(against?: string): Promise<string>;

  /** The providers of models there are, and whether the key that each needs is set; what agents run on by default. */
  models(): Promise<ModelsFound>;

  /** Programs that agents can run on, whether they are there, and what they cannot do. */
  backends(): Promise<readonly BackendFound[]>;

  /** Any operation by its name, typed by it. */
  call<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>>;

  /** Queues a task. Something must work for it to run: `run`, `work`, or another process. */
  start(request: OperationInput<"task.start">): Promise<TaskView>;

  /**
   * Works, here, until a task and everything below it have ended. Aborting stops the task: the promise still
   * resolves, with the task as it ended.
   */
  finish(task: TaskView, signal?: AbortSignal): Promise<TaskView>;

  /** Starts a task and finishes it. */
  run(request: OperationInput<"task.start">, signal?: AbortSignal): Promise<TaskView>;

  /** Takes up what was dropped as a state file, and makes the files show what the log says. For a worker's start. */
  syncFiles(): Promise<void>;

  /** Makes sure that a worker of its own lives for this store, which runs what is queued and outlives this process. */
  ensureWorker(): Promise<void>;

  /** The same, where something is queued that was left to that worker, and it is gone. */
  wakeWorker(): Promise<void>;

  /** Is that worker, until nothing is left to do. False: there is one already. */
  reside(signal?: AbortSignal): Promise<boolean>;

  /** Runs queued tasks in this process; by default until none is left. */
  work(options?: Partial<WorkOptions>, signal?: AbortSignal): Promise<void>;

  /**
   * What happens to a task and everything below it, until all of it has ended: from its beginning, or after a
   * place in the log.
   */
  tail(root: TaskView, options?: { after?: number; signal?: AbortSignal }): AsyncIterable<Envelope>;

  close(): Promise<void>;
}
