import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import type { Answer } from "../../schema/index.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { safeText } from "../render/safe-text.ts";

export const command = defineCommand({
  usage: "inbox [approval]",
  summary: "List what waits for you, or answer one of it",
  operations: ["inbox.list", "approval.answer"],
  options: {
    "--allow": "allow it, this once",
    "--allow-for-task": "allow it for the rest of this task",
    "--deny [note]": "deny it",
    "--say <text>": "answer a question",
  },
  examples: ["cadre inbox", "cadre inbox appr_01k… --allow"],
  args: z.object({
    approval: z.string().optional(),
    allow: z.boolean().optional(),
    allowForTask: z.boolean().optional(),
    deny: z.union([z.literal(true), z.string()]).optional(),
    say: z.string().optional(),
  }),
  async run({ open, out }, args) {
    await using cadre = await open();
    if (args.approval !== undefined) {
      const answered = await cadre.call("approval.answer", { approval: args.approval, answer: answerOf(args) });
      out.data(answered, () => `answered; ${answered.task.id} goes on`);
      return EXIT.ok;
    }
    const { items } = await cadre.call("inbox.list", {});
    out.data(items, () =>
      items.length === 0
        ? "Nothing waits for you."
        : items
            .map(
              ({ agent, task, approval }) =>
                `${approval.id}  ${agent}  ${task}\n${safeText(approval.title)}\n${safeText(approval.body)}`,
            )
            .join("\n\n"),
    );
    return EXIT.ok;
  },
});

interface Choice {
  readonly allow?: boolean | undefined;
  readonly allowForTask?: boolean | undefined;
  readonly deny?: true | string | undefined;
  readonly say?: string | undefined;
}

function answerOf({ allow, allowForTask, deny, say }: Choice): Answer {
  const answers: Answer[] = [];
  if (allow === true) answers.push({ verdict: "allow", scope: "once" });
  if (allowForTask === true) answers.push({ verdict: "allow", scope: "task" });
  if (deny !== undefined) answers.push(deny === true ? { verdict: "deny" } : { verdict: "deny", note: deny });
  if (say !== undefined) answers.push({ verdict: "text", text: say });
  const [answer] = answers;
  if (answer !== undefined && answers.length === 1) return answer;
  throw invalidInput("say how to answer, in one way", {
    hint: "One of --allow, --allow-for-task, --deny, --say <text>",
  });
}
