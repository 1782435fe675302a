// Command lines that a peer named, as the policy wants to know them.
import type { ToolUse } from "../../ports/index.ts";

/**
 * What a line for the shell would run: every simple command, or null where not all of it is understood. `git`: whether
 * the operating system holds the programs that git would run by a repository's configuration.
 */
export type ReadCommand = (line: string, root: string, git?: "os" | "nothing") => Readable;

/** As the policy wants to know it. */
type Readable = Pick<ToolUse, "mayRun" | "unproven"> & {
  readonly commands: readonly string[] | null;
  readonly isReadOnly: boolean;
};

export const quoted = (word: string): string =>
  /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** `bash -lc "…"` is what the shell is told; anything else is typed as it stands. */
export function lineOf(words: readonly string[]): string {
  const [program = "", option = "", line] = words;
  const isShell = /(?:^|\/)(?:ba|da|z)?sh$/.test(program) && /^-[elux]*c$/.test(option);
  return isShell && line !== undefined && words.length === 3 ? line : words.map(quoted).join(" ");
}

/** `isPlain`: in the workspace itself, and with an environment of ours alone. Elsewhere the same words may mean more. */
export function useOfLine(line: string, root: string, isPlain: boolean, read?: ReadCommand): ToolUse {
  const understood = isPlain ? read?.(line, root) : undefined;
  return { effect: "exec", ...(understood ?? { commands: null, isReadOnly: false }) };
}
