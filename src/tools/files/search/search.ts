import { ownSearch } from "./own-search.ts";
import { ripgrepSearch } from "./ripgrep-search.ts";
import type { Hits, SearchEnd, SearchParts, SearchWish } from "./search-wish.ts";

/**
 * Says where something is, not what is there: the program goes by paths, and a folder that is swapped for a link
 * while it looks would lead it elsewhere. So whoever shows anything opens the file again, step by step.
 */
export async function* search(parts: SearchParts, wish: SearchWish): Hits {
  const { ripgrep } = parts;
  if (wish.starts.length === 0) return { kind: "all" }; // the program would take that for the current folder
  const end: SearchEnd = ripgrep === undefined ? { kind: "unusable" } : yield* ripgrepSearch(parts, ripgrep, wish);
  return end.kind === "unusable" ? yield* ownSearch(parts, wish) : end;
}
