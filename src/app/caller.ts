// Who is calling. A process inside of an attempt is an agent, whatever else it says of itself.
import { isHeld } from "../domain/transitions.ts";
import { attemptUnproven } from "../errors/index.ts";
import type { Caller, MouthName } from "../operations/index.ts";
import type { Mint, Store } from "../ports/index.ts";
import { type Askable, TaskId } from "../schema/index.ts";
import { ATTEMPT_VARIABLE, TOKEN_VARIABLE } from "./attempt-variables.ts";

export interface CallerWishes {
  readonly mouth: MouthName;
  readonly by: string;
  /** Whether a person can be held to what is said here: at a terminal, or as the owner of this process. */
  readonly isPerson: boolean;
  readonly askable: Askable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function identifyCaller(store: Store, mint: Mint, wishes: CallerWishes): Promise<Caller> {
  const { mouth, by, isPerson, askable, env } = wishes;
  const attempt = env[ATTEMPT_VARIABLE];
  if (attempt === undefined) {
    return { mouth, by, authority: isPerson ? "person" : "agent", inside: null, askable };
  }
  const id = TaskId.safeParse(attempt);
  const token = env[TOKEN_VARIABLE];
  if (!id.success || token === undefined) throw attemptUnproven();
  const task = await store.task(id.data);
  const current = task?.attempts.at(-1);
  if (task === undefined || !isHeld(task.status) || current?.tokenSha256 !== mint.sha256(token))
    throw attemptUnproven();
  return { mouth, by: task.id, authority: "agent", inside: task, askable: task.spec.askable };
}
