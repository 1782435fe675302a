// git, in a repository that somebody else has set up: no setting of the user or of the repository may choose a
// program for it to run. Some can only be forbidden by name, so whoever has git look at files asks for those names first.

export const SAFE_GIT_ARGUMENTS: readonly string[] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

export type GitSettings = readonly (readonly [name: string, value: string])[];

/** Settings hold for every command and for the gits that it starts. Their names may be anything. */
export const safeGitEnvironment = (path: string, settings: GitSettings = []): Record<string, string> => ({
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
  // A repository can have one commit stand for another.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, name],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
});

/** Settings that can name programs, for `git config --get-regexp`. */
export const NAMING_PROGRAMS = "^(filter|merge|diff)\\..+\\.";

/** Filters become none. A driver for merges fails: then it is a conflict, and no side is chosen for anybody. */
export function withoutPrograms(names: readonly string[]): GitSettings {
  return [...new Set(names)].flatMap((name): [string, string][] => {
    const [section] = name.split(".", 1);
    const key = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
    if (section === "filter") return [[name, key === "required" ? "false" : ""]];
    if (section === "merge") return key === "driver" ? [[name, "false"]] : [];
    return section === "diff" && (key === "command" || key === "textconv") ? [[name, ""]] : [];
  });
}

/** What has changed against a commit, in the work tree and the index. */
export const diffArguments = (against: string, ...options: readonly string[]): string[] => [
  ...SAFE_GIT_ARGUMENTS,
  "--no-pager",
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  // git looks into a submodule by a git of its own, which obeys that repository's settings and none of these. Which
  // commit is checked out there it sees by itself.
  "--ignore-submodules=dirty",
  "--submodule=short",
  "--no-relative",
  ...options,
  "--end-of-options",
  against,
];
