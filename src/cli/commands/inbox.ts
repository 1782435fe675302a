import { join } from "node:path";
import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import { invalidInput } from "../../errors/index.ts";
import type { Answer } from "../../schema/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { wholeNumber } from "../numbers.ts";
import { inboxText } from "../render/inbox.ts";

const WHAT_WAITS = "List what waits for an answer: cadre inbox";
const ITEMS_MAX = 500;
const ACTIONS = ["list", "read", "answer"] as const;

const Args = z.object({
  // An approval alone, or its item, is answered.
  action: z
    .union([z.enum(ACTIONS), z.string().regex(/^(appr|item)_/, { abort: true })], {
      error: `expected one of ${ACTIONS.map((one) => `"${one}"`).join("|")}, or an item`,
    })
    .default("list"),
  item: z.array(z.string()).default([]),
  all: z.boolean().default(false),
  unread: z.boolean().default(false),
  limit: wholeNumber(1, 1000).optional(),
  before: z.string().optional(),
  allow: z.boolean().optional(),
  allowForTask: z.boolean().optional(),
  always: z.boolean().optional(),
  deny: z.union([z.literal(true), z.string()]).optional(),
  say: z.string().optional(),
});
type Args = z.infer<typeof Args>;

export const command = defineCommand({
  usage: "inbox [action] [item...]",
  summary: "List what waits for you, mark it as read, or answer a question",
  operations: ["inbox.list", "inbox.acknowledge", "approval.answer"],
  options: {
    "--all": "also what was read; with read: everything",
    "--unread": "only what was not read",
    "--limit <n>": "how many at the most",
    "--before <item>": "those before this one: the next page",
    "--allow": "allow it, this once",
    "--allow-for-task": "allow it for the rest of this task",
    "--always": "allow it for good: a rule in your own settings",
    "--deny [note]": "deny it",
    "--say <text>": "answer a question",
  },
  examples: [
    "cadre inbox",
    "cadre inbox list --all",
    "cadre inbox read item_412 item_430",
    "cadre inbox read --all",
    "cadre inbox answer appr_01k… --allow",
  ],
  args: Args,
  run(context, args) {
    if (args.action === "list") return list(context, args);
    return args.action === "read" ? read(context, args) : giveAnswer(context, args);
  },
});

async function list({ open, out }: CommandContext, { all, unread, limit, before }: Args): Promise<Exit> {
  if (all && unread) throw invalidInput("--all and --unread exclude each other");
  await using cadre = await open();
  const state = all ? "all" : unread ? "unread" : "waiting";
  const { items, next, proposals } = await cadre.call("inbox.list", { state, limit, before });
  const transcriptOf = ({ session }: { session: string }) => join(cadre.home, "sessions", `${session}.json`);
  out.data({ items, next, proposals }, (_, colors) => inboxText({ items, proposals }, transcriptOf, colors));
  if (next !== null) out.talk(`There is more: cadre inbox list --before ${next}`);
  return EXIT.ok;
}

async function read({ open, out }: CommandContext, { item, all }: Args): Promise<Exit> {
  if (item.length > 0 === all)
    throw invalidInput("say what you have read", { hint: "cadre inbox read <item…>, or cadre inbox read --all" });
  await using cadre = await open();
  const done = await cadre.call("inbox.acknowledge", all ? { all } : { items: item });
  out.data(done, () => `${done.read.length} marked as read`);
  return EXIT.ok;
}

async function giveAnswer({ open, out }: CommandContext, args: Args): Promise<Exit> {
  const [named, ...others] = args.action === "answer" ? args.item : [args.action, ...args.item];
  if (named === undefined || others.length > 0)
    throw invalidInput("say what you answer: one approval", { hint: WHAT_WAITS });
  const answer = answerOf(args);
  await using cadre = await open();
  const approval = named.startsWith("item_") ? await approvalOf(cadre, named) : named;
  const answered = await cadre.call("approval.answer", { approval, answer });
  out.data(answered, () => `answered; ${answered.task.id} goes on`);
  return EXIT.ok;
}

async function approvalOf(cadre: Cadre, item: string): Promise<string> {
  const { items } = await cadre.call("inbox.list", { state: "waiting", limit: ITEMS_MAX });
  const approval = items.find(({ id }) => id === item)?.approval;
  if (approval === undefined || approval === null)
    throw invalidInput(`${item} waits for no answer`, { hint: WHAT_WAITS });
  return approval;
}

interface Choice {
  readonly allow?: boolean | undefined;
  readonly allowForTask?: boolean | undefined;
  readonly always?: boolean | undefined;
  readonly deny?: true | string | undefined;
  readonly say?: string | undefined;
}

function answerOf({ allow, allowForTask, always, deny, say }: Choice): Answer {
  const answers: Answer[] = [];
  if (allow === true) answers.push({ verdict: "allow", scope: "once" });
  if (allowForTask === true) answers.push({ verdict: "allow", scope: "task" });
  if (always === true) answers.push({ verdict: "allow", scope: "always" });
  if (deny !== undefined) answers.push(deny === true ? { verdict: "deny" } : { verdict: "deny", note: deny });
  if (say !== undefined) answers.push({ verdict: "text", text: say });
  const [answer] = answers;
  if (answer !== undefined && answers.length === 1) return answer;
  throw invalidInput("say how to answer, in one way", {
    hint: "One of --allow, --allow-for-task, --always, --deny, --say <text>",
  });
}
