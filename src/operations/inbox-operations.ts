// What waits for somebody to look at it, and who has seen it. Answering is another matter: that is a person's.
import * as z from "zod";
import { authorityDenied, invalidInput } from "../errors/index.ts";
import { ApprovalView, InboxItem, InboxItemId, type TaskId, TaskId as Task } from "../schema/index.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { Proposal, waitingProposals } from "./proposals.ts";
import { reach, reachable } from "./reach.ts";

const PAGE_MAX = 500;

export const listInbox = defineOperation({
  authority: "agent",
  summary:
    "List what waits to be looked at: questions, ended work, new agents and tools that agents have written, and what agents have to say. The latest first.",
  input: z.strictObject({
    /** `waiting`: unread, or without the answer that is wanted. */
    state: z.enum(["waiting", "unread", "all"]).default("waiting"),
    before: InboxItemId.optional(),
    limit: z.int().min(1).max(PAGE_MAX).default(50),
  }),
  output: z.strictObject({
    items: z.array(InboxItem.extend({ asked: ApprovalView.nullable() })),
    /** Where the next page begins; null after the last. */
    next: InboxItemId.nullable(),
    /** New agents and tools that wait for `cadre trust`: on the first page, and not to an agent. Reading answers none. */
    proposals: z.array(Proposal),
  }),
  async run(context, { state, before, limit }) {
    const { store } = context.engine.parts;
    const root = context.caller.inside?.spec.root;
    const page = await store.inbox({ state, root, before, limit });
    const items = await Promise.all((await inReach(context, page)).map((item) => withQuestion(context, item)));
    const isFirst = before === undefined && context.caller.inside === null;
    const proposals = isFirst ? await waitingProposals(context) : [];
    return { items, next: page.length < limit ? null : (page.at(-1)?.id ?? null), proposals };
  },
});

/** What was asked stands whole in the task: an item has its summary. */
async function withQuestion({ engine }: OperationContext, item: InboxItem) {
  const task = item.approval === null ? undefined : await engine.parts.store.task(item.task);
  return { ...item, asked: task?.approvals.find(({ id }) => id === item.approval) ?? null };
}

async function inReach(context: OperationContext, items: readonly InboxItem[]): Promise<readonly InboxItem[]> {
  if (context.caller.inside === null) return items;
  const { store } = context.engine.parts;
  const tasks = await Promise.all([...new Set(items.map(({ task }) => task))].map((id) => store.task(id)));
  const seen = await reachable(
    context,
    tasks.filter((task) => task !== undefined),
  );
  const ids = new Set(seen.map(({ id }) => id));
  return items.filter(({ task }) => ids.has(task));
}

/** At a time: what is beyond waits for the next call. */
const MOST_OF_ALL = 5000;

export const acknowledgeInbox = defineOperation({
  authority: "agent",
  summary: "Mark items of the inbox as read: by their ids, of one task and all below it, or all. It answers nothing.",
  input: z.strictObject({
    items: z.array(InboxItemId).max(PAGE_MAX).optional(),
    /** A task that was not started by another one. */
    root: Task.optional(),
    all: z.literal(true).optional(),
  }),
  output: z.strictObject({ read: z.array(InboxItemId) }),
  async run(context, { items, root, all }) {
    if ([items, root, all].filter((one) => one !== undefined).length !== 1)
      throw invalidInput("one of items, root and all is needed");
    const { store } = context.engine.parts;
    const meant = items === undefined ? await unread(context, root) : await named(context, items);
    const read = await store.acknowledge(
      meant.map(({ id }) => id),
      context.caller.by,
    );
    return { read: read.map(({ id }) => id) };
  },
});

/** Of others' work none: without an id, what may not be acknowledged is not meant. */
async function unread(context: OperationContext, root: TaskId | undefined): Promise<InboxItem[]> {
  const { store } = context.engine.parts;
  if (root !== undefined) await reach(context, root);
  const own = context.caller.inside?.spec.root;
  const found = await store.inbox({ state: "unread", root: root ?? own, limit: MOST_OF_ALL });
  const seen = await inReach(context, found);
  const mine = await Promise.all(seen.map((item) => isMine(context, item)));
  return seen.filter((_, index) => mine[index]);
}

async function named(context: OperationContext, ids: readonly InboxItemId[]): Promise<InboxItem[]> {
  const { store } = context.engine.parts;
  const found = (await Promise.all(ids.map((id) => store.inboxItem(id)))).filter((item) => item !== undefined);
  const seen = await inReach(context, found);
  const missing = ids.find((id) => !seen.some((item) => item.id === id));
  if (missing !== undefined)
    throw invalidInput(`there is no item "${missing}"`, { hint: "List what there is: cadre inbox --all" });
  for (const item of seen) {
    if (!(await isMine(context, item)))
      throw authorityDenied("inbox.acknowledge", `of ${item.id}, which somebody else has started, is a person's`);
  }
  return [...seen];
}

/** A person reads everything; a program what it has started itself, an agent what is below it. */
async function isMine({ engine, caller }: OperationContext, { root }: InboxItem): Promise<boolean> {
  if (caller.inside !== null || caller.authority === "person") return true;
  const origin = (await engine.parts.store.task(root))?.spec.origin;
  return origin?.mouth === caller.mouth && origin.by === caller.by;
}
