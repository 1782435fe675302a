import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { safeLine } from "../render/safe-text.ts";
import { table } from "../render/table.ts";

export const command = defineCommand({
  usage: "agents [name]",
  summary: "List the agents that there are, or show one",
  operations: ["agent.list", "agent.get"],
  args: z.object({ name: z.string().optional() }),
  async run({ open, out }, { name }) {
    await using cadre = await open();
    if (name !== undefined) {
      const agent = await cadre.call("agent.get", { agent: name });
      out.data(agent, () => JSON.stringify(agent, null, 2));
      return EXIT.ok;
    }
    const listing = await cadre.call("agent.list", {});
    out.data(listing, ({ agents }) => {
      if (agents.length === 0) return "No agents. Write one: .cadre/agents/<name>.md";
      const rows = agents.map(({ definition, source, trusted }) => [
        definition.name,
        trusted ? "" : "not trusted",
        safeLine([definition.display_name, definition.description].filter((word) => word !== undefined).join(": ")),
        safeLine(source),
      ]);
      return table(["AGENT", "", "WHAT IT IS FOR", "FROM"], rows);
    });
    for (const { source, message } of listing.problems) out.talk(out.colors.yellow(safeLine(`${source}: ${message}`)));
    return EXIT.ok;
  },
});
