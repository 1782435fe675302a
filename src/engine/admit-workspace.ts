// Where a task is to work, and where it writes beside others: decided at admission.
import { blockerOf, tasksAbove } from "../domain/write-lanes.ts";
import { admissionRefused } from "../errors/index.ts";
import type { AgentDefinition, Policy, SessionId, TaskView, WorkspaceBinding, Writes } from "../schema/index.ts";
import type { EngineParts } from "./parts.ts";

export interface WorkspaceWish {
  readonly mode: WorkspaceBinding["mode"];
  /** Whether whoever asks may have more by it than the definition says: a person may. */
  readonly mayWiden: boolean;
}

/**
 * The definition, working where it was asked to. More apart is anybody's wish, and gives no rights; back into the
 * project itself is a person's.
 */
export function withWorkspace(definition: AgentDefinition, wish: WorkspaceWish | undefined): AgentDefinition {
  const { mode, path } = definition.workspace;
  if (wish === undefined || wish.mode === mode) return definition;
  if (wish.mode === "custom")
    throw admissionRefused("workspace", 'a workspace of the mode "custom" has to be in the definition of its agent');
  if (!wish.mayWiden && wish.mode === "shared")
    throw admissionRefused("workspace", `"${definition.name}" works in a tree of its own (${mode})`);
  const { path: _path, ...binding } = definition.workspace;
  const kept = mode === "custom" || path === undefined ? binding : { ...binding, path };
  return { ...definition, workspace: { ...kept, mode: wish.mode } };
}

export interface Placed {
  readonly workspace: WorkspaceBinding;
  readonly worksIn?: SessionId;
}

/** A child that would share the project shares what its parent has instead: that may be all it may touch. */
export async function placeFor(
  { workspaces }: EngineParts,
  { name, workspace }: AgentDefinition,
  parent: TaskView | null,
): Promise<Placed> {
  if (!workspaces.modes.includes(workspace.mode))
    throw admissionRefused(
      "workspace",
      `"${name}" wants a workspace of the mode "${workspace.mode}", which is not here`,
    );
  const above = parent?.spec.workspace.mode ?? "shared";
  if (parent !== null && workspace.mode === "shared" && above !== "shared") {
    const { path: _path, ...theirs } = parent.spec.workspace;
    const inside = above === "custom" ? parent.spec.workspace : { ...theirs, ...pathOf(workspace) };
    return {
      workspace: { ...inside, allow_writes: workspace.allow_writes },
      ...(above === "custom" ? {} : { worksIn: parent.spec.worksIn ?? parent.spec.session }),
    };
  }
  if (parent !== null && workspace.mode === "custom" && workspace.path !== parent.spec.workspace.path)
    throw admissionRefused(
      "workspace",
      `"${name}" wants to work in ${workspace.path ?? "?"}, where its parent may not`,
    );
  const problem = (await workspaces.obstacle?.(workspace)) ?? null;
  if (problem !== null) throw admissionRefused("workspace", problem.message, problem.hint);
  return { workspace };
}

const pathOf = ({ path }: WorkspaceBinding) => (path === undefined ? {} : { path });

/** What it may write that is not its very own. `undefined`: nothing. */
export function writesFor(
  policy: Policy,
  own: readonly string[],
  placed: Placed,
  session: SessionId,
): Writes | undefined {
  if (policy.modes.includes("plan")) return undefined;
  const scopes = policy.fs.write.filter((scope) => !own.includes(scope));
  if (scopes.length === 0) return undefined;
  return { place: placeName(placed, session), scopes };
}

function placeName({ workspace, worksIn }: Placed, session: SessionId): string {
  if (workspace.mode === "shared") return "project";
  return workspace.mode === "custom" ? (workspace.path ?? "") : (worksIn ?? session);
}

/** Where the user wants to be told instead of waiting. Between tasks that start together, the store still decides. */
export async function refuseCollision(
  { store, settings }: EngineParts,
  task: Pick<TaskView, "id" | "spec">,
  parent: TaskView | null,
): Promise<void> {
  if (settings.collisions !== "refuse" || task.spec.writes === undefined) return;
  const atWork = await store.tasks({ status: ["running", "waiting"], limit: MOST_AT_WORK });
  const above = tasksAbove(task.spec, (id) => (id === parent?.id ? parent : atWork.find((one) => one.id === id)));
  const other = blockerOf(task, atWork, above);
  if (other === undefined) return;
  throw admissionRefused(
    "collision",
    `${other.spec.definition.name}#${other.number} writes where this would`,
    "Wait for it, give this one a tree of its own (--workspace worktree), or set workspaces.collisions to queue.",
  );
}

const MOST_AT_WORK = 1_000;
