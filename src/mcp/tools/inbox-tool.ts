// What a host may want to know of: questions that wait for a person, work that has ended, what agents have to say. It
// is shown, and marked as read where the host says so. Answering is a person's.
import { join } from "node:path";
import * as z from "zod";
import type { OperationOutput } from "../../operations/index.ts";
import { contextEnvelope, oneLine, statusWord } from "../../operations/words.ts";
import { InboxItemId } from "../../schema/index.ts";
import { type HostCall, hostTool, type ToolMaker } from "../host-tool.ts";
import { nonce } from "../show/nonce.ts";

const SUMMARY = 300;
const ANSWER_BY = "Only a person can answer: tell your user to run";

const Input = z.strictObject({
  acknowledge: z
    .array(InboxItemId)
    .max(100)
    .optional()
    .describe("ids of items that you have dealt with: they are marked as read. It answers no question"),
  all: z.boolean().optional().meta({ description: "also what was read", default: false }),
  limit: z.int().min(1).max(100).optional().meta({ description: "how many at the most", default: 20 }),
  cursor: InboxItemId.optional().describe("where the list goes on: next_cursor of the reply before"),
});

export const inboxTool: ToolMaker = (_agents, { names }) =>
  hostTool({
    name: names.inbox,
    description:
      "See what waits for a person's answer, which tasks have ended, what was proposed, and what agents have said; mark it as read. You cannot answer: tell your user.",
    operations: ["inbox.list", "inbox.acknowledge"],
    effect: "works",
    input: Input,
    async run({ acknowledge, all = false, limit = 20, cursor }, call) {
      const { cadre } = call;
      const done =
        acknowledge === undefined ? undefined : await cadre.call("inbox.acknowledge", { items: acknowledge });
      const state = all ? "all" : "waiting";
      const { items, next, proposals } = await cadre.call("inbox.list", { state, limit, before: cursor });
      const shown = items.map((item) => itemOf(item, call));
      const questions = shown.filter((item) => "approval" in item);
      const ended = shown.filter(({ kind }) => kind === "ended" || kind === "review" || kind === "interrupted");
      const others = shown.filter((item) => !questions.includes(item) && !ended.includes(item));
      const lines = [...proposals.map(proposalLine), ...shown.map(lineOf)];
      const text =
        lines.length === 0
          ? "Nothing waits, and nothing has ended that was not read."
          : contextEnvelope({ source: "inbox", isTrusted: false, text: lines.join("\n") }, nonce());
      const isAsked = items.some(({ isOpen }) => isOpen);
      const notes = [
        ...(done === undefined ? [] : [`${done.read.length} marked as read.`]),
        ...(isAsked ? [`${ANSWER_BY} cadre inbox`] : []),
        ...(proposals.length > 0
          ? [`Only a person can agree to what was proposed: tell your user to run cadre trust, or cadre memory accept`]
          : []),
        ...(next === null ? [] : [`There is more: ${names.inbox}(cursor=${JSON.stringify(next)})`]),
      ];
      return {
        text: [text, ...notes].join("\n"),
        data: {
          questions,
          ended,
          others,
          proposals: proposals.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
          next_cursor: next,
          ...(done === undefined ? {} : { read: done.read }),
          ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
        },
      };
    },
  });

type Inbox = OperationOutput<"inbox.list">;
type Item = Inbox["items"][number];

const proposalLine = ({ kind, name, by, description, source }: Inbox["proposals"][number]): string =>
  `proposal: ${kind} ${name} by ${by}: ${oneLine(description, SUMMARY)} (${source})`;

function itemOf(item: Item, { cadre, manner }: HostCall) {
  const { id, kind, task, session, agent, status, summary, at, read, isOpen, asked } = item;
  return {
    id,
    kind,
    task_id: task,
    session_id: session,
    agent,
    status: statusWord(status, manner.dialect),
    summary: oneLine(summary, SUMMARY),
    at: new Date(at).toISOString(),
    is_read: read !== null,
    transcript: join(cadre.home, "sessions", `${session}.json`),
    log_file: join(cadre.home, "logs", `${task}.log`),
    ...(asked === null || !isOpen
      ? {}
      : { approval: asked.id, title: asked.title, answer_with: `cadre inbox answer ${asked.id}` }),
  };
}

function lineOf(item: ReturnType<typeof itemOf>): string {
  const { id, agent, task_id: task, kind, status, summary, transcript } = item;
  const what = kind === "ended" || kind === "review" ? status : kind;
  const way = item.answer_with === undefined ? transcript : item.answer_with;
  return `${id} ${agent} ${task} ${what}: ${summary} (${way})`;
}
