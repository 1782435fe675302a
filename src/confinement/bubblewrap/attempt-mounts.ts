// What the programs of one attempt find, and which files of it are not theirs: the same for whatever holds them to it.
import { dirname } from "node:path";
import { admissionRefused } from "../../errors/index.ts";
import type { Command, ConfinementWish } from "../../ports/index.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import { type AttemptScopes, attemptScopes } from "./attempt-scopes.ts";
import { installationOf, pathFolders } from "./installation.ts";
import { cachesIn } from "./installed-caches.ts";
import { Mounts, realPathOf } from "./mounts.ts";
import { ProtectedWatch } from "./protected-watch.ts";

export interface AttemptPlace {
  /** Folders of Cadre's own state. Programs see nothing of them but what is the attempt's own. */
  readonly homes: readonly string[];
  /** Where protected files are moved that a program has made, by task. */
  readonly quarantine: (task: string) => string;
  /** Programs of ours, such as the Node that runs this: readable wherever they lie. */
  readonly programs: readonly string[];
}

const LOOK = "look at it before you run anything";
const NOT_LOOKED_AT = `programs made more files than can be looked through, or closed a folder, and one that decides what others do may be among them: ${LOOK}`;

export class AttemptMounts {
  readonly #place: AttemptPlace;
  readonly #wish: ConfinementWish;
  readonly #files: AttemptFiles;
  readonly #scratchBytes: number;
  #scopes: AttemptScopes | undefined;
  #watch: ProtectedWatch | undefined;

  constructor(place: AttemptPlace, wish: ConfinementWish, files: AttemptFiles, scratchBytes: number) {
    this.#place = place;
    this.#wish = wish;
    this.#files = files;
    this.#scratchBytes = scratchBytes;
  }

  /** `file` is the command's own, as it was found; `also` are others that have to be readable. */
  for(command: Command, file: string, also: readonly string[] = []): Mounts {
    const { homes, programs } = this.#place;
    const { root } = this.#wish.workspace;
    this.#scopes ??= attemptScopes(this.#wish, homes);
    const mounts = new Mounts(this.#scratchBytes);
    mounts.add("read", ...this.#scopes.read);
    mounts.add("write", ...this.#scopes.write);
    mounts.add("read", ...[file, ...programs].flatMap(installationOf), ...pathFolders(command.env["PATH"]));
    mounts.add("read", ...(command.reads ?? []), ...also);
    this.#watch ??= this.#startWatch(mounts, root);
    mounts.protect(...this.#watch.paths);
    mounts.addScratch(...cachesIn(this.#watch.paths));
    const hatch = this.#wish.hatch?.();
    mounts.add("write", ...(command.writes ?? []), ...(hatch === undefined ? [] : [hatch]));
    for (const home of [...homes, dirname(this.#files.folder)]) mounts.hide(home);
    for (const name of ["HOME", "TMPDIR"]) mounts.addEmpty(command.env[name] ?? "/");
    return mounts;
  }

  /** When no program of the attempt runs any more. */
  async takeAway(): Promise<void> {
    const { task } = this.#wish;
    const taken = await this.#watch?.takeAway(this.#place.quarantine(task));
    if (taken?.isWhole === false) this.#wish.warn(NOT_LOOKED_AT);
    for (const { path, to } of taken?.moved ?? []) {
      const what = `${path} was made while programs ran, and decides what others do`;
      this.#wish.warn(to === null ? `${what}: ${LOOK}` : `${what}: moved to ${to}`);
    }
    for (const { path, to, isBack } of taken?.putBack ?? []) {
      const what = `${path} was changed while programs ran, and is run by others`;
      const kept = to === null ? "" : `; what stood there is in ${to}`;
      this.#wish.warn(isBack ? `${what}: it is as it was again${kept}` : `${what}: ${LOOK}${kept}`);
    }
  }

  #startWatch(mounts: Mounts, root: string): ProtectedWatch {
    const { homes } = this.#place;
    const { isOwnTree } = this.#wish;
    const watch = new ProtectedWatch({ writable: mounts.writable(), homes, root: realPathOf(root) ?? root, isOwnTree });
    if (watch.problem !== undefined) throw admissionRefused("confinement", watch.problem);
    return watch;
  }
}
