// What Cadre keeps of all tasks in its homes: prompts, answers, results of tools, logins. No task reads another's there.
// Agents, tools and settings lie in a home, too; they are the project's, and read like any other file.
import { segmentsOf } from "./protected-paths.ts";

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
const STATE_FILES = ["cadre.db", "serve-token", "trust.json", "connections.json", "mcp-auth.json", "mcp-tools.json"];

const FOLDERS: ReadonlySet<string> = new Set(STATE_FOLDERS);

const isState = (name: string): boolean =>
  FOLDERS.has(name) || STATE_FILES.some((file) => name.startsWith(file) || name.startsWith(`.${file}.`));

export interface OwnState {
  /** The part of a home that this path lies in, where that is state which no scope opens. */
  at(path: string): string | undefined;
  isHome(path: string): boolean;
}

/**
 * Every `.cadre`, and homes of another name. Of the scopes only one that names a single plan opens anything: each task
 * has that of its own. `workspace/` is everybody's.
 */
export function ownState(scopes: readonly string[], homes: readonly string[] = []): OwnState {
  const named = homes.map(segmentsOf);
  const open = new Set(scopes.map((scope) => segmentsOf(scope).join("/")));
  /** Where in a path each home ends. */
  const ends = (segments: readonly string[]): number[] => [
    ...segments.flatMap((name, index) => (name === ".cadre" ? [index + 1] : [])),
    ...named.flatMap((home) => (home.every((name, index) => segments[index] === name) ? [home.length] : [])),
  ];
  return {
    at(path) {
      const segments = segmentsOf(path);
      const end = ends(segments).find((at) => isState(segments[at] ?? "") && !isOpenPlan(segments, at));
      return end === undefined ? undefined : segments.slice(0, end + 1).join("/");
    },
    isHome(path) {
      const segments = segmentsOf(path);
      return ends(segments).includes(segments.length);
    },
  };

  function isOpenPlan(segments: readonly string[], at: number): boolean {
    return segments[at] === "plans" && segments.length === at + 2 && open.has(segments.join("/"));
  }
}
