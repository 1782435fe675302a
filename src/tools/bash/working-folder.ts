import { realpathSync, statSync } from "node:fs";
import { isWithin } from "../../domain/scopes.ts";

/** Where the next command starts: where the last one left the shell, as long as that is in the workspace. */
export class WorkingFolder {
  readonly #root: string;
  #path: string;

  constructor(root: string) {
    this.#root = realpathSync(root);
    this.#path = this.#root;
  }

  get root(): string {
    return this.#root;
  }

  /** The folder may be gone by now: then it is the root again. */
  get path(): string {
    if (!isFolder(this.#path)) this.#path = this.#root;
    return this.#path;
  }

  /** What there is to say about it. */
  moveTo(path: string | undefined): string | undefined {
    if (path === undefined || path === this.#path) return undefined;
    if (isWithin(path, this.#root) && isFolder(path)) {
      this.#path = path;
      return undefined;
    }
    this.#path = this.#root;
    return `the command left the workspace for ${path}: the next one starts in ${this.#root} again`;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory() && realpathSync(path) === path;
  } catch {
    return false;
  }
}
