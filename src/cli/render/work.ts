// What tasks left in trees of their own, as a person reads it.
import type { OperationOutput } from "../../operations/index.ts";
import type { WorkspaceKept } from "../../schema/index.ts";
import type { Colors } from "./colors.ts";
import { counted } from "./counted.ts";
import { safeLine, safeText } from "./safe-text.ts";
import { table } from "./table.ts";

type Changes = NonNullable<OperationOutput<"workspace.diff">>;
type Kept = OperationOutput<"workspace.list">["work"][number];
type Merged = OperationOutput<"workspace.merge">;

export function workTable(work: readonly Kept[]): string {
  if (work.length === 0) return "Nothing is kept.";
  const rows = work.map(({ task, name, mode, branch, root, isUncommitted }) => [
    name ?? task,
    mode,
    isUncommitted ? "not all committed" : "committed",
    safeLine(branch ?? root),
  ]);
  return table(["TASK", "MODE", "STATE", "WHERE"], rows);
}

/** How much was changed, in a few words. */
export const amountOf = ({ files, insertions, deletions }: WorkspaceKept): string =>
  `${counted(files, "file")}, +${insertions} -${deletions}`;

/** Each file with how much of it changed, then the whole change. */
export function changesText({ files, patch, isCut }: Changes, colors: Colors): string {
  const width = Math.max(0, ...files.map(({ path }) => safeLine(path).length));
  const lines = files.map(({ path, from, change, insertions, deletions }) => {
    const amount =
      insertions === null ? "not text" : `${colors.green(`+${insertions}`)} ${colors.red(`-${deletions ?? 0}`)}`;
    const before = from === null ? "" : colors.dim(`  (was ${safeLine(from)})`);
    return `  ${change} ${safeLine(path).padEnd(width)}  ${amount}${before}`;
  });
  const more = isCut ? [colors.yellow("(cut: the change is longer than this)")] : [];
  return [...lines, "", ...patchLines(patch, colors), ...more].join("\n");
}

const patchLines = (patch: string, colors: Colors): string[] =>
  safeText(patch)
    .trimEnd()
    .split("\n")
    .map((line) => {
      if (/^(\+\+\+|---|diff |index )/.test(line)) return colors.bold(line);
      if (line.startsWith("@@")) return colors.cyan(line);
      return line.startsWith("+") ? colors.green(line) : line.startsWith("-") ? colors.red(line) : line;
    });

export function mergeText(answer: Merged, dry: boolean): string {
  switch (answer.kind) {
    case "nothing":
      return "There is nothing to merge.";
    case "merged":
      return dry ? `It would merge${into(answer.into)} without a conflict.` : mergedText(answer);
    case "conflicts":
      return listed("These were changed on both sides, so nothing was merged:", answer.paths);
    case "in-the-way":
      return listed("These have changes in the project that are not committed, so nothing was merged:", answer.paths);
  }
}

const into = (branch: string | null): string => (branch === null ? "" : ` into ${safeLine(branch)}`);

function mergedText({ commit, into: branch, left }: Extract<Merged, { kind: "merged" }>): string {
  const what = commit === null ? "Its changes are in the project, not committed." : `Merged${into(branch)}: ${commit}`;
  return left === null ? what : `${what}\nRepositories of its own are left in ${safeLine(left)}`;
}

const listed = (what: string, paths: readonly string[]): string =>
  [what, ...paths.map((path) => `  ${safeLine(path)}`)].join("\n");
