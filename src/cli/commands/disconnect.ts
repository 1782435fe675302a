import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { changeReport } from "../render/hosts.ts";
import { scopeOf } from "./connect.ts";

export const command = defineCommand({
  usage: "disconnect <host>",
  summary: "Take out of another program's configuration exactly what cadre connect has added",
  operations: ["host.disconnect"],
  options: {
    "--user": "only from the user's own configuration",
    "--project": "only from this project's",
    "--force": "also what somebody has changed since",
    "--dry": "show what would change, write nothing",
  },
  examples: ["cadre disconnect claude --dry", "cadre disconnect claude"],
  args: z.object({
    host: z.string(),
    user: z.boolean().default(false),
    project: z.boolean().default(false),
    force: z.boolean().default(false),
    dry: z.boolean().default(false),
  }),
  async run({ open, out }, { host, user, project, force, dry }) {
    await using cadre = await open();
    const done = await cadre.call("host.disconnect", { host, scope: scopeOf(user, project), force, dry });
    out.data(done, (_, colors) => changeReport(done, colors));
    if (done.changes.length === 0) out.talk("Nothing of it was connected from here.");
    return done.changes.some(({ result }) => result === "kept") ? EXIT.taskFailed : EXIT.ok;
  },
});
