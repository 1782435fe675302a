import { findProtected, type Protected } from "./find-protected.ts";
import { type Quarantined, takeAwayNew } from "./quarantine.ts";

export interface WatchedFolders {
  /** Where programs may write, each with the files that are not theirs. */
  readonly writable: readonly string[];
  readonly homes: readonly string[];
  readonly root: string;
}

/** The protected files where an attempt's programs may write: held while they run, and looked at afterwards. */
export class ProtectedWatch {
  readonly #folders: WatchedFolders;
  readonly #before: Protected;

  /** Once, before the first program: what is there then is a person's. */
  constructor(folders: WatchedFolders) {
    this.#folders = folders;
    this.#before = look(folders);
  }

  get isWhole(): boolean {
    return this.#before.isWhole;
  }

  /** To be mounted read-only. */
  get paths(): readonly string[] {
    return [...this.#before.found.keys()];
  }

  takeAway(quarantine: string): Quarantined[] {
    return takeAwayNew(this.#before.found, look(this.#folders).found, this.#folders.root, quarantine);
  }
}

function look({ writable, homes }: WatchedFolders): Protected {
  const outermost = writable.filter(
    (path) => !writable.some((other) => other !== path && path.startsWith(`${other}/`)),
  );
  const looks = outermost.map((folder) => findProtected(folder, writable, homes));
  return {
    found: new Map(looks.flatMap(({ found }) => [...found])),
    isWhole: looks.every(({ isWhole }) => isWhole),
  };
}
