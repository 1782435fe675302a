import * as z from "zod";
import type { Cadre, CadreOptions } from "../app/index.ts";
import type { OperationName } from "../operations/index.ts";
import type { Exit } from "./exit-codes.ts";
import type { Output, Streams } from "./output.ts";
import type { Unstored } from "./unstored.ts";

export interface CommandContext {
  readonly out: Output;
  readonly streams: Streams;
  /** `--home`, as it was typed. */
  readonly home: string | undefined;
  /** Aborted by Ctrl-C: a first one asks, a second one ends the process. */
  readonly signal: AbortSignal;
  /** For that end: it waits a moment for these. */
  readonly unstored: Unstored;
  /** Opened with what the command line said; closed when the command ends. */
  readonly open: (options?: CadreOptions) => Promise<Cadre>;
}

export interface Command<Args extends z.ZodType = z.ZodType> {
  /** As it is typed: `show <task>`. */
  readonly usage: string;
  readonly summary: string;
  /** Not in the help: for programs. */
  readonly hidden?: boolean;
  /** It runs what is queued itself. */
  readonly works?: boolean;
  /** It cannot be asked through a hatch: what to do instead, for a program in a sandbox that tries. */
  readonly insteadInSandbox?: string;
  /** The operations that it offers: together, the commands offer all. */
  readonly operations: readonly OperationName[];
  /** Flag as it is typed, and one sentence on it. */
  readonly options?: Readonly<Record<string, string>>;
  /** Lines for the end of its help. */
  readonly examples?: readonly string[];
  /** Positional arguments by their names, and options by theirs. */
  readonly args: Args;
  run(context: CommandContext, args: z.output<Args>): Promise<Exit>;
}

export const defineCommand = <Args extends z.ZodType>(command: Command<Args>): Command<Args> => command;

/** An option that can be given several times. */
export const repeated = z.array(z.string()).default([]);
