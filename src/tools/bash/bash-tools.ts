// The shell as a tool. Where the last command left it, the next one starts; what runs in the background has an id.
import { isOfferedTo } from "../../domain/offered-tools.ts";
import type { AttemptScope, Clock, Exited, Tool, ToolResult, ToolSet, ToolUse } from "../../ports/index.ts";
import type { CallId } from "../../schema/index.ts";
import { defineTool, failed } from "../define-tool.ts";
import { type BackgroundShells, leftOutOf, ShellShelf } from "./background-shells.ts";
import { BashInput } from "./bash-input.ts";
import { findShell, type Shell } from "./find-shell.ts";
import { shellEnvironment } from "./shell-environment.ts";
import { understand } from "./shell-grammar.ts";
import { type ShellAttempt, type StartedShell, startShell } from "./start-shell.ts";
import { WorkingFolder } from "./working-folder.ts";

export interface BashParts {
  readonly clock: Clock;
  readonly home: string;
  /** Without it, the system's own. */
  readonly shell?: Shell | undefined;
}

export interface BashToolSet extends ToolSet {
  readonly shells: BackgroundShells;
}

type ShellScope = Pick<AttemptScope, "signal" | "live">;

/** More than any model is shown: what is cut for it goes to a file, where it can be searched. One runs at a time. */
const FOREGROUND_HALF = 1024 * 1024;

const DESCRIPTION = [
  "Runs a command in bash, in the workspace, and returns what it writes and its exit code.",
  "The folder is kept between calls, variables are not. Standard input is empty: nothing can be asked.",
  "What it leaves running with & may be ended with it: for that there is run_in_background.",
  "To read, search and change files use the other tools where you have them.",
].join(" ");

export const bashTools =
  (parts: BashParts) =>
  async (attempt: ShellAttempt, scope: ShellScope): Promise<BashToolSet> => {
    const shells = new ShellShelf(parts.clock, attempt.attempt);
    const isOffered = isOfferedTo(attempt.task.spec, { name: "Bash", effect: "exec" });
    const shell = isOffered ? (parts.shell ?? findShell()) : undefined;
    const tools = shell === undefined ? [] : [bashTool(new ShellCalls(parts, attempt, scope, shell, shells))];
    return { tools, shells, [Symbol.asyncDispose]: () => shells.stopAll() };
  };

const bashTool = (calls: ShellCalls): Tool =>
  defineTool({
    name: "Bash",
    description: DESCRIPTION,
    effect: "exec",
    input: BashInput,
    plan: (input) => ({ ok: true, use: calls.use(input) }),
    run: (input, call) => calls.run(input, call),
  });

class ShellCalls {
  readonly #parts: BashParts;
  readonly #attempt: ShellAttempt;
  readonly #scope: ShellScope;
  readonly #shell: Shell;
  readonly #shells: ShellShelf;
  readonly #folder: WorkingFolder;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: BashParts, attempt: ShellAttempt, scope: ShellScope, shell: Shell, shells: ShellShelf) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#scope = scope;
    this.#shell = shell;
    this.#shells = shells;
    this.#folder = new WorkingFolder(attempt.workspace.root);
  }

  use({ command, run_in_background }: BashInput): ToolUse {
    // Another shell may take the same words for something else.
    if (!this.#shell.isBash) return { effect: "exec", commands: null, isReadOnly: false };
    const isHeld = this.#attempt.confinement.label.commands === "os";
    const understood = understand(command, this.#folder.root, isHeld ? "os" : "environment");
    return { effect: "exec", ...understood, isReadOnly: understood.isReadOnly && !run_in_background };
  }

  run(input: BashInput, call: CallId): Promise<ToolResult> {
    if (input.run_in_background) return Promise.resolve(this.#background(input, call));
    // One after the other: they share the folder.
    const next = this.#last.then(() => this.#foreground(input, call));
    this.#last = next.catch(() => undefined);
    return next;
  }

  #start({ command }: BashInput, call: CallId, half?: number): StartedShell {
    return startShell(this.#attempt, this.#parts.clock, this.#shell, {
      command,
      cwd: this.#folder.path,
      env: shellEnvironment(this.#attempt, this.#parts.home),
      show: (text) => this.#scope.live({ type: "output-delta", call, text }),
      half,
    });
  }

  #background(input: BashInput, call: CallId): ToolResult {
    if (this.#scope.signal.aborted) return STOPPED_BEFORE;
    if (this.#shells.isFull) return failed("too many commands run in the background: stop one of them first");
    const id = this.#shells.add(input.command, this.#start(input, call));
    return { ok: true, text: `started in the background as ${id}: see it with TaskOutput, stop it with TaskStop` };
  }

  async #foreground(input: BashInput, call: CallId): Promise<ToolResult> {
    const { signal } = this.#scope;
    if (signal.aborted) return STOPPED_BEFORE;
    const shell = this.#start(input, call, FOREGROUND_HALF);
    const over = new AbortController();
    const limit = this.#parts.clock.sleep(input.timeout, AbortSignal.any([over.signal, signal]));
    const first = await Promise.race([shell.ended, limit.then(() => null)]);
    over.abort();
    if (first !== null)
      return resultOf(shell, [sayExit(first), this.#folder.moveTo(shell.lastFolder())], succeeded(first));
    const why = signal.aborted ? "stopped with the task" : `ended after ${input.timeout} ms, which was its time limit`;
    const isEnded = await shell.stop();
    return resultOf(shell, [why, isEnded ? undefined : "it has not ended yet, and is ended with the task"], false);
  }
}

const STOPPED_BEFORE = failed("not started: the task is being stopped");

const succeeded = (exited: Exited): boolean => exited.kind === "exited" && exited.code === 0;

function sayExit(exited: Exited): string {
  switch (exited.kind) {
    case "exited":
      return `exit code ${exited.code}`;
    case "killed":
      return `killed by ${exited.signal}`;
    case "unstarted":
      return `not started: ${exited.message}`;
  }
}

function resultOf(shell: StartedShell, notes: readonly (string | undefined)[], ok: boolean): ToolResult {
  const { text } = shell.output;
  const said = notes.filter((note) => note !== undefined).map((note) => `[${note}]`);
  const lines = [text === "" ? "[no output]" : text.replace(/\n$/, ""), ...said];
  return { ok, text: lines.join("\n"), leftOut: leftOutOf(shell.output) };
}
