// What a program finds in its file system, collected in any order and told to bubblewrap so that what lies
// deeper is mounted later, and so has the last word.
import { lstatSync, realpathSync } from "node:fs";
import { isWithin, normalizePath } from "../../domain/scopes.ts";

/** `empty` is a folder of its own, gone with the program; `hidden` is one in which nothing can be made. */
export type MountKind = "empty" | "read" | "hidden" | "write";

/** Of two words on the very same path the later one here counts. */
const RANK: readonly MountKind[] = ["empty", "read", "write", "hidden"];

interface Mount {
  readonly kind: MountKind;
  /** Only where nothing else shows the link that leads there. */
  readonly isAlias: boolean;
}

export class Mounts {
  readonly #mounts = new Map<string, Mount>();
  readonly #scratchBytes: number;

  constructor(scratchBytes: number) {
    this.#scratchBytes = scratchBytes;
  }

  /** What is not there cannot be mounted, and is left out. */
  add(kind: "read" | "write", ...paths: readonly string[]): void {
    for (const path of paths) {
      const asked = normalizePath(path);
      const real = realPathOf(asked);
      if (real === undefined) continue;
      this.#set(real, { kind, isAlias: false });
      if (real !== asked) this.#set(asked, { kind, isAlias: true });
    }
  }

  /** A folder of the program's own. Nothing where the path is part of something else that can be seen. */
  addEmpty(path: string): void {
    const at = normalizePath(path);
    if (at !== "/" && !this.#isShown(at)) this.#set(at, { kind: "empty", isAlias: false });
  }

  /** Nothing of it is seen but what is mounted deeper. Only where it would be seen at all. */
  hide(path: string): void {
    const at = realPathOf(normalizePath(path));
    if (at !== undefined) this.#set(at, { kind: "hidden", isAlias: false });
  }

  /** Read-only inside of what may be written; where it is gone by now, there is nothing to hold. */
  protect(...paths: readonly string[]): void {
    for (const path of paths) {
      const info = lstatSync(path, { throwIfNoEntry: false });
      if (info === undefined || info.isSymbolicLink()) continue; // of a link, what it leads to is what counts
      const known = this.#mounts.get(path);
      if (known?.kind !== "write") this.#mounts.set(path, { kind: "read", isAlias: false });
    }
  }

  /** Folders of the program's own in what it may only read; they have to be there. */
  addScratch(...paths: readonly string[]): void {
    for (const path of paths) this.#mounts.set(path, { kind: "empty", isAlias: false });
  }

  /** Whether a program finds this folder, or only the name of one in which something lies. */
  shows(path: string): boolean {
    return this.#mounts.has(path) || this.#isShown(path);
  }

  writable(): string[] {
    return [...this.#mounts].filter(([, { kind, isAlias }]) => kind === "write" && !isAlias).map(([path]) => path);
  }

  /** What there is, in the order in which the last word counts. Another name of something is left out. */
  list(): { readonly path: string; readonly kind: MountKind }[] {
    return this.#sorted().flatMap(([path, { kind, isAlias }]) => (isAlias ? [] : [{ path, kind }]));
  }

  #sorted(): [string, Mount][] {
    return [...this.#mounts].filter(([path, mount]) => this.#isNeeded(path, mount)).toSorted(byDepth);
  }

  arguments(): string[] {
    const sorted = this.#sorted();
    const closing = sorted.filter(([, { kind }]) => kind === "hidden").flatMap(([path]) => ["--remount-ro", path]);
    return [...sorted.flatMap(([path, { kind }]) => this.#argumentsFor(path, kind)), ...closing];
  }

  #argumentsFor(path: string, kind: MountKind): string[] {
    if (kind === "write") return ["--bind", path, path];
    if (kind === "read") return ["--ro-bind", path, path];
    return ["--size", String(this.#scratchBytes), "--tmpfs", path];
  }

  #set(path: string, mount: Mount): void {
    const known = this.#mounts.get(path);
    if (known === undefined || RANK.indexOf(mount.kind) > RANK.indexOf(known.kind)) this.#mounts.set(path, mount);
  }

  #isNeeded(path: string, { kind, isAlias }: Mount): boolean {
    // A link inside of something that is shown is shown with it. A folder that is not shown need not be hidden,
    // but what is mounted inside of it would show its name.
    if (isAlias) return !this.#isShown(path);
    return kind !== "hidden" || this.#isShown(path);
  }

  #isShown(path: string): boolean {
    return [...this.#mounts].some(
      ([other, { kind, isAlias }]) =>
        other !== path && !isAlias && (kind === "read" || kind === "write") && isWithin(path, other),
    );
  }
}

const depthOf = (path: string): number => (path === "/" ? 0 : path.split("/").length);

const byDepth = ([a]: readonly [string, Mount], [b]: readonly [string, Mount]): number =>
  depthOf(a) - depthOf(b) || (a < b ? -1 : 1);

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
