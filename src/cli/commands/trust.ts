import { resolve } from "node:path";
import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { safeText } from "../render/safe-text.ts";

export const command = defineCommand({
  usage: "trust [folder]",
  summary: "Trust a folder as it is now, this project by default: only then may its agents run",
  operations: ["trust.grant", "trust.revoke", "trust.list"],
  options: { "--revoke": "take the trust back", "--list": "list what is trusted" },
  args: z.object({
    folder: z.string().optional(),
    revoke: z.boolean().default(false),
    list: z.boolean().default(false),
  }),
  async run({ open, out }, { folder: given, revoke, list }) {
    const folder = given === undefined ? undefined : resolve(given);
    await using cadre = await open();
    if (!list && !revoke) {
      const { folders, seen } = await cadre.call("trust.grant", { folder });
      out.data({ folders, seen }, () => folders.join("\n"));
      if (seen.length > 0)
        out.talk("These agents may now run as they are; a change of this will be asked about again:");
      for (const { agent, source, what } of seen) {
        out.talk(`  ${out.colors.bold(safeText(agent))}  ${out.colors.dim(safeText(source))}`);
        for (const one of what) out.talk(`    ${safeText(one)}`);
      }
      return EXIT.ok;
    }
    const { folders } = list ? await cadre.call("trust.list", {}) : await cadre.call("trust.revoke", { folder });
    out.data({ folders }, () => (folders.length === 0 ? "No folder is trusted." : folders.join("\n")));
    return EXIT.ok;
  },
});
