import type { TaskId } from "../schema/index.ts";

export type MemoryScope = "project" | "user";

/** Who wrote it: a person, by their name for themselves, or an agent, by its own and its task where there is one. */
export interface MemoryAuthor {
  readonly by: string;
  readonly isPerson: boolean;
  readonly task: TaskId | null;
}

export interface MemoryEntry {
  readonly id: string;
  readonly scope: MemoryScope;
  readonly category: string;
  readonly content: string;
  readonly from: MemoryAuthor;
  readonly at: number;
  /** When it was last said again. */
  readonly updatedAt: number;
  /** The person by whose word it counts; null where nobody has agreed to it yet. */
  readonly acceptedBy: string | null;
}

export type NewMemory = Pick<MemoryEntry, "scope" | "category" | "content" | "from">;

export interface MemoryFilter {
  readonly scopes: readonly MemoryScope[];
  /** Of every category, where none is named. */
  readonly category?: string | undefined;
  readonly limit: number;
}

export interface MemoryListFilter extends MemoryFilter {
  /** `accepted`: what counts. `waiting`: what nobody has agreed to yet. Both where nothing is said. */
  readonly only?: "accepted" | "waiting" | undefined;
}

export interface RelevantWish {
  readonly query: string;
  readonly scopes: readonly MemoryScope[];
  readonly maxChars: number;
}

/**
 * Facts that outlive a session.
 *
 * - Every entry MUST have its provenance: what an agent wrote is never taken for a person's word.
 * - What an agent wrote MUST count for nothing until a person has accepted it: it is neither found nor put before a
 *   model, so that nothing an agent was talked into is believed by a later one.
 * - Content is data. Whoever puts it before a model MUST do so in an envelope that it cannot close.
 * - A query is words, never a language: no text of it may be an operator, and every text is one.
 * - Entries and files have a largest size. What does not fit is refused with `input.invalid`, never cut.
 * - The memory of a project comes with its folder: what is put before a model unasked MUST be of a trusted one.
 */
export interface Memory {
  /** What is there already, word by word, is not written twice: it is said again, and keeps its id. */
  add(entry: NewMemory): Promise<{ readonly entry: MemoryEntry; readonly isNew: boolean }>;
  /** The best first. */
  search(query: string, filter: MemoryFilter): Promise<readonly MemoryEntry[]>;
  /** The latest first. */
  list(filter: MemoryListFilter): Promise<readonly MemoryEntry[]>;
  /** The ids of all of them, in no order. */
  ids(filter: Pick<MemoryListFilter, "scopes" | "only">): Promise<readonly string[]>;
  /** A person agrees to it: from now on it counts, with its provenance. Null: there is none of that id. */
  accept(id: string, by: string): Promise<MemoryEntry | null>;
  /** False: there is none of that id. */
  forget(id: string): Promise<boolean>;
  /** The few that fit a task best, as lines for an envelope and no longer than they may be; "" for none. */
  relevant(wish: RelevantWish): Promise<string>;
}
