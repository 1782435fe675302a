import type { Remark } from "./format.ts";
import { inOneLine, repaired } from "./lenient/settings.ts";

/** Where a program does without a description: the first line of the prompt, else the name. */
export function describedBy(given: string | undefined, prompt: string, name: string, remarks: Remark[]): string {
  if (given !== undefined) return given;
  const line = prompt.split("\n").find((one) => /\p{L}/u.test(one));
  remarks.push(repaired("description", "there is none; the prompt's first line is taken for it"));
  return line === undefined ? name : inOneLine(line.replace(/^[#>*\s-]+/, ""));
}
