import { MOST_SHOWN } from "../domain/summaries.ts";
import type { ToolResult } from "../ports/index.ts";
import type { CallId } from "../schema/index.ts";

const TAIL = 5_000;

/** Beginning and end; the whole, or what the tool has kept of it, is kept where the agent can read it. */
export async function shorten(
  { text, leftOut }: Pick<ToolResult, "text" | "leftOut">,
  call: CallId,
  keepWhole: (call: CallId, text: string) => Promise<string>,
): Promise<{ text: string; truncated: boolean }> {
  if (text.length <= MOST_SHOWN) return { text, truncated: false };
  const path = await keepWhole(call, text);
  const head = text.slice(0, MOST_SHOWN - TAIL);
  const left = text.length - MOST_SHOWN;
  const where = leftOut === undefined ? `The whole result is in ${path}` : `The rest is in ${path}, but ${leftOut}`;
  const note = `[${left} characters left out here. ${where}; read the part that you need.]`;
  return { text: `${head}\n\n${note}\n\n${text.slice(-TAIL)}`, truncated: true };
}
