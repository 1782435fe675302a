// git, in a repository that somebody else has set up: no setting of the user or of the repository may choose a
// program for it to run, as far as settings can forbid it. What can only be forbidden by name is in git.ts.

export const SAFE_GIT_ARGUMENTS: readonly string[] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

export const safeGitEnvironment = (path: string): Record<string, string> => ({
  PATH: path,
  LC_ALL: "C",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  // Of no protocol: a clone that lacks objects would fetch them, by whatever command its remote names.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
});

/** What has changed against a commit, in the work tree and the index. */
export const diffArguments = (against: string, ...options: readonly string[]): string[] => [
  ...SAFE_GIT_ARGUMENTS,
  "--no-pager",
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  // git looks into a submodule by a git of its own, which obeys that repository's settings and none of these.
  "--ignore-submodules=all",
  "--no-relative",
  ...options,
  "--end-of-options",
  against,
];
