import type { ConfinedRoot } from "../../../platform/confined-folder.ts";
import type { Attempt, Clock } from "../../../ports/index.ts";

/** A line that matches, from 1; 0 stands for the file itself. */
export interface Hit {
  /** Below the root. */
  readonly path: string;
  readonly line: number;
}

export type SearchEnd =
  | { readonly kind: "all" }
  | { readonly kind: "cut"; readonly why: string }
  | { readonly kind: "refused"; readonly problem: string }
  /** This way of searching does not work here. Nothing was found before. */
  | { readonly kind: "unusable" };

/** File by file, in the order of their names, folder by folder. */
export type Hits = AsyncGenerator<Hit, SearchEnd, void>;

export interface SearchWish {
  readonly root: ConfinedRoot;
  /** Files and folders below the root, which were found to be no links. */
  readonly starts: readonly string[];
  readonly hidden: boolean;
  /** Lines that match; without it, all files. */
  readonly lines?: { readonly pattern: string; readonly ignoreCase: boolean } | undefined;
}

export interface SearchParts {
  readonly attempt: Attempt;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The program; undefined: there is none here. */
  readonly ripgrep: string | undefined;
}

export const SEARCH_LIMIT_MS = 30_000;
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
