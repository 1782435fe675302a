// Commands as Markdown files, which Claude Code and opencode read alike.
import { join } from "node:path";
import type { CommandParts, OwnFile } from "../kinds/kind.ts";
import { AGENT_COMMANDS, instructions } from "./agent-commands.ts";

export const markdownCommands = (folder: string, { tools }: CommandParts): OwnFile[] =>
  AGENT_COMMANDS.map((command) => ({
    what: `/${command.name}`,
    path: join(folder, `${command.name}.md`),
    text: [
      "---",
      `description: ${command.description}`,
      `argument-hint: ${JSON.stringify(command.hint)}`,
      "---",
      "",
      instructions(command, tools, "$ARGUMENTS"),
    ].join("\n"),
  }));
