import type { Cadre } from "../app/index.ts";
import { invalidInput } from "../errors/index.ts";

/** What a person calls a memory, as its id: the whole id, its beginning or its end, if that fits one only. */
export async function resolveMemory(cadre: Cadre, text: string): Promise<string> {
  const { ids } = await cadre.call("memory.find", { ref: text });
  if (ids.length > 1)
    throw invalidInput(`"${text}" fits ${ids.length} memories`, {
      hint: "Give more of the id, or the whole of it: cadre memory list",
    });
  // One that the caller does not see is refused by whatever is then to be done to it.
  return ids[0] ?? text;
}
