import { isInScopes } from "../../domain/scopes.ts";
import { findProtected, findProtectedSoon, type Protected, type Searched } from "./find-protected.ts";
import { PutBack, type WasPutBack } from "./put-back.ts";
import { type Quarantined, takeAwayNew } from "./quarantine.ts";

export interface WatchedFolders {
  /** Where programs may write, each with the files that are not theirs. */
  readonly writable: readonly string[];
  readonly homes: readonly string[];
  readonly root: string;
  /** In a tree of an agent's own, what is only run later is its to write. */
  readonly isOwnTree: boolean;
}

export interface TakenAway {
  readonly moved: readonly Quarantined[];
  readonly putBack: readonly WasPutBack[];
  /** Whether all was looked at. */
  readonly isWhole: boolean;
}

/** Each is a mount, and a sandbox with many takes long to make: with so many, some 70 ms. */
const MOST_MOUNTS = 150;
/** Folders cannot be put back: with more of them than this, nothing is started. */
const MOST_FOLDERS = 500;

/** The protected files where an attempt's programs may write: held while they run, and looked at afterwards. */
export class ProtectedWatch {
  readonly #folders: WatchedFolders;
  readonly #before: Protected;
  readonly #putBack: PutBack;
  /** To be mounted read-only. */
  readonly paths: readonly string[];
  /** Why no program may be started here; undefined where they may. */
  readonly problem: string | undefined;

  /** Once, before the first program: what is there then is a person's. */
  constructor(folders: WatchedFolders) {
    this.#folders = folders;
    this.#before = joined(searches(folders).map(findProtected));
    const { found, isWhole } = this.#before;
    const later = [...found].filter(([, { why }]) => why === "later");
    const always = [...found].filter(([, { why, isFolder }]) => why === "protected" || isFolder);
    const files = later.filter(([, { isFolder }]) => !isFolder).map(([path]) => path);
    const room = Math.max(0, MOST_MOUNTS - always.length);
    this.paths = [...always.map(([path]) => path), ...files.slice(0, room)];
    this.problem = problemOf(isWhole, always.length);
    this.#putBack = new PutBack(this.problem === undefined ? files.slice(room) : []);
  }

  async takeAway(quarantine: string): Promise<TakenAway> {
    const looks: Protected[] = [];
    for (const wish of searches(this.#folders)) looks.push(await findProtectedSoon(wish));
    const { found, closed, isWhole } = joined(looks);
    const { root } = this.#folders;
    const moved = takeAwayNew(this.#before.found, found, root, quarantine);
    const wasClosed = closed.isSubsetOf(this.#before.closed);
    return { moved, putBack: this.#putBack.settle(root, quarantine), isWhole: isWhole && wasClosed };
  }
}

const HOW =
  "Give the agent the folders that it writes in (policy.fs.write), or a tree of its own (workspace: worktree)";

function problemOf(isWhole: boolean, mounts: number): string | undefined {
  if (!isWhole)
    return `there are more files where this agent may write than can be looked through for those that are protected. ${HOW}`;
  return mounts > MOST_FOLDERS
    ? `there are ${mounts} protected files and folders where this agent may write, more than can be held. ${HOW}`
    : undefined;
}

function searches({ writable, homes, isOwnTree }: WatchedFolders): Searched[] {
  const outermost = writable.filter(
    (path) => !writable.some((other) => other !== path && path.startsWith(`${other}/`)),
  );
  // In a home is what an attempt has for itself: nobody builds anything there.
  const isOwn = (folder: string): boolean => isOwnTree || isInScopes(folder, homes);
  return outermost.map((folder) => ({ folder, scopes: writable, homes, withLater: !isOwn(folder) }));
}

const joined = (looks: readonly Protected[]): Protected => ({
  found: new Map(looks.flatMap(({ found }) => [...found])),
  closed: new Set(looks.flatMap(({ closed }) => [...closed])),
  isWhole: looks.every(({ isWhole }) => isWhole),
});
