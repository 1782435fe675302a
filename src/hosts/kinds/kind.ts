import type { HostScope } from "../../ports/index.ts";
import type { Json } from "../../schema/index.ts";
import type { TextFormat } from "../text/text-format.ts";
import type { AgentCommand } from "../commands/agent-commands.ts";
import type { TaskToolNames } from "../commands/task-tool-names.ts";

/** How the server is started: `cadre mcp`, or whatever comes to the same. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The names of variables that the server needs. */
  readonly env: readonly string[];
}

/** Where things are on this machine. */
export interface Ground {
  readonly userHome: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One configuration file of a host, and where and how the server is written in it. */
export interface ServerPlace {
  /** The folder that it lies in for good: the project, or one of the user's. */
  readonly root: string;
  /** Relative to it. The first that is there is meant, else the last. */
  readonly files: readonly string[];
  readonly format: TextFormat;
  readonly keys: readonly string[];
  readonly server: (launch: Launch) => Json;
}

/** A file of its own that a host reads: a command, an agent. */
export interface OwnFile {
  readonly what: string;
  readonly path: string;
  readonly text: string;
}

export interface CommandParts {
  /** For a shell, quoted: what starts Cadre. */
  readonly cadre: string;
  readonly tools: TaskToolNames;
  readonly commands: readonly AgentCommand[];
}

export interface HostKind {
  readonly title: string;
  /** Any of them on the path says that it is installed. */
  readonly programs: readonly string[];
  readonly usual: HostScope;
  place(scope: HostScope, ground: Ground): ServerPlace | null;
  /** Relative to `root`; none where it has no such files there. */
  commands?(scope: HostScope, ground: Ground, parts: CommandParts): { root: string; files: readonly OwnFile[] } | null;
  personas?: readonly OwnFile[];
}

export const SERVER_NAME = "cadre";
