import { invalidInput } from "../errors/index.ts";
import type { Workspaces } from "../ports/index.ts";
import type { WorkspaceKept } from "../schema/index.ts";

/** One shared folder that exists only in a map. */
export interface MemoryWorkspaces extends Workspaces {
  readonly files: Map<string, string>;
  /** How many were prepared and not released: an attempt that has ended leaves none. */
  readonly open: number;
}

/** What a worktree that exists only in a map leaves. */
const KEPT: WorkspaceKept = {
  mode: "worktree",
  root: "/memory",
  base: "a".repeat(40),
  commit: "b".repeat(40),
  branch: "cadre/memory-1",
  files: 1,
  insertions: 1,
  deletions: 0,
  left: [],
};

export function memoryWorkspaces(
  files: Readonly<Record<string, string>> = {},
  modes: Workspaces["modes"] = ["shared"],
): MemoryWorkspaces {
  const contents = new Map(Object.entries(files));
  let open = 0;
  return {
    modes,
    files: contents,
    get open() {
      return open;
    },
    async prepare({ spec }) {
      open++;
      const isOwn = spec.workspace.mode === "worktree";
      return {
        root: "/memory",
        base: "/memory",
        reads: [],
        narrowed: [],
        files: {
          async read(path) {
            const text = contents.get(path);
            if (text === undefined) throw invalidInput(`${path} does not exist`);
            return text;
          },
          async write(path, content) {
            contents.set(path, content);
          },
        },
        async release() {
          open--;
          return isOwn ? KEPT : null;
        },
      };
    },
  };
}
