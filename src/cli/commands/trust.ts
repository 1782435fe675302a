import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

export const command = defineCommand({
  usage: "trust [folder]",
  summary: "Trust a folder, this project by default: only then may its agents run",
  operations: ["trust.grant", "trust.revoke", "trust.list"],
  options: { "--revoke": "take the trust back", "--list": "list what is trusted" },
  args: z.object({
    folder: z.string().optional(),
    revoke: z.boolean().default(false),
    list: z.boolean().default(false),
  }),
  async run({ open, out }, { folder, revoke, list }) {
    await using cadre = await open();
    const { folders } = list
      ? await cadre.call("trust.list", {})
      : await cadre.call(revoke ? "trust.revoke" : "trust.grant", { folder });
    out.data({ folders }, () => (folders.length === 0 ? "No folder is trusted." : folders.join("\n")));
    return EXIT.ok;
  },
});
