import * as z from "zod";
import type { Caller } from "./operation.ts";

/** Where a task works, instead of the agent's own mode. Only a person may ask for `shared` where the agent works apart. */
export const TaskWorkspace = z.enum(["shared", "worktree", "sandbox"]);

export const workspaceFor = (mode: z.output<typeof TaskWorkspace> | undefined, { authority, inside }: Caller) =>
  mode === undefined ? undefined : { mode, mayWiden: authority === "person" && inside === null };
