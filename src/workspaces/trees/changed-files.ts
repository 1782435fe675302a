// What lies between two commits, file by file.
import { asText, type Git } from "../../platform/git.ts";
import type { ChangedFile } from "../../ports/index.ts";

/** Between two commits only: of a work tree, git would look into submodules. */
const DIFF: readonly string[] = [
  "diff-tree",
  "-r",
  "-M",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--ignore-submodules=none",
];

export async function changedFiles(git: Git, from: string, to: string): Promise<ChangedFile[]> {
  const [counted, named] = await Promise.all([
    git.run([...DIFF, "-z", "--numstat", from, to]),
    git.run([...DIFF, "-z", "--name-status", from, to]),
  ]);
  const lines = linesOf(counted.out);
  return [...statusOf(named.out)].map(({ change, from: before, path }) => ({
    path: asText(path),
    change,
    from: before === null ? null : asText(before),
    ...(lines.get(path) ?? { insertions: null, deletions: null }),
  }));
}

interface Lines {
  readonly insertions: number | null;
  readonly deletions: number | null;
}

/** `1 TAB 2 TAB path NUL`, or for a renamed one `1 TAB 2 TAB NUL before NUL after NUL`. */
function linesOf(out: string): Map<string, Lines> {
  const found = new Map<string, Lines>();
  const parts = out.split("\0");
  for (let at = 0; at < parts.length; at++) {
    const [, insertions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(parts[at] ?? "") ?? [];
    if (path === undefined) continue;
    const name = path === "" ? (parts[(at += 2)] ?? "") : path;
    found.set(name, { insertions: countOf(insertions), deletions: countOf(deletions) });
  }
  return found;
}

const countOf = (text = "-"): number | null => (text === "-" ? null : Number(text));

interface Status {
  readonly change: ChangedFile["change"];
  readonly from: string | null;
  readonly path: string;
}

function* statusOf(out: string): Generator<Status> {
  const parts = out.split("\0").values();
  for (const word of parts) {
    const letter = word.slice(0, 1);
    if (!isChange(letter)) continue;
    const first = parts.next().value ?? "";
    if (letter === "R" || letter === "C") yield { change: letter, from: first, path: parts.next().value ?? "" };
    else yield { change: letter, from: null, path: first };
  }
}

const isChange = (letter: string): letter is ChangedFile["change"] => /^[ACDMRT]$/.test(letter);

export const sumOf = (files: readonly ChangedFile[], what: "insertions" | "deletions"): number =>
  files.reduce((sum, file) => sum + (file[what] ?? 0), 0);

const MAX_PATCH_BYTES = 4 * 1024 * 1024;

export async function patchOf(git: Git, from: string, to: string): Promise<{ text: string; isCut: boolean }> {
  const { out, isCut } = await git.run([...DIFF, "-p", from, to], { maxBytes: MAX_PATCH_BYTES });
  return { text: asText(out), isCut };
}
