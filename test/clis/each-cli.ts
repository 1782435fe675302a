// What the same wish is in the words of each CLI's model.
import type { Cli } from "../../src/backends/cli/cli.ts";
import { claude } from "../../src/backends/claude/claude.ts";
import { codex } from "../../src/backends/codex/codex.ts";
import { gemini } from "../../src/backends/gemini/gemini.ts";
import type { Call } from "./model-protocols.ts";
import type { Asked } from "./model-server.ts";
import { isTried } from "./programs.ts";

export interface EachCli {
  readonly name: string;
  readonly cli: Cli;
  readonly model: string;
  readonly writes: (path: string, text: string) => Call;
  readonly runs: (command: string) => Call;
  /** A tool of Cadre's own. */
  readonly ours: (tool: string, args: Record<string, unknown>) => Call;
  /** Whatever could change a file, in all of its ways. */
  readonly attacks: (file: string) => readonly Call[];
  /** What was said to the model, as text. */
  readonly said: (asked: Asked | undefined) => string;
  /** How many messages of a user there were. */
  readonly userMessages: (asked: Asked | undefined) => number;
}

const patch = (file: string, text: string): Call => ({
  name: "apply_patch",
  args: { input: `*** Begin Patch\n*** Add File: ${file}\n+${text}\n*** End Patch\n` },
});

const userCount = (list: readonly { readonly role?: string }[] | undefined): number =>
  (list ?? []).filter(({ role }) => role === "user").length;

const ALL: readonly EachCli[] = [
  {
    name: "claude",
    cli: claude,
    model: "sonnet",
    writes: (path, text) => ({ name: "Write", args: { file_path: path, content: text } }),
    ours: (tool, args) => ({ name: `mcp__cadre__${tool}`, args }),
    runs: (command) => ({ name: "Bash", args: { command, description: "runs it" } }),
    attacks: (file) => [
      { name: "Write", args: { file_path: file, content: "x" } },
      { name: "Edit", args: { file_path: file, old_string: "", new_string: "x" } },
      { name: "NotebookEdit", args: { notebook_path: file, new_source: "x" } },
      { name: "Bash", args: { command: `touch ${file}`, description: "x" } },
      { name: "Bash", args: { command: `cat /dev/null > ${file}`, description: "x" } },
    ],
    said: (asked) => JSON.stringify([asked?.body.system, asked?.body.messages]),
    userMessages: (asked) => userCount(asked?.body.messages),
  },
  {
    name: "codex",
    cli: codex,
    model: "openai/gpt-5.5",
    writes: patch,
    ours: (name, args) => ({ name, args, namespace: "mcp__cadre" }),
    runs: (cmd) => ({ name: "exec_command", args: { cmd } }),
    attacks: (file) => [
      patch(file, "x"),
      { name: "exec_command", args: { cmd: `touch ${file}` } },
      { name: "exec_command", args: { cmd: `sh -c 'echo x > ${file}'` } },
      {
        name: "exec_command",
        args: { cmd: `touch ${file}`, sandbox_permissions: "require_escalated", justification: "x" },
      },
    ],
    said: (asked) => JSON.stringify([asked?.body.instructions, asked?.body.input]),
    userMessages: (asked) => userCount(asked?.body.input),
  },
  {
    name: "gemini",
    cli: gemini,
    model: "google/gemini-2.5-flash",
    writes: (path, text) => ({ name: "write_file", args: { file_path: path, content: text } }),
    ours: (tool, args) => ({ name: `mcp_cadre-attempt_${tool}`, args }),
    runs: (command) => ({ name: "run_shell_command", args: { command } }),
    attacks: (file) => [
      { name: "write_file", args: { file_path: file, content: "x" } },
      { name: "replace", args: { file_path: file, old_string: "", new_string: "x", instruction: "x" } },
      { name: "run_shell_command", args: { command: `touch ${file}` } },
      { name: "run_shell_command", args: { command: `echo x > ${file}` } },
      { name: "save_memory", args: { fact: "x" } },
    ],
    said: (asked) => JSON.stringify([asked?.body.systemInstruction, asked?.body.contents]),
    userMessages: (asked) => userCount(asked?.body.contents),
  },
];

/** Those that this run is about. */
export const EACH = ALL.filter(({ name }) => isTried(name));
