import { CadreError } from "../errors/index.ts";
import type { Obstacle, Workspaces } from "../ports/index.ts";
import { customObstacle, customWorkspace } from "./custom/custom-workspaces.ts";
import { sharedWorkspaces } from "./shared/shared-workspaces.ts";
import type { OwnTrees } from "./trees/own-trees.ts";
import type { Where } from "./trees/tree-kinds.ts";

export interface WorkspaceOptions extends Where {
  /** Folders that the user's own settings open besides the project. */
  readonly roots: readonly string[];
  /** Trees of their own. Loaded when the first one is needed. */
  readonly trees: () => Promise<OwnTrees>;
}

/** All the ways to work somewhere. */
export function openWorkspaces({ project, roots, trees }: WorkspaceOptions): Workspaces {
  const shared = sharedWorkspaces(project);
  return {
    modes: ["shared", "worktree", "sandbox", "custom"],
    async obstacle(binding) {
      if (binding.mode === "custom") return customObstacle(binding, roots);
      return binding.mode === "worktree" ? noRepository(project) : null;
    },
    async prepare(task, attempt, signal) {
      const { workspace } = task.spec;
      if (workspace.mode === "shared") return shared.prepare(task, attempt);
      return workspace.mode === "custom"
        ? customWorkspace(workspace, roots)
        : (await trees()).prepare(task, workspace.mode, attempt, signal);
    },
  };
}

async function noRepository(project: string): Promise<Obstacle | null> {
  try {
    await (await import("./trees/repository.ts")).findRepository(project);
    return null;
  } catch (error) {
    if (!CadreError.isInstance(error)) throw error;
    return { message: `no worktree can be made: ${error.message}`, hint: error.hint ?? "See: git status" };
  }
}
