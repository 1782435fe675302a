import type { BackendName, Cost, Exit, FailReason, Json, SessionMessage, TaskSpec, TaskView } from "../schema/index.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import type { Confined } from "./confinement.ts";
import type { Keep } from "./custody.ts";
import type { PreparedWorkspace } from "./workspace.ts";

/** Known before anything is dispatched: admission refuses what a backend could not keep. */
export interface Capabilities {
  /**
   * What a new attempt can build on. `none`: nothing. `session`: the backend's own conversation, when a
   * person says so. `turn`: the last durable turn, by itself and without running anything twice.
   */
  readonly resume: "none" | "session" | "turn";
  /** Can stop and wait for a person. Where not, "ask" becomes "deny". */
  readonly approvals: boolean;
  /** Can take messages between turns. */
  readonly steering: boolean;
  /** Can be held to an output schema by itself. */
  readonly structuredOutput: boolean;
  /** Can be held to a list of tools. */
  readonly toolFilter: boolean;
  /** Gives the agent the MCP servers of its definition. Where not, one that has any is refused. */
  readonly mcpServers?: boolean | undefined;
  /** When it says what its models took. `untold`: never, although it uses some. `none`: it has none of its own. */
  readonly usage: "per-call" | "at-end" | "untold" | "none";
  readonly largestPromptBytes: number;
  /** Starts programs: they are kept in custody. */
  readonly processes: boolean;
  /** When the time is up it can still say how far it came: it is given a last moment for that. */
  readonly lastWords: boolean;
}

/** What there is of a backend's program on this machine. */
export interface FoundBackend {
  readonly isThere: boolean;
  /** Its version and by what it is logged in, or what is missing. */
  readonly says: string;
  readonly fix: string | null;
}

/** Why a backend cannot take a task, and what would help. */
export interface Obstacle {
  readonly message: string;
  readonly hint: string;
}

/** Where an attempt may write whatever its workspace says. Absolute. */
export interface OwnFiles {
  readonly plan: string;
  /** `workspace/` of the home. */
  readonly folder: string;
  /** Both, as a policy names them: from the project where they lie in it. */
  readonly scopes: readonly string[];
}

export interface Attempt {
  readonly task: TaskView;
  readonly attempt: number;
  /** Lets a nested call in as this attempt's child. For the backend's process only; never logged. */
  readonly token: string;
  readonly workspace: PreparedWorkspace;
  readonly confinement: Confined;
  /** Where a backend starts its programs. It MUST NOT start any elsewhere. */
  readonly keep: Keep;
  readonly own: OwnFiles;
  /** Folders of Cadre's own state, besides those called `.cadre`, as a policy names them. */
  readonly homes: readonly string[];
  /** Whether a `.cadre` deeper in the project is one of these. Absent: each of them. */
  readonly isHome?: ((path: string) => boolean) | undefined;
  /**
   * All that it may take from its start on, as far as is known now: what was set aside for a backend that cannot say what one
   * call costs. Null: nothing limits its money, or it reserves call by call. A backend that can hold itself to it MUST.
   */
  mostMicroUsd(): number | null;
  /** What the session held before this task. */
  readonly history: readonly SessionMessage[];
}

export interface Answered {
  readonly kind: "answered";
  readonly answer: string;
  readonly output?: Json | undefined;
  /** What the agent ended by, where it has exits. */
  readonly exit?: Exit | undefined;
  /** The end itself is the answer, also without a word: a program, which is no agent. */
  readonly mayBeSilent?: boolean | undefined;
  /** For a backend whose usage is known only at its end: all of this attempt, also before a revision. */
  readonly spent?: Cost | undefined;
  /** Set when only the grace turn saved it: the limit that was hit. */
  readonly recovered?: FailReason | undefined;
  /** The answer breaks off: nobody could be asked for its end. */
  readonly isCut?: boolean | undefined;
  /** A gate was not content: go on from here with its feedback. Absent: this backend cannot. */
  readonly revise?: ((feedback: string) => Promise<BackendEnd>) | undefined;
  /**
   * Called once, when no revision will follow. Lets go of what was kept for one. A complaint (a tape with
   * steps left, a process that died) turns the answer into a failure.
   */
  readonly close?: (() => Promise<string | undefined>) | undefined;
}

export interface Failed {
  readonly kind: "failed";
  readonly reason: FailReason;
  readonly message: string;
  readonly spent?: Cost | undefined;
  /** How long whoever limited it wants to be left alone, where that was said. */
  readonly retryAfterMs?: number | undefined;
}

export type BackendEnd = Answered | Failed;

/**
 * One way to run an attempt: a CLI that we drive, an ACP peer, our own loop, a program, a tape.
 *
 * `run` returns one end, by its type: there is no stream that could just stop. So:
 *
 * - It MAY reject only for a bug of its own, and the engine then says `crashed`. Failing work is a `Failed`:
 *   by then files may be edited and money spent, and an exception does not say how it ended.
 * - An exit code 0, an HTTP 200 or silence is not an answer. Without a final answer, say `no_completion`.
 * - On abort it MUST end everything that it started before it returns: the workspace is released right
 *   after, and a child that still writes there spoils the next attempt.
 * - It MUST NOT retry, nor decide what is allowed. Both cost money or widen rights, and are the engine's.
 * - It MUST NOT keep anything between attempts, except through the session.
 */
export interface Backend {
  readonly name: BackendName;
  readonly capabilities: Capabilities;
  /** Restrictions that it keeps by a limit that is equal or tighter: said when the attempt is prepared. */
  narrowed?(spec: TaskSpec): readonly string[];
  /** For people who ask what there is. Absent: it needs no program. */
  look?(): Promise<FoundBackend>;
  /** The variables that hold its secrets. Absent: it needs none. */
  readonly secrets?: {
    /** All that any task of it may need. */
    names(): Promise<readonly string[]>;
    /** Of those that are set here, the ones that this task will use: only a worker that has the same may take it. */
    neededBy(spec: TaskSpec): Promise<readonly string[]>;
  };
  /**
   * Asked at admission: a key that is missing, a model that nobody knows, a price that is unknown where money is
   * limited (here or above). Absent: there is none.
   */
  obstacle?(spec: TaskSpec, isMoneyLimited: boolean): Promise<Obstacle | null>;
  run(attempt: Attempt, scope: AttemptScope): Promise<BackendEnd>;
}
