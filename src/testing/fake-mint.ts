import { sha256 } from "../platform/system-mint.ts";
import type { Mint } from "../ports/index.ts";
import { brandId } from "../schema/index.ts";

/** Ids that count: `task_0001`, `task_0002`, … so that a log can be compared as a whole. */
export function fakeMint(): Mint {
  const counts = new Map<string, number>();
  const next = (kind: string) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return String(count).padStart(4, "0");
  };
  return {
    id: (prefix) => brandId(prefix, next(prefix)),
    token: () => `token-${next("token")}`,
    sha256,
  };
}
