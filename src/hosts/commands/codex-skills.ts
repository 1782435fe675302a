// Commands for Codex, as skills of the user's own: `$oracle` in place of `/oracle`. Only where somebody names one.
import { join } from "node:path";
import type { CommandParts, OwnFile } from "../kinds/kind.ts";
import { instructions } from "./agent-commands.ts";

const POLICY = "policy:\n  allow_implicit_invocation: false\n";

export const codexSkills = ({ tools, commands }: CommandParts): OwnFile[] =>
  commands.flatMap((command) => {
    const folder = join("skills", command.name);
    const head = `---\nname: ${command.name}\ndescription: ${JSON.stringify(command.description)}\n---\n\n`;
    const text = instructions(command, tools, "what stands beside the name of this skill.");
    return [
      { what: `$${command.name}`, path: join(folder, "SKILL.md"), text: head + text },
      { what: `$${command.name} (policy)`, path: join(folder, "agents", "openai.yaml"), text: POLICY },
    ];
  });
