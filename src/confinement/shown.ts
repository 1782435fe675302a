import { isWithin } from "../domain/scopes.ts";
import type { Command } from "../ports/index.ts";
import type { MountKind } from "./bubblewrap/mounts.ts";

/** A place that programs find, or do not find, by its real path. In a list, what lies deeper comes later. */
export interface Shown {
  readonly path: string;
  readonly kind: MountKind;
}

/**
 * Where a program has no mounts of its own: in place of folders that it would not find, a home of which nothing is
 * shown and one for temporary files.
 */
export function ownFolders({ env }: Command, shown: readonly Shown[], scratch: string): Record<string, string> {
  const isIn = (path: string, ...kinds: readonly MountKind[]): boolean =>
    shown.some((one) => kinds.includes(one.kind) && isWithin(path, one.path));
  const { HOME: home, TMPDIR: temporary } = env;
  return {
    ...(home === undefined || isIn(home, "read", "write") ? {} : { HOME: scratch }),
    ...(temporary !== undefined && isIn(temporary, "write") ? {} : { TMPDIR: scratch }),
  };
}
