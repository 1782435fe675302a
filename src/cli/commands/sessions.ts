import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { safeText } from "../render/safe-text.ts";

export const command = defineCommand({
  usage: "sessions <session>",
  summary: "Show a session: what was said in it, and what its children left",
  operations: ["session.get"],
  args: z.object({ session: z.string() }),
  async run({ open, out }, { session }) {
    await using cadre = await open();
    const view = await cadre.call("session.get", { session });
    out.data(view, ({ messages, breadcrumbs }) =>
      [
        ...messages.map(({ role, content }) => `${role === "user" ? "User" : "Assistant"}: ${safeText(content)}`),
        ...breadcrumbs.map(({ agent, status, summary }) => `  ${agent} ${status}: ${safeText(summary)}`),
      ].join("\n"),
    );
    return EXIT.ok;
  },
});
