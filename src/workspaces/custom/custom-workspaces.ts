import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isInScopes, normalizePath } from "../../domain/scopes.ts";
import { admissionRefused } from "../../errors/index.ts";
import type { Obstacle, PreparedWorkspace } from "../../ports/index.ts";
import type { WorkspaceBinding } from "../../schema/index.ts";
import { plainFolder } from "../plain-folder.ts";

const HINT = "Name it in your own config: cadre config set security.workspace_roots <folder>";

/** Why a folder outside of the project cannot be worked in: only the user's own settings open one. */
export function customObstacle({ path }: WorkspaceBinding, roots: readonly string[]): Obstacle | null {
  if (path === undefined || !isAbsolute(path))
    return { message: "a workspace of the mode custom needs an absolute path", hint: "Give it as workspace.path." };
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isDirectory() !== true)
    return { message: `the workspace ${path} is not a folder`, hint: "Make it first. A link is not followed." };
  const isOpen = isInScopes(realpathSync.native(path), roots.map(realPath));
  return isOpen ? null : { message: `the workspace ${path} is not one that you allow`, hint: HINT };
}

export function customWorkspace(binding: WorkspaceBinding, roots: readonly string[]): PreparedWorkspace {
  const problem = customObstacle(binding, roots);
  if (problem !== null) throw admissionRefused("workspace", problem.message, problem.hint);
  const root = normalizePath(binding.path ?? "/");
  return plainFolder(root, root);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
