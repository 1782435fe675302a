import { join } from "node:path";
import { workerEnvironment } from "../../platform/process-environment.ts";
import type { Attempt } from "../../ports/index.ts";

/** Of the worker's environment only what the policy names, and what Cadre has to say itself. */
export function programEnvironment({ task, token }: Attempt, home: string): Record<string, string> {
  const own = workerEnvironment();
  const allowed = task.spec.policy.env.allow.flatMap((name) => {
    const value = Object.hasOwn(own, name) ? own[name] : undefined; // "constructor" is no variable
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(allowed),
    CADRE_TASK: task.id,
    // What lets a `cadre` inside of the program in as this task's own, with the token that proves it.
    CADRE_ATTEMPT: task.id,
    CADRE_TOKEN: token,
    CADRE_HOME: home,
    CADRE_PLAN_FILE: join(home, "plans", `${task.id}_plan.md`),
    CADRE_WORKSPACE: join(home, "workspace"),
  };
}
