import { oneLine } from "../../operations/words.ts";
import type { AgentDefinition } from "../../schema/index.ts";

/** Some hosts cut what a tool says of itself after two kilobytes. */
const ROOM = 1_950;
const LINE = 120;

/** What a tool is for, then whom it can call, a line each, for as many as there is room. */
export function withAgents(about: string, agents: readonly AgentDefinition[], listTool: string): string {
  const lines = agents.map(({ name, description, inputs }) => {
    const takes = inputs.length === 0 ? "" : ` (inputs: ${inputs.map((input) => input.name).join(", ")})`;
    return oneLine(`- ${name}: ${visible(description)}${takes}`, LINE);
  });
  let text = `${about}\n\nAgents:`;
  for (const [index, line] of lines.entries()) {
    const rest = `\n- and ${lines.length - index} more: see ${listTool}`;
    if (text.length + line.length + 1 + rest.length > ROOM) return `${text}${rest}`;
    text += `\n${line}`;
  }
  return lines.length === 0 ? `${about}\n\nNo agent is there yet: see ${listTool}` : text;
}

/** Nothing that a person who reads the list would not see. */
const visible = (text: string): string => text.replaceAll(/\p{Cf}|(?!\s)\p{Cc}/gu, "");
