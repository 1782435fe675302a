// The answer of an agent that ends by its text.
import type { Turn } from "./conversation.ts";
import type { Finished } from "./exits.ts";

/** What the last of these turns ends with, after all that was cut off directly before it: that is one text with it. */
export function endingByText(turns: readonly Turn[]): Finished | null {
  const last = turns.at(-1);
  if (last === undefined || last.calls.length > 0 || last.stop !== "end") return null;
  const before = turns.slice(0, -1);
  const parts = [...before.slice(before.findLastIndex(({ goesOn }) => !goesOn) + 1), last];
  const answer = parts.map(({ text }) => text).join("");
  return answer.trim() === "" ? null : { answer, output: undefined, exit: undefined };
}
