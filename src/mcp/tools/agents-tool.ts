import * as z from "zod";
import { oneLine } from "../../operations/words.ts";
import type { AgentDefinition } from "../../schema/index.ts";
import { hostTool, type ToolMaker } from "../host-tool.ts";

const DESCRIPTION = 300;
const NOT_TRUSTED = "Those that are not trusted run only once a person has said: cadre trust";

export const agentsTool: ToolMaker = (_agents, { names }) =>
  hostTool({
    name: names.agents,
    description: `List the agents that ${names.task} can call: what each is for, and the inputs that it takes.`,
    operations: ["agent.list"],
    effect: "reads",
    input: z.strictObject({ cursor: z.int().min(0).optional().describe("where a long list goes on: next_cursor") }),
    async run({ cursor = 0 }, { cadre, desk, bounds }) {
      const listed = await cadre.call("agent.list", {});
      const all = (await desk.agents()).map(inShort);
      const shown = all.slice(cursor, cursor + roomFor(all.slice(cursor), bounds.pageChars));
      const end = cursor + shown.length;
      const untrusted = listed.agents.filter(({ trusted }) => !trusted).map(({ definition }) => definition.name);
      const problems = listed.problems.map(({ source, message }) => oneLine(`${source}: ${message}`, DESCRIPTION));
      const data = {
        agents: shown,
        next_cursor: end < all.length ? end : null,
        ...(untrusted.length === 0 ? {} : { untrusted, note: NOT_TRUSTED }),
        ...(problems.length === 0 ? {} : { problems }),
      };
      const lines = shown.flatMap(({ name, description, inputs, capabilities }) => [
        `${name} (${capabilities.join(", ")}): ${description}`,
        ...inputs.map((input) => `  ${input.name}: ${input.type}${input.required ? ", required" : ""}`),
      ]);
      if (untrusted.length > 0) lines.push(`not trusted: ${untrusted.join(", ")}`, NOT_TRUSTED);
      if (end < all.length) lines.push(`${all.length - end} more: ${names.agents}(cursor=${end})`);
      return { text: [...lines, ...problems].join("\n"), data };
    },
  });

const inShort = ({ name, description, inputs, capabilities }: AgentDefinition) => ({
  name,
  description: oneLine(description, DESCRIPTION),
  capabilities,
  inputs: inputs.map(({ name: input, type, required }) => ({ name: input, type, required: required === true })),
});

/** How many of them fit; one at least. */
function roomFor(agents: readonly unknown[], chars: number): number {
  let left = chars;
  const tooMany = agents.findIndex((agent) => (left -= JSON.stringify(agent).length) < 0);
  return tooMany === -1 ? agents.length : Math.max(1, tooMany);
}
