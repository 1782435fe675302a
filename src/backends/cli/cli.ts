// One CLI as a table: what it is called, what it needs, what it can be held to, how it is started and understood.
import type { Attempt, Capabilities, Obstacle, ToolUse } from "../../ports/index.ts";
import type { JsonObject, TaskSpec } from "../../schema/index.ts";
import type { PieceIn } from "../driven/raw-log.ts";
import type { ModelApi } from "../model-access/model-apis.ts";
import type { ModelNames } from "./model-name.ts";
import type { Translator } from "./said.ts";

/** What a line for a shell would run. `git`: whether the operating system holds what git runs by its configuration. */
export type ReadCommand = (line: string, root: string, git?: "os" | "nothing") => Readable;

/** As the policy wants to know it. */
type Readable = Pick<ToolUse, "mayRun" | "unproven"> & {
  readonly commands: readonly string[] | null;
  readonly isReadOnly: boolean;
};

/** All that a launch can depend on. Paths are absolute. */
export interface Wish {
  readonly attempt: Attempt;
  readonly prompt: string;
  /** What the agent is, beside its task. */
  readonly instructions: string;
  /** The CLI's own name of the conversation that is gone on with. */
  readonly resume: string | undefined;
  readonly model: string | undefined;
  /** What the conversation may come to, as the CLI counts it. Null: nothing limits it. */
  readonly mostMicroUsd: number | null;
  /** To be kept by the CLI itself. Undefined: it is asked for in words, or there is none. */
  readonly schema: JsonObject | undefined;
  /** Where the CLI lies, links followed. */
  readonly program: string;
  /** Its home, which is the session's own. */
  readonly home: string;
  /** The folder that scopes are relative to. */
  readonly project: string;
  /** Its keys and what else of the user's variables it may have. */
  readonly variables: Readonly<Record<string, string>>;
  readonly readCommand: ReadCommand;
  /** Our own tools, as a server for the bearer of `CADRE_TOKEN`, which is in its environment. */
  readonly own: OwnServer | undefined;
}

export interface OwnServer {
  readonly url: string;
}

export interface Launch {
  readonly args: readonly string[];
  /** Beside its home, its keys and what every program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Written before it is started, by their path in its home. */
  readonly files: Readonly<Record<string, string>>;
  /** The same, for what it is to run. */
  readonly programs?: Readonly<Record<string, string>> | undefined;
  /** The first that is written to it. */
  readonly input: string;
  readonly translator: Translator;
  /** Whether it is told more after that, and let go when it has nothing left to do. */
  readonly isDialogue: boolean;
  /** What a message of a person is told it as. Only in a dialogue. */
  readonly message?: ((text: string) => string) | undefined;
  /** How it is asked to end. */
  readonly stop: { readonly tell?: string | undefined; readonly signal: "SIGINT" | "SIGTERM" };
  /** Counted here, where the CLI has no limit of its own. */
  readonly maxTurns?: number | undefined;
}

export interface Cli {
  readonly name: string;
  /** As it is found on the path. */
  readonly program: string;
  readonly package: string;
  /** What was tried, or what its documents are about. Anything older is refused, anything newer is said. */
  readonly tested: string;
  /**
   * `tried`: every restriction was seen to hold. `documents`: nobody here has run it, so that it is only believed where
   * the operating system confines it, or where there is nothing to hold it to.
   */
  readonly known: "tried" | "documents";
  readonly models: ModelNames;
  readonly capabilities: Capabilities;
  /** What its totals are of: all of the conversation, or this run alone. */
  readonly counts: "session" | "run";
  /** Any of these variables is enough; the first that is set is given. */
  readonly keys: readonly string[];
  /** Others that it may have, such as where its model is. */
  readonly variables: readonly string[];
  /** Where its model is. */
  readonly api: ModelApi;
  /** Files of the user's own home by which it is logged in. They are linked into the session's home. */
  readonly logins: readonly string[];
  readonly help: { readonly install: string; readonly login: string };
  /** What of the task it could not keep. */
  refuses(spec: TaskSpec): Obstacle | null;
  /** What it keeps more tightly than was asked, or by other means, in words. */
  narrows(spec: TaskSpec): readonly string[];
  /** Whether it runs commands that nothing but our own confinement could hold. */
  runsFreely(spec: TaskSpec): boolean;
  /** Whether it can be held to this output schema by itself. */
  keepsSchema(schema: JsonObject): boolean;
  /** Cut short, its own sandbox may leave empty files behind, in the place of protected ones that were not there. */
  readonly leavesEmpty?: true | undefined;
  /** For the raw log: where a line holds a piece of a text that goes on in the next. */
  readonly pieceIn?: PieceIn | undefined;
  /** Why it must not be started here: a file that it would obey. */
  unsafe?(workspace: string): Promise<string | undefined>;
  launch(wish: Wish): Launch;
}
