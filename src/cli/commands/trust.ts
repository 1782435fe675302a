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
      const { folders, seen, tools } = await cadre.call("trust.grant", { folder });
      out.data({ folders, seen, tools }, () => folders.join("\n"));
      if (seen.length + tools.length > 0)
        out.talk("These may now run as they are; a change of this will be asked about again:");
      const rows = [
        ...seen.map((one) => ({ ...one, name: one.agent })),
        ...tools.map((one) => ({ ...one, name: one.tool })),
      ];
      for (const { name, source, what } of rows) {
        out.talk(`  ${out.colors.bold(safeText(name))}  ${out.colors.dim(safeText(source))}`);
        for (const one of what) out.talk(`    ${safeText(one)}`);
      }
      return EXIT.ok;
    }
    const { folders } = list ? await cadre.call("trust.list", {}) : await cadre.call("trust.revoke", { folder });
    out.data({ folders }, () => (folders.length === 0 ? "No folder is trusted." : folders.join("\n")));
    return EXIT.ok;
  },
});
