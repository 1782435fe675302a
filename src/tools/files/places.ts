// From a path that a model wrote to a place that can be opened. This is about text only: links and what else is
// really there are met when the place is opened, step by step from its root.
import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { closedBelow } from "../../domain/found-files.ts";
import { type OwnState, ownState } from "../../domain/own-state.ts";
import { folderIn, isInScopes, isWithin, normalizePath } from "../../domain/scopes.ts";
import { ConfinedRoot } from "../../platform/confined-folder.ts";
import type { Attempt } from "../../ports/index.ts";
import type { Policy } from "../../schema/index.ts";

export interface Place {
  readonly root: ConfinedRoot;
  /** Below the root; "." is the root itself. */
  readonly path: string;
  /** As the policy and all messages name it: relative to the workspace, absolute outside of it. */
  readonly shown: string;
}

export type Located = { readonly ok: true; readonly place: Place } | { readonly ok: false; readonly problem: string };

const MAX_PATH = 4096;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const OF_THE_SYSTEM = ["/proc", "/sys", "/dev"];

interface Root {
  readonly root: ConfinedRoot;
  /** All absolute paths that it is known by. */
  readonly aliases: readonly string[];
  /** The only file of it that is meant. */
  readonly only?: string | undefined;
}

/** What a call may show of what it finds. */
interface Sight {
  shows(place: Place): boolean;
  /** By a rule, or as Cadre's own state. */
  isClosed(place: Place): boolean;
  /** Said with what was found, where there may be more: nobody is to take it for all. */
  readonly note: string | undefined;
}

export const LEFT_OUT = "(what the policy closes, or wants asked about by its own path, is left out)";

export class Places implements AsyncDisposable {
  readonly #workspace: Root;
  readonly #own: readonly Root[];
  readonly #readable: readonly string[];
  readonly #policy: Policy;
  readonly #state: OwnState;
  /** As the policy names them: the workspace, and the folder that is the attempt's own. */
  readonly #names: ReadonlyMap<ConfinedRoot, string>;

  private constructor(attempt: Attempt, real: string) {
    const { workspace, own, homes, isHome, task } = attempt;
    const { policy } = task.spec;
    this.#workspace = { root: new ConfinedRoot(workspace.root), aliases: [normalizePath(workspace.root), real] };
    const [folder, plan] = [ownRoot(own.folder), ownRoot(dirname(own.plan), basename(own.plan))];
    this.#own = [folder, plan];
    this.#readable = inWorkspace(policy.fs.read, folderIn(task.spec.workspace));
    this.#policy = policy;
    this.#state = ownState(policy.fs.read, homes, isHome);
    const isIt = (scope: string): boolean => `/${own.folder}`.endsWith(`/${scope}`);
    this.#names = new Map([
      [this.#workspace.root, folderIn(task.spec.workspace)],
      [folder.root, own.scopes.find(isIt) ?? own.folder],
    ]);
  }

  static async open(attempt: Attempt): Promise<Places> {
    const { root } = attempt.workspace;
    const places = new Places(attempt, await realpath(root).catch(() => root));
    await places.#workspace.root.open({ create: false });
    return places;
  }

  /** `field` is what the model calls it. */
  locate(field: string, text: string): Located {
    const wrong = problemOf(field, text);
    if (wrong !== undefined) return { ok: false, problem: wrong };
    const base = this.#workspace.root.path;
    const absolute = normalizePath(text.startsWith("/") ? text : `${base}/${text}`);
    const inside = relativeTo(this.#workspace, absolute);
    if (inside !== undefined && isOfTheSystem(absolute, base))
      return { ok: false, problem: `\`${field}\`: ${text} belongs to the system, and is not opened` };
    if (inside !== undefined) return { ok: true, place: this.at(this.#workspace.root, inside) };
    for (const own of this.#own) {
      const path = relativeTo(own, absolute);
      if (path !== undefined) return { ok: true, place: this.at(own.root, path) };
    }
    const problem = `\`${field}\`: ${text} lies outside of the workspace ${base}. Give a path below it, such as "src/index.ts".`;
    return { ok: false, problem };
  }

  /** What was found below a root. */
  at(root: ConfinedRoot, path: string): Place {
    return { root, path, shown: root === this.#workspace.root ? path : normalizePath(`${root.path}/${path}`) };
  }

  /** What is in a folder. */
  below({ root, path }: Place, name: string): Place {
    return this.at(root, path === "." ? name : `${path}/${name}`);
  }

  /**
   * The policy has a word on each call; this is for what a call of the tool finds from `start` on: what scopes leave out,
   * what rules close, and what Cadre keeps. Of these the attempt's own is closed by rules only.
   */
  sight(tool: string, start: Place): Sight {
    const closed = closedBelow(this.#policy, tool, this.#named(start));
    const isNarrow = closed.isAny || this.#state.isHome(this.#named(start));
    const isClosed = (place: Place): boolean => {
      const name = this.#named(place);
      return closed.has(name) || (!this.#isOwn(place) && this.#state.at(name) !== undefined);
    };
    return {
      shows: (place) => this.#isReadable(place) && !isClosed(place),
      isClosed,
      note: isNarrow ? LEFT_OUT : undefined,
    };
  }

  #isReadable(place: Place): boolean {
    return this.#isOwn(place) || isInScopes(place.path, this.#readable);
  }

  /** The parts of a folder that may be read: itself, or scopes that lie in it. */
  readableParts(place: Place): Place[] {
    if (this.#isReadable(place)) return [place];
    const parts = this.#readable.filter((scope) => isWithin(scope, place.path));
    const outermost = parts.filter((scope) => !parts.some((other) => other !== scope && isWithin(scope, other)));
    return [...new Set(outermost)].toSorted().map((path) => ({ ...place, path, shown: path }));
  }

  #named({ root, path, shown }: Place): string {
    const name = this.#names.get(root);
    return name === undefined ? shown : name === "." ? path : normalizePath(`${name}/${path}`);
  }

  #isOwn({ root, path }: Place): boolean {
    if (root !== this.#workspace.root) return true;
    const absolute = normalizePath(`${this.#workspace.root.path}/${path}`);
    return this.#own.some((own) => relativeTo(own, absolute) !== undefined);
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

function relativeTo({ aliases, only }: Root, absolute: string): string | undefined {
  const alias = aliases.find((known) => isWithin(absolute, known));
  if (alias === undefined) return undefined;
  const path = absolute === alias ? "." : absolute.slice(alias === "/" ? 1 : alias.length + 1);
  return only === undefined || only === path ? path : undefined;
}

/** Scopes speak of the project, tools of a workspace, which may be a folder of it. */
function inWorkspace(scopes: readonly string[], workspace = "."): string[] {
  return scopes
    .map(normalizePath)
    .flatMap((scope) =>
      isWithin(workspace, scope)
        ? ["."]
        : isWithin(scope, workspace)
          ? [scope.slice(workspace === "." ? 0 : normalizePath(workspace).length + 1)]
          : [],
    );
}

function problemOf(field: string, text: string): string | undefined {
  if (text.trim() === "") return `\`${field}\` is empty: give a path such as "src/index.ts"`;
  if (text.length > MAX_PATH) return `\`${field}\` has ${text.length} characters; a path has at most ${MAX_PATH}`;
  if (!text.isWellFormed()) return `\`${field}\` is not well-formed text: half of a character is missing`;
  const invisible = INVISIBLE.exec(text)?.[0].codePointAt(0);
  if (invisible !== undefined) {
    const code = invisible.toString(16).toUpperCase().padStart(4, "0");
    return `\`${field}\` holds the invisible character U+${code}: such names are not opened`;
  }
  if (/^~([A-Za-z_][\w-]*)?(\/|$)/.test(text))
    return `\`${field}\`: "~" is not expanded here. Give a path relative to the workspace, such as "src/index.ts".`;
  return undefined;
}

/** Only a workspace that is the whole machine has these in it. */
const isOfTheSystem = (absolute: string, base: string): boolean =>
  OF_THE_SYSTEM.some((folder) => isWithin(absolute, folder) && !isWithin(base, folder));

/** Other systems drop these characters, and open another file than the one that was asked about. */
export function problemOfNewName(field: string, path: string): string | undefined {
  const name = path.split("/").find((part) => /^\s|[\s.]$/.test(part) && !/^\.{1,2}$/.test(part));
  if (name === undefined) return undefined;
  return `\`${field}\`: the name ${JSON.stringify(name)} begins or ends with a space, or ends with a dot: leave that out`;
}
