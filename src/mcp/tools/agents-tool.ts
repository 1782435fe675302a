import * as z from "zod";
import { hostTool, type ToolMaker } from "../host-tool.ts";

export const agentsTool: ToolMaker = (_agents, { names }) =>
  hostTool({
    name: names.agents,
    description: `List the agents that ${names.task} can call: what each is for, and the inputs that it takes.`,
    operations: ["agent.list"],
    effect: "reads",
    input: z.strictObject({}),
    async run(_input, { cadre, desk }) {
      const agents = (await desk.agents()).map(({ name, description, inputs, capabilities }) => {
        const takes = inputs.map(({ name: input, type, description: about, required }) => {
          return { name: input, type, description: about ?? null, required: required === true };
        });
        return { name, description, inputs: takes, capabilities };
      });
      const listed = await cadre.call("agent.list", {});
      const untrusted = listed.agents.filter(({ trusted }) => !trusted).map(({ definition }) => definition.name);
      const problems = listed.problems.map(({ source, message }) => `${source}: ${message}`);
      const note =
        untrusted.length === 0 ? null : "Those that are not trusted run only once a person has said: cadre trust";
      const lines = agents.map(({ name, description, inputs, capabilities }) => {
        const takes = inputs.map((input) => `${input.name} (${input.type}${input.required ? ", required" : ""})`);
        return [`${name}: ${description}`, `  as: ${capabilities.join(", ")}`, ...takes.map((one) => `  input ${one}`)];
      });
      const more = [
        ...(untrusted.length === 0 ? [] : [`not trusted: ${untrusted.join(", ")}`, String(note)]),
        ...problems,
      ];
      return {
        text: [...lines.flat(), ...more].join("\n"),
        data: { agents, untrusted, ...(note === null ? {} : { note }), problems },
      };
    },
  });
