// What has happened that a host may want to know of: questions that wait for a person, and background work that has
// ended. It is only shown. Answering is a person's.
import * as z from "zod";
import { contextEnvelope, hasEnded, oneLine, statusWord } from "../../operations/words.ts";
import type { TaskView } from "../../schema/index.ts";
import { hostTool, type ToolMaker } from "../host-tool.ts";
import { nonce } from "../show/nonce.ts";
import { answerOf, errorOf } from "../show/outcome-words.ts";
import { logFileOf } from "../show/task-fields.ts";

const SUMMARY = 300;
const LOOKED_AT = 200;
const ANSWER_BY = "Only a person can answer: tell your user to run";

export const inboxTool: ToolMaker = (_agents, { dialect, names }) =>
  hostTool({
    name: names.inbox,
    description:
      "See what waits for a person's answer, and which tasks in the background have ended. You cannot answer: tell your user.",
    operations: ["inbox.list", "task.list"],
    effect: "reads",
    input: z.strictObject({
      limit: z.int().min(1).max(100).optional().meta({ description: "how many ended tasks at the most", default: 20 }),
    }),
    async run({ limit = 20 }, { cadre }) {
      const { items } = await cadre.call("inbox.list", {});
      const questions = items.map(({ task, agent, approval }) => {
        const { id, title, body } = approval;
        return {
          approval: id,
          task_id: task,
          agent,
          title,
          body: oneLine(body, SUMMARY),
          answer_with: `cadre inbox ${id}`,
        };
      });
      const { tasks } = await cadre.call("task.list", {
        status: ["completed", "failed", "cancelled", "interrupted"],
        limit: LOOKED_AT,
      });
      const ended = tasks
        .filter(({ spec, status }) => spec.background || !hasEnded(status))
        .slice(0, limit)
        .map((task) => itemOf(task, statusWord(task.status, dialect), logFileOf(cadre.home, task)));
      const lines = [
        ...questions.map((one) => `${one.agent} ${one.task_id} asks: ${one.title}. ${one.body} (${one.answer_with})`),
        ...ended.map((one) => `${one.agent} ${one.task_id} ${one.status}: ${one.summary} (${one.log_file})`),
      ];
      const text =
        lines.length === 0
          ? "Nothing waits, and nothing has ended in the background."
          : contextEnvelope({ source: "inbox", isTrusted: false, text: lines.join("\n") }, nonce());
      const note = questions.length === 0 ? null : `${ANSWER_BY} cadre inbox`;
      return {
        text: note === null ? text : `${text}\n${note}`,
        data: { questions, ended, ...(note === null ? {} : { note }) },
      };
    },
  });

const itemOf = (task: TaskView, status: string, log: string) => ({
  task_id: task.id,
  session_id: task.spec.session,
  agent: task.spec.definition.name,
  status,
  summary: oneLine(errorOf(task) ?? answerOf(task) ?? "", SUMMARY),
  ended_at: new Date(task.endedAt ?? task.updatedAt).toISOString(),
  log_file: log,
});
