// Gemini CLI's own files: commands as TOML, and two agents as extensions. The queue of `/agent:…` is the one of
// `cadre --home .gemini/agents`, so its state files are where and as that queue has them.
import { join } from "node:path";
import type { CommandParts, OwnFile } from "../kinds/kind.ts";
import { instructions } from "./agent-commands.ts";

const HOME = ".gemini/agents";
const SHOW = "That is what it printed. Show it to me exactly as it is, and do nothing else.";

export const geminiCommands = ({ cadre, tools, commands }: CommandParts): OwnFile[] => [
  ...commands.map((command) =>
    commandFile([command.name], `${command.description}: /${command.name} ${command.hint}`, [
      instructions(command, tools, "{{args}}").trimEnd(),
    ]),
  ),
  commandFile(["agent", "start"], 'Starts and queues a new sub-agent task: /agent:start <agent_name> "<prompt>"', [
    "A task was queued for a sub-agent, by a command that has run already:",
    "",
    // What was typed goes in as one quoted word. Anything cleverer than one command is refused there.
    `!{${cadre} --home ${HOME} start --typed={{args}}}`,
    "",
    SHOW,
  ]),
  commandFile(["agent", "run"], "Runs the oldest sub-agent task that is pending.", [
    "The oldest pending task of a sub-agent was run, by a command that has run already:",
    "",
    `!{${cadre} --home ${HOME} work --once}`,
    "",
    SHOW,
  ]),
  commandFile(["agent", "status"], "Displays the status of all sub-agent tasks.", [
    "These are the tasks of all sub-agents, from a command that has run already:",
    "",
    `!{${cadre} --home ${HOME} status --format markdown}`,
    "",
    SHOW,
  ]),
];

function commandFile(names: readonly string[], description: string, lines: readonly string[]): OwnFile {
  const text = `description = ${JSON.stringify(description)}\nprompt = """\n${inLongString(lines.join("\n"))}\n"""\n`;
  return { what: `/${names.join(":")}`, path: `${join(".gemini", "commands", ...names)}.toml`, text };
}

const inLongString = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');

const persona = (name: string, prompt: string): OwnFile => {
  const content = { name, version: "1.0.0", contextFileName: `${name}-scratchpad.md`, prompt };
  return {
    what: name,
    path: join(".gemini", "extensions", `${name}.json`),
    text: `${JSON.stringify(content, null, 2)}\n`,
  };
};

export const PERSONAS: readonly OwnFile[] = [
  persona(
    "coder-agent",
    "You are an expert software developer. Your SOLE task is to write clean, efficient, and correct code to satisfy the user's request. You will be given a task and a plan file. First, update the plan with the steps you will take. Then, write the code to a file in the `.gemini/agents/workspace/` directory. When you are finished, output only the absolute path to the file you created.",
  ),
  persona(
    "reviewer-agent",
    "You are an expert code reviewer. You will be given a file path to review. Your SOLE task is to analyze the code for bugs, style violations, and improvements. Update the agent's plan file with your review and then output 'Review complete.' to finish the task.",
  ),
];
