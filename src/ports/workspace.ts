import type { TaskView, WorkspaceBinding } from "../schema/index.ts";

/** Files of a workspace, for tools that run in our own process. Paths are relative to its root. */
export interface WorkspaceFiles {
  /** Rejects with an `input.invalid` that a model can act on: absent, not a file, outside, too large. */
  read(path: string): Promise<string>;
  /** Whole or not at all: a new file, renamed into place. Never follows a link out of the root. */
  write(path: string, content: string): Promise<void>;
}

export interface PreparedWorkspace {
  readonly root: string;
  readonly files: WorkspaceFiles;
  /**
   * Called once, when nothing of the attempt runs any more. MUST NOT delete work that was not committed or
   * taken over.
   */
  release(): Promise<void>;
}

/**
 * Where an attempt works.
 *
 * - `prepare` MUST refuse a mode that it does not know with `admission.refused`: falling back to a wider
 *   one would drop a restriction silently.
 */
export interface Workspaces {
  readonly modes: readonly WorkspaceBinding["mode"][];
  prepare(task: TaskView, attempt: number): Promise<PreparedWorkspace>;
}
