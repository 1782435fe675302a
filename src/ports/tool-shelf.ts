import type { Effect, Json, JsonObject, NewTool, Proposed, ProposedBy } from "../schema/index.ts";
import type { Pin } from "../schema/pin.ts";
import type { Keep } from "./custody.ts";

/** A tool that a person has written as a manifest, as far as callers see it. */
export interface ShelvedTool {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  /** Its file. */
  readonly source: string;
  /** Not trusted: shown, and never run. */
  readonly trusted: boolean;
  /** Of a project's: what letting it pass as it is would pin. */
  readonly pin?: Pin | undefined;
  /** What a person has yet to see of it, in words. Agents do not get it before that. */
  readonly unseen?: readonly string[] | undefined;
  /** Written by an agent. */
  readonly proposed?: Proposed | undefined;
  /** Of the manifest's text: what a person has looked at can be told from what it is now. */
  readonly sha256: string;
  readonly inputSchema: JsonObject;
}

export interface ShelvedRun {
  readonly ok: boolean;
  readonly text: string;
  /** Where the tool says that it answers in JSON. */
  readonly json: Json | null;
}

/**
 * The tools that a project and its user have written.
 *
 * - Each call MUST read anew: files change.
 * - A tool of a folder that is not trusted MUST NOT run, and MUST be shown as not trusted.
 * - `create` and `write` MUST NOT overwrite anything.
 * - A tool of a trusted folder that is new or changed MUST NOT be given to agents before a person has seen it; one that
 *   an agent has written MUST NOT run at all before that.
 */
export interface ToolShelf {
  list(): Promise<{
    readonly tools: readonly ShelvedTool[];
    readonly problems: readonly { readonly source: string; readonly message: string }[];
  }>;
  /** For a person, outside of any attempt. Inputs may be text, as a command line has it. */
  run(name: string, inputs: JsonObject, keep: Keep, signal: AbortSignal): Promise<ShelvedRun>;
  create(name: string, scope: "project" | "user"): Promise<{ readonly file: string }>;
  /** A new tool as it is asked for; an agent's is always the project's. */
  write(tool: NewTool, scope: "project" | "user", proposed: ProposedBy): Promise<{ readonly file: string }>;
}
