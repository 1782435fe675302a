// One other program's way of writing agents down. A module each; none of them knows another.
import type { AgentDefinition } from "../../schema/index.ts";

/** In the order in which their agents are looked for. */
export const FORMATS = [
  "gencode",
  "claude",
  "gemini",
  "glee",
  "codex",
  "opencode",
  "qwen",
  "copilot",
  "cursor",
  "factory",
  "kiro",
  "goose",
  "roo",
  "yeet",
] as const;
export type FormatId = (typeof FORMATS)[number];

/** The backend that drives the program whose format this is; none: its agents run on our own loop. */
export function backendOf(format: FormatId): string | undefined {
  if (format === "factory") return "droid";
  return UNDRIVEN.has(format) ? undefined : format;
}

const UNDRIVEN: ReadonlySet<FormatId> = new Set(["gencode", "glee", "yeet", "roo"]);

/**
 * What became of one thing that a file says.
 *
 * - `mapped`: it means the same here, by another name.
 * - `repaired`: it was not written as that program's own rules want it, and is read as it was meant.
 * - `kept`: it has no meaning here; it is kept aside (`x.<format>`) and comes back when the agent is written for that program.
 * - `narrowed`: it cannot be said exactly here, so the agent may do less than it could there.
 * - `lost`: it cannot be written there at all.
 */
export interface Remark {
  readonly kind: "mapped" | "repaired" | "kept" | "narrowed" | "lost";
  /** By the name that the file uses, or for `lost` the name that we use. */
  readonly field: string;
  readonly message: string;
  /** Only with `lost`: without it the agent could do more than it was meant to. */
  readonly isRestriction?: boolean | undefined;
  /** Only with `kept`: the program does not know it either, so it may be misspelt. */
  readonly isUnknown?: boolean | undefined;
}

/** What looks like a mistake in a file that was read all the same. */
export const warningsIn = (remarks: readonly Remark[]): string[] =>
  remarks.filter(({ isUnknown }) => isUnknown === true).map(({ message }) => message);

/** A file as it was found. Everything in it is data; nothing of it is run. */
export interface ForeignFile {
  /** As shown to people. */
  readonly path: string;
  /** Below the folder that its format looks into, with `/`: `review/api.md`. */
  readonly below: string;
  readonly text: string;
}

export type Reading =
  | { readonly ok: true; readonly definition: AgentDefinition; readonly remarks: readonly Remark[] }
  /** In one line: what is wrong, and of which agent where a file holds several. */
  | { readonly ok: false; readonly problem: string };

export interface Written {
  /** Below the format's first project folder: `reviewer.md`. */
  readonly file: string;
  readonly text: string;
}

/** Where a program keeps its agents. */
export interface FormatPlace {
  readonly of: "project" | "user";
  /** From the project's root, or from the user's home: `.claude/agents`. A file where `isFile`. */
  readonly path: string;
  readonly isFile?: boolean | undefined;
  readonly isRecursive?: boolean | undefined;
  /** Endings that count: `.md`. */
  readonly endings: readonly string[];
}

/**
 * - `read` MUST NOT throw, whatever the text holds; a file that it cannot read is one `problem` of one line. It MUST
 *   NOT return wider rights than the file's own program would give: what it cannot express it narrows, and says so.
 * - `write` writes what the format can say, and nothing else. It MUST NOT judge what is lost: whoever calls it reads
 *   the text back and compares (loss.ts), so that a restriction that the other program ignores is found missing.
 */
export interface Format {
  readonly id: FormatId;
  /** What people call that program. */
  readonly label: string;
  readonly places: readonly FormatPlace[];
  read(file: ForeignFile): readonly Reading[];
  write?(definition: AgentDefinition): Written;
}
