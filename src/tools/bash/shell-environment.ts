import { workerEnvironment } from "../../platform/process-environment.ts";
import type { Attempt } from "../../ports/index.ts";

/** By these a shell would run, or understand, something else than what was looked at. */
const NEVER = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|CDPATH|IFS|GLOBIGNORE|EXECIGNORE|PROMPT_COMMAND|BASH_FUNC_.*)$/;

/** No pager, no question at a terminal; and git neither runs what a repository's files name nor changes its index. */
const QUIET = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "safe.bareRepository",
  GIT_CONFIG_VALUE_1: "explicit",
} as const;

/** Of the worker's environment only what the policy names, and what Cadre has to say itself. */
export function shellEnvironment(
  { task, token, own }: Pick<Attempt, "task" | "token" | "own">,
  home: string,
): Record<string, string> {
  const worker = workerEnvironment();
  const allowed = task.spec.policy.env.allow.flatMap((name) => {
    const value = Object.hasOwn(worker, name) && !NEVER.test(name) ? worker[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(allowed),
    ...QUIET,
    CADRE_TASK: task.id,
    // What lets a `cadre` inside of the command in as this task's own, with the token that proves it.
    CADRE_ATTEMPT: task.id,
    CADRE_TOKEN: token,
    CADRE_HOME: home,
    CADRE_PLAN_FILE: own.plan,
    CADRE_WORKSPACE: own.folder,
  };
}
