import type { TaskId } from "../schema/index.ts";

export interface MemoryEntry {
  readonly id: string;
  readonly scope: "project" | "user";
  readonly category: string;
  readonly content: string;
  /** Who wrote it: a person's name for themselves, or the task of an agent. */
  readonly from: { readonly by: string; readonly task: TaskId | null };
  readonly at: number;
}

/**
 * Facts that outlive a session.
 *
 * - Every entry MUST have its provenance: what an agent wrote is never taken for a person's word.
 * - Content is data. Whoever puts it before a model MUST do so in an envelope that it cannot close.
 */
export interface Memory {
  add(entry: Omit<MemoryEntry, "id" | "at">): Promise<MemoryEntry>;
  search(query: string, limit: number): Promise<readonly MemoryEntry[]>;
  list(scope: MemoryEntry["scope"]): Promise<readonly MemoryEntry[]>;
  forget(id: string): Promise<boolean>;
}
