// What an attempt leaves behind in a tree of its own, and where tasks write beside each other.
import * as z from "zod";

/** Work that waits for a person: `cadre merge`. */
export const WorkspaceKept = z.strictObject({
  mode: z.enum(["worktree", "sandbox"]),
  root: z.string(),
  /** The commit that it began from, and the one that holds all of it now. */
  base: z.string(),
  commit: z.string(),
  /** `null`: a private copy has none in the project's repository. */
  branch: z.string().nullable(),
  files: z.int().nonnegative(),
  insertions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
  /** What lies there and could not be committed: repositories in the tree. */
  left: z.array(z.string()),
});
export type WorkspaceKept = z.infer<typeof WorkspaceKept>;

/** Where a task writes. Two tasks whose writes meet in one place do not run at the same time. */
export const Writes = z.strictObject({
  /** Which tree: the project, a folder of the user's, or a session's own. */
  place: z.string(),
  scopes: z.array(z.string()).min(1),
});
export type Writes = z.infer<typeof Writes>;
