import type { SessionId, TaskId, TaskView, WorkspaceBinding, WorkspaceKept } from "../schema/index.ts";
import type { Obstacle } from "./backend.ts";

/** Files of a workspace, for tools that run in our own process. Paths are relative to its root. */
export interface WorkspaceFiles {
  /** Rejects with an `input.invalid` that a model can act on: absent, not a file, outside, too large. */
  read(path: string): Promise<string>;
  /** Whole or not at all: a new file, renamed into place. Never follows a link out of the root. */
  write(path: string, content: string): Promise<void>;
}

export interface PreparedWorkspace {
  readonly root: string;
  /** Where the relative paths of a policy begin: the project, or what stands for it here. The root lies in it. */
  readonly base: string;
  /** What programs in it have to read besides: the repository that a worktree belongs to. Never to be written. */
  readonly reads: readonly string[];
  /** What somebody who expects the project itself will not find here, in words. */
  readonly narrowed: readonly string[];
  readonly files: WorkspaceFiles;
  /**
   * Called once, when nothing of the attempt runs any more. MUST NOT delete work that was not committed or
   * taken over. `null`: there is nothing that somebody would have to take over.
   */
  release(): Promise<WorkspaceKept | null>;
}

/**
 * Where an attempt works.
 *
 * - `prepare` MUST refuse a mode that it does not know with `admission.refused`: falling back to a wider
 *   one would drop a restriction silently.
 * - Attempts of one session MUST find what earlier ones of it left, also where a worker was killed.
 * - It MUST NOT run anything that the project names: hooks, filters, drivers.
 */
export interface Workspaces {
  readonly modes: readonly WorkspaceBinding["mode"][];
  /** Why a task could not work there, asked at admission. */
  obstacle?(binding: WorkspaceBinding): Promise<Obstacle | null>;
  /** May wait for others to be done there: `signal` ends that, with its reason. */
  prepare(task: TaskView, attempt: number, signal?: AbortSignal): Promise<PreparedWorkspace>;
}

/** Work that lies in a tree of its own, and waits for a person. */
export interface KeptWork {
  readonly session: SessionId;
  readonly mode: "worktree" | "sandbox";
  readonly agent: string;
  /** The one that it was made for; others of its session may have gone on with it. */
  readonly task: TaskId;
  readonly root: string;
  readonly branch: string | null;
  readonly base: string;
  /** Whether something lies there that is not committed: an attempt is at work, or its worker was killed. */
  readonly isUncommitted: boolean;
}

export interface ChangedFile {
  readonly path: string;
  /** What became of it, in git's letter: added, copied, deleted, modified, renamed, or of another type. */
  readonly change: "A" | "C" | "D" | "M" | "R" | "T";
  /** Its name before, where it was renamed. */
  readonly from: string | null;
  /** `null`: it is not text. */
  readonly insertions: number | null;
  readonly deletions: number | null;
}

export interface WorkChanges {
  readonly base: string;
  readonly commit: string;
  readonly branch: string | null;
  readonly files: readonly ChangedFile[];
  /** As `git diff` shows it; cut where it is very long. */
  readonly patch: string;
  readonly isCut: boolean;
  /** Changed files that decide what other programs run later. */
  readonly protected: readonly string[];
  /** Others that somebody's programs run by themselves: to be shown before anything else. */
  readonly runsLater: readonly string[];
}

export type MergeAnswer =
  /** `commit`: `null` where the files were changed and nothing was committed, as for a private copy. */
  | {
      readonly kind: "merged";
      readonly commit: string | null;
      readonly into: string | null;
      readonly left: string | null;
    }
  | { readonly kind: "nothing" }
  /** These hold different changes on both sides. Nothing was changed. */
  | { readonly kind: "conflicts"; readonly paths: readonly string[] }
  /** These have changes in the project that are not committed. Nothing was changed. */
  | { readonly kind: "in-the-way"; readonly paths: readonly string[] };

export interface MergeWish {
  /** One commit of its own, without the steps that led there. */
  readonly squash: boolean;
  /** Only finds out how it would go. */
  readonly dry: boolean;
  /** Who wants it, and of which task: for the log. */
  readonly task: TaskId;
  readonly by: string;
  /** The last position of the log when it was asked for: what was told of it comes after that. */
  readonly after: number;
}

/** What became of kept work, for the log. */
export type TakenWork = Pick<MergeWish, "task" | "by" | "after"> &
  (
    | { readonly kind: "merged"; readonly commit: string | null; readonly into: string | null }
    | { readonly kind: "discarded" }
  );

/** Writes it down. Whoever was killed has it done again: it MUST NOT write down the same twice. */
export type TellTaken = (taken: TakenWork) => Promise<void>;

/**
 * What attempts left in trees of their own, and how it comes into the project.
 *
 * - `merge` MUST do all or nothing, and MUST name every conflict: no side is chosen silently.
 * - What is not committed MUST be committed before anything is removed; what cannot be is left where it is.
 * - `merge` and `discard` MUST keep their intention before they change anything, and forget it only when it was told:
 *   where they are killed in between, `settle` finds out what was done and tells that.
 */
export interface WorkShelf {
  list(): Promise<readonly KeptWork[]>;
  /** `null`: nothing is kept for this session. */
  changes(session: SessionId): Promise<WorkChanges | null>;
  merge(session: SessionId, wish: MergeWish, tell: TellTaken): Promise<MergeAnswer>;
  /** Throws it away, with everything that is not committed. */
  discard(session: SessionId, wish: Pick<MergeWish, "task" | "by" | "after">, tell: TellTaken): Promise<void>;
  /** Ends what somebody has begun, and was killed before it was told. */
  settle(tell: TellTaken): Promise<void>;
}
