// Agents to and from the files of other programs.
import type { NewAgent, ProposedBy } from "../schema/index.ts";

/** What became of one thing that an agent says, on its way from one form to another. */
export interface ConversionRemark {
  readonly kind: "mapped" | "repaired" | "kept" | "narrowed" | "lost";
  readonly field: string;
  readonly message: string;
  /** Only with `lost`: without it the agent could do more than it was meant to. */
  readonly isRestriction?: boolean | undefined;
}

export interface ImportWish {
  /** The program by its id: `claude`. Without a file, all of its agents in the project. */
  readonly from?: string | undefined;
  /** One file, relative to the project. Without `from`, it is found out whose it is. */
  readonly file?: string | undefined;
  /** The user's own agents of that program as well. */
  readonly all: boolean;
  readonly dry: boolean;
  /** Overwrites what was changed here since the last import. */
  readonly update: boolean;
}

export interface ImportedAgent {
  /** Null: the file holds none that can be read. */
  readonly agent: string | null;
  readonly from: string;
  /** Where it was found. */
  readonly source: string;
  /** Where it was written, or would be. */
  readonly file: string | null;
  readonly result: "written" | "updated" | "unchanged" | "refused" | "failed";
  /** Why it was refused or failed. */
  readonly message: string | null;
  readonly remarks: readonly ConversionRemark[];
}

export interface ExportWish {
  readonly agents: readonly string[];
  /** All but those that come with Cadre. */
  readonly all: boolean;
  readonly to: string;
  /** A folder, relative to the project; `null`: nothing is written; undefined: a folder in the home. */
  readonly out?: string | null | undefined;
  readonly dry: boolean;
  readonly update: boolean;
  readonly allowLoss: boolean;
}

export interface ExportedAgent {
  readonly agent: string;
  readonly to: string;
  /** Where it was written, or would be; without a folder, its name there. */
  readonly file: string;
  readonly text: string;
  /** Byte for byte the file that it was imported from. */
  readonly isOriginal: boolean;
  readonly result: "written" | "updated" | "unchanged" | "shown" | "refused" | "failed";
  readonly message: string | null;
  readonly remarks: readonly ConversionRemark[];
}

export interface CheckWish {
  /** A file or a folder, relative to the project; without it, all agents that there are. */
  readonly path?: string | undefined;
  /** Whether the path may lead out of the project: only where a person asks. */
  readonly anywhere: boolean;
}

export interface CheckFinding {
  /**
   * A note is no mistake: an agent hides another one, another program's file was read leniently. A warning may be one:
   * that program does not know the key.
   */
  readonly kind: "problem" | "warning" | "note";
  /** `file:line:column` where it is known. */
  readonly source: string;
  readonly message: string;
}

/**
 * - `import` MUST write only into the agents folder of the home, and MUST NOT overwrite what somebody changed there,
 *   unless told to. One file that cannot be read MUST NOT keep the others from being imported.
 * - `export` MUST NOT write or return a text by which the agent could do more than here, unless loss is allowed. It
 *   MUST NOT write into another program's folder unless the wish names that folder.
 * - What is `dry` MUST NOT write anything.
 * - `check` MUST NOT run anything, and MUST NOT read outside of the project unless `anywhere`.
 */
export interface Conversion {
  import(wish: ImportWish): Promise<readonly ImportedAgent[]>;
  export(wish: ExportWish): Promise<readonly ExportedAgent[]>;
  check(wish: CheckWish): Promise<{ readonly checked: number; readonly findings: readonly CheckFinding[] }>;
  /** A new agent in our own format, to be edited. Refuses to overwrite. */
  create(name: string, description: string | undefined): Promise<{ readonly file: string }>;
  /**
   * A new agent as it is asked for. Refuses a name that any agent has. Where an agent asks for it, it MUST NOT run
   * before a person has agreed to it; only so many may wait.
   */
  write(agent: NewAgent, proposed: ProposedBy): Promise<{ readonly file: string }>;
}
