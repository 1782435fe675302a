// From a path that a peer named to a place that can be opened, or that a policy can judge.
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isWithin, normalizePath } from "../../domain/scopes.ts";
import { ConfinedRoot } from "../../platform/confined-folder.ts";
import type { Attempt } from "../../ports/index.ts";

export interface Place {
  readonly root: ConfinedRoot;
  /** Below the root; "." is the root itself. */
  readonly path: string;
  /** As the policy names it: relative to the workspace, absolute outside of it. */
  readonly shown: string;
}

interface Root {
  readonly root: ConfinedRoot;
  /** All absolute paths that it is known by. */
  readonly aliases: readonly string[];
  /** The only file of it that is meant. */
  readonly only?: string | undefined;
}

const MAX_PATH = 4096;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

export class PeerPlaces implements AsyncDisposable {
  readonly root: string;
  readonly #workspace: Root;
  readonly #own: readonly Root[];

  private constructor({ workspace, own }: Pick<Attempt, "workspace" | "own">, real: string) {
    this.root = workspace.root;
    this.#workspace = { root: new ConfinedRoot(workspace.root), aliases: [normalizePath(workspace.root), real] };
    this.#own = [ownRoot(own.folder), ownRoot(dirname(own.plan), basename(own.plan))];
  }

  static async open(attempt: Pick<Attempt, "workspace" | "own">): Promise<PeerPlaces> {
    const { root } = attempt.workspace;
    return new PeerPlaces(attempt, await realpath(root).catch(() => root));
  }

  /** For files that we open ourselves. A string says why there is no such place. */
  locate(text: string): Place | string {
    if (!text.startsWith("/")) return `${JSON.stringify(text.slice(0, 200))} is not an absolute path`;
    if (text.length > MAX_PATH) return `a path has at most ${MAX_PATH} characters`;
    if (!text.isWellFormed() || INVISIBLE.test(text)) return "the path holds characters that nobody can see";
    const absolute = normalizePath(text);
    for (const one of [this.#workspace, ...this.#own]) {
      const path = below(one, absolute);
      if (path !== undefined) return { root: one.root, path, shown: one === this.#workspace ? path : absolute };
    }
    return `${text} lies outside of the workspace ${this.root}`;
  }

  /** For files that the peer opens itself: where they really are, as far as they are there yet. */
  async really(text: string): Promise<string> {
    const absolute = normalizePath(text.startsWith("/") ? text : join(this.root, text));
    const real = normalizePath(await realOf(absolute));
    return below(this.#workspace, real) ?? real;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { root } of [this.#workspace, ...this.#own]) await root[Symbol.asyncDispose]();
  }
}

const ownRoot = (path: string, only?: string): Root => ({
  root: new ConfinedRoot(path, { isOurs: true }),
  aliases: [normalizePath(path)],
  only,
});

function below({ aliases, only }: Root, absolute: string): string | undefined {
  const alias = aliases.find((known) => isWithin(absolute, known));
  if (alias === undefined) return undefined;
  const path = absolute === alias ? "." : absolute.slice(alias === "/" ? 1 : alias.length + 1);
  return only === undefined || only === path ? path : undefined;
}

/** Links are followed as far as there is something; the rest is taken by its name. */
async function realOf(path: string): Promise<string> {
  let rest = "";
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return join(real, rest);
    if (at === "/") return path;
    rest = join(basename(at), rest);
  }
}
