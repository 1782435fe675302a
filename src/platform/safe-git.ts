// git, in a repository that somebody else has set up: no setting of the user or of the repository may choose a
// program for it to run, as far as settings can forbid it.

export const SAFE_GIT_ARGUMENTS: readonly string[] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

export const safeGitEnvironment = (path: string): Record<string, string> => ({
  PATH: path,
  LC_ALL: "C",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
});

/** What has changed against a commit, in the work tree and the index. */
export const diffArguments = (against = "HEAD"): string[] => [
  ...SAFE_GIT_ARGUMENTS,
  "--no-pager",
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--end-of-options",
  against,
];
