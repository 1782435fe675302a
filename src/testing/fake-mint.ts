import { ownPid } from "../platform/processes.ts";
import { sha256 } from "../platform/system-mint.ts";
import type { Mint } from "../ports/index.ts";
import { brandId } from "../schema/index.ts";

/**
 * Ids that count: `task_0001`, `task_0002`, … so that a log can be compared as a whole. Those of workers have the
 * process in them: what a worker leaves behind is looked for on the whole machine, where other tests run, too.
 */
export function fakeMint(): Mint {
  const counts = new Map<string, number>();
  const next = (kind: string) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return String(count).padStart(4, "0");
  };
  return {
    id: (prefix) => brandId(prefix, `${prefix === "work" ? ownPid() : ""}${next(prefix)}`),
    token: () => `token-${next("token")}`,
    sha256,
  };
}
