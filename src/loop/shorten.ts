import type { CallId } from "../schema/index.ts";

/** What a model is shown of one result, in characters. */
const MAX_SHOWN = 30_000;
const TAIL = 5_000;

/** Beginning and end; the whole is kept where the agent can read it. */
export async function shorten(
  text: string,
  call: CallId,
  keepWhole: (call: CallId, text: string) => Promise<string>,
): Promise<{ text: string; truncated: boolean }> {
  if (text.length <= MAX_SHOWN) return { text, truncated: false };
  const path = await keepWhole(call, text);
  const head = text.slice(0, MAX_SHOWN - TAIL);
  const left = text.length - MAX_SHOWN;
  const note = `[${left} characters left out here. The whole result is in ${path}; read the part that you need.]`;
  return { text: `${head}\n\n${note}\n\n${text.slice(-TAIL)}`, truncated: true };
}
