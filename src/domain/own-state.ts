// What Cadre keeps of all tasks in its homes: prompts, answers, results of tools, logins. No task reads another's there.
// Agents, tools and settings lie in a home, too; they are the project's, and read like any other file.
import type { WorkspaceBinding } from "../schema/index.ts";
import { segmentsOf } from "./protected-paths.ts";
import { normalizePath } from "./scopes.ts";

export const STATE_FOLDERS = [
  "tasks",
  "plans",
  "logs",
  "sessions",
  "worktrees",
  "memory",
  "quarantine",
  "hatches",
] as const;

/** With what is written beside them, for a while or always. */
export const STATE_FILES = [
  "cadre.db",
  "serve-token",
  "trust.json",
  "connections.json",
  "mcp-auth.json",
  "mcp-tools.json",
];

/** As patterns, for programs that are told once and not asked. */
export const STATE_NAMES: readonly string[] = [
  ...STATE_FOLDERS,
  ...STATE_FILES.flatMap((file) => [`${file}*`, `.${file}.*`]),
];

const FOLDERS: ReadonlySet<string> = new Set(STATE_FOLDERS);

/** By its name in a home. */
export const isState = (name: string): boolean =>
  FOLDERS.has(name) || STATE_FILES.some((file) => name.startsWith(file) || name.startsWith(`.${file}.`));

export interface OwnState {
  /** The part of a home that this path lies in, where that is state which no scope opens. */
  at(path: string): string | undefined;
  isHome(path: string): boolean;
}

/** Whether Cadre keeps anything in a folder of this name: a test's fixture or a template may be called `.cadre`, too. */
export type IsHome = (path: string) => boolean;

/** In a folder elsewhere the same names are those of other folders: there nobody can say. */
export const isHomeOf = ({ mode }: Pick<WorkspaceBinding, "mode">, isHome: IsHome | undefined): IsHome | undefined =>
  mode === "custom" ? undefined : isHome;

/**
 * The `.cadre` of the project, those outside of it, and homes of another name; deeper in the project those that
 * `isHome` is true of, and all of them where nobody can say. Of the scopes only one that names a single plan opens anything: each task
 * has that of its own. `workspace/` is everybody's.
 */
export function ownState(
  scopes: readonly string[],
  homes: readonly string[] = [],
  isHome: IsHome = () => true,
): OwnState {
  const named = homes.map(segmentsOf);
  const open = new Set(scopes.map((scope) => segmentsOf(scope).join("/")));
  /** Where in a path each home ends. */
  const ends = (segments: readonly string[], path: string): number[] => [
    ...segments.flatMap((name, index) => (name === ".cadre" && isMeant(segments, index, path) ? [index + 1] : [])),
    ...named.flatMap((home) => (home.every((name, index) => segments[index] === name) ? [home.length] : [])),
  ];
  return {
    at(path) {
      const segments = segmentsOf(path);
      const end = ends(segments, path).find((at) => isState(segments[at] ?? "") && !isOpenPlan(segments, at));
      return end === undefined ? undefined : segments.slice(0, end + 1).join("/");
    },
    isHome(path) {
      const segments = segmentsOf(path);
      return ends(segments, path).includes(segments.length);
    },
  };

  /** Asked by its own spelling, as it is there. */
  function isMeant(segments: readonly string[], index: number, path: string): boolean {
    const spelled = normalizePath(path).split("/");
    const isDeeper = index > 0 && segments[0] !== "" && segments[0] !== ".." && spelled.length === segments.length;
    return !isDeeper || isHome(spelled.slice(0, index + 1).join("/"));
  }

  /** Below a plan there is nothing: who asks for a scope and all that lies in it means the plan. */
  function isOpenPlan(segments: readonly string[], at: number): boolean {
    return segments[at] === "plans" && open.has(segments.slice(0, at + 2).join("/"));
  }
}
