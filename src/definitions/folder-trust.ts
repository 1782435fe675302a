import type { Pin, Trust } from "../ports/index.ts";
import { isInside } from "./inside.ts";
import { realPathOf } from "./real-path.ts";

/** The user's word on the folders of one listing, each asked for once. */
export interface FolderTrust {
  /** Whether agents that lie in `folder`, by its real path, are covered by the trust in `root`. */
  covers(folder: string, root: string): Promise<boolean>;
  /** By subject. Null: nothing has to be pinned. */
  pinsOf(root: string): Promise<ReadonlyMap<string, Pin> | null>;
}

export function folderTrust(trust: Trust): FolderTrust {
  const isTrusted = once((root) => trust.isTrusted(root));
  return {
    async covers(folder, root) {
      if (!(await isTrusted(root))) return false;
      const real = realPathOf(root);
      // A folder that a link has moved out of what is trusted must be trusted itself.
      return (real !== null && isInside(folder, real)) || isTrusted(folder);
    },
    pinsOf: once(async (root) => {
      const pins = await trust.pinsOf(root);
      return pins === null ? null : new Map(pins.map((pin) => [pin.subject, pin]));
    }),
  };
}

function once<T>(ask: (root: string) => Promise<T>): (root: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (root) => {
    const answer = answers.get(root) ?? ask(root);
    answers.set(root, answer);
    return answer;
  };
}
