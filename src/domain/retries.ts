// Whether a failed attempt is followed by another, without anybody being asked.
import type { BackendName, FailReason, TaskView } from "../schema/index.ts";

export interface NextTry {
  readonly backend: BackendName;
  readonly because: "retry" | "failover";
}

const UNAVAILABLE: readonly FailReason[] = ["backend_unavailable", "rate_limited"];

/**
 * The next backend in the agent's list that is not left alone just now takes over from one that is unavailable, but only before the first
 * tool was called: after it, running again might do a thing twice. Everything else is tried again only where
 * the definition says so.
 */
export function nextTry(
  task: TaskView,
  reason: FailReason,
  cooling: ReadonlySet<BackendName> = new Set(),
): NextTry | null {
  const { definition, backends } = task.spec;
  const fallback = backends.slice(backends.indexOf(task.backend) + 1).find((name) => !cooling.has(name));
  if (UNAVAILABLE.includes(reason) && fallback !== undefined && task.calls.made === 0) {
    return { backend: fallback, because: "failover" };
  }
  const { retry } = definition;
  const isWanted = retry !== undefined && (retry.on as readonly FailReason[]).includes(reason);
  return isWanted && task.attempts.length < retry.attempts ? { backend: task.backend, because: "retry" } : null;
}
