import { realpathSync } from "node:fs";

/** At once: trust is asked for with every task, and looking is quicker than waiting for somebody who looks. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
