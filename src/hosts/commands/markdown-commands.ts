// Commands as Markdown files, which Claude Code, opencode and Qwen Code read nearly alike.
import { join } from "node:path";
import type { CommandParts, OwnFile } from "../kinds/kind.ts";
import { instructions } from "./agent-commands.ts";

export interface MarkdownForm {
  /** What stands for the words that were typed. */
  readonly typed: string;
  readonly takesHint: boolean;
}

const USUAL: MarkdownForm = { typed: "$ARGUMENTS", takesHint: true };
export const QWEN_FORM: MarkdownForm = { typed: "{{args}}", takesHint: false };

export const markdownCommands = (folder: string, { tools, commands }: CommandParts, form = USUAL): OwnFile[] =>
  commands.map((command) => ({
    what: `/${command.name}`,
    path: join(folder, `${command.name}.md`),
    text: [
      "---",
      `description: ${JSON.stringify(command.description)}`,
      ...(form.takesHint ? [`argument-hint: ${JSON.stringify(command.hint)}`] : []),
      "---",
      "",
      instructions(command, tools, form.typed),
    ].join("\n"),
  }));
