// Where state files lie in a home, and in whose words they speak.
import { join, relative, resolve, sep } from "node:path";
import type { OwnFiles } from "../../ports/index.ts";
import type { SessionId, TaskId } from "../../schema/index.ts";
import { dayWord } from "./log-text.ts";

/** `gemini`: a home that ends in `.gemini/agents`. The paths are the same; the status words are not. */
export type LayoutDialect = "cadre" | "gemini";

export interface Layout {
  readonly dialect: LayoutDialect;
  readonly home: string;
  readonly project: string;
  /** Absolute. */
  readonly folders: {
    readonly tasks: string;
    readonly plans: string;
    readonly logs: string;
    readonly sessions: string;
    /** Where agents may write. */
    readonly workspace: string;
  };
  /** A path as files and people are told it: from the project, with `/`. */
  readonly shown: (path: string) => string;
}

export function makeLayout(home: string, project: string): Layout {
  const path = resolve(home);
  const root = resolve(project);
  return {
    dialect: path.endsWith(`${sep}${join(".gemini", "agents")}`) ? "gemini" : "cadre",
    home: path,
    project: root,
    folders: {
      tasks: join(path, "tasks"),
      plans: join(path, "plans"),
      logs: join(path, "logs"),
      sessions: join(path, "sessions"),
      workspace: join(path, "workspace"),
    },
    shown: (file) => relative(root, file).replaceAll(sep, "/"),
  };
}

/** Names within their folders. */
export const taskFile = (id: TaskId): string => `${id}.json`;
export const planFile = (id: TaskId): string => `${id}_plan.md`;
export const logFile = (id: TaskId): string => `${id}.log`;
export const sessionFile = (id: SessionId): string => `${id}.json`;
/** What backends keep of a session, each in a folder of its own: the place is theirs, and goes with the session. */
export const sessionHome = (id: SessionId): string => `${id}.home`;
export const dayFile = (name: "subagents" | "stdout" | "stderr", at: number): string => `${name}-${dayWord(at)}.log`;

/** A path as a policy names it: from the project where it lies in it. */
export const scopeIn = ({ project, shown }: Layout, path: string): string =>
  path.startsWith(`${project}${sep}`) ? shown(path) : path;

/** What a task may write in its home, whatever its workspace says: its plan, and the folder for that. */
export const ownFilesIn = (layout: Layout): ((task: TaskId) => OwnFiles) => {
  const { plans, workspace: folder } = layout.folders;
  const [planScope, folderScope] = [scopeIn(layout, plans), scopeIn(layout, folder)];
  return (task) => {
    const name = planFile(task);
    return { plan: join(plans, name), folder, scopes: [`${planScope}/${name}`, folderScope] };
  };
};
