import { createTwoFilesPatch } from "diff";

/** As `diff -u` shows it. `null`: there is no such file. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  const [from, to] = [before === null ? "/dev/null" : path, after === null ? "/dev/null" : path];
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, { context: 3 });
  return patch.slice(patch.indexOf("--- ")).replaceAll("\r\n", "\n");
}
