import { workerEnvironment } from "../../platform/process-environment.ts";
import type { Attempt } from "../../ports/index.ts";

/** By these a shell would run, or understand, something else than what was looked at. */
const NEVER = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|CDPATH|IFS|GLOBIGNORE|EXECIGNORE|PROMPT_COMMAND|BASH_FUNC_.*)$/;

/**
 * No pager, no question at a terminal; git asks no program what has changed, changes no index by the way, and takes no
 * folder for a repository only because it looks like one.
 */
const QUIET = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
} as const;

const QUIET_GIT = { "core.fsmonitor": "false", "safe.bareRepository": "explicit" } as const;

/**
 * In mode `plan`, where commands run that are proven to read: what git would run by a repository's configuration while
 * it looks. Signatures are not verified, hooks and merges not run, nothing is fetched that is missing. What cannot be
 * switched off in this way is for `git-without-programs.ts`.
 */
const LOOKING_GIT = {
  "log.showSignature": "false",
  "format.pretty": "medium",
  "log.diffMerges": "separate",
  "diff.submodule": "short",
  "status.submoduleSummary": "false",
  "core.hooksPath": "/dev/null",
  "core.alternateRefsCommand": "true",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
} as const;

/** As git hands it to itself: unlike `GIT_CONFIG_COUNT`, versions before 2.31 know it, too. */
const gitSettings = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([key, value]) => `'${key}=${value}'`)
    .join(" ");

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
  const isLooking = task.spec.policy.modes.includes("plan");
  return {
    ...Object.fromEntries(allowed),
    ...QUIET,
    GIT_CONFIG_PARAMETERS: gitSettings(isLooking ? { ...QUIET_GIT, ...LOOKING_GIT } : QUIET_GIT),
    // Versions that do not know `GIT_NO_LAZY_FETCH` would fetch by a program that the repository names.
    ...(isLooking ? { GIT_ALLOW_PROTOCOL: "none" } : {}),
    CADRE_TASK: task.id,
    // What lets a `cadre` inside of the command in as this task's own, with the token that proves it.
    CADRE_ATTEMPT: task.id,
    CADRE_TOKEN: token,
    CADRE_HOME: home,
    CADRE_PLAN_FILE: own.plan,
    CADRE_WORKSPACE: own.folder,
  };
}
