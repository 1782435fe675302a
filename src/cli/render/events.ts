// One line per event that a person would want to see.
import { settledWords, worthOf } from "../../operations/words.ts";
import type { Envelope, Json, TaskEvent } from "../../schema/index.ts";
import type { Colors } from "./colors.ts";
import { duration } from "./durations.ts";
import { safeLine } from "./safe-text.ts";
import { amountOf } from "./work.ts";

const WIDTH = 100;
const WARNING = 400;
const brief = (text: string): string => safeLine(text, WIDTH);

/** `null` for events that mean nothing to a person who watches. */
export function eventLine({ event }: Envelope, colors: Colors): string | null {
  switch (event.type) {
    case "attempt.started":
      return `started on ${event.backend}`;
    case "attempt.suspended":
      return event.on === "timer" ? null : colors.dim(`waiting for ${event.on}`);
    case "task.requeued":
      return colors.yellow(`queued again (${event.because}) on ${event.backend}`);
    case "task.interrupted":
      return colors.yellow(`interrupted: ${brief(event.why)}`);
    case "child.started":
      return colors.dim(`delegates to ${brief(event.agent)}${event.background ? ", in the background" : ""}`);
    case "task.ended":
      return endLine(event, colors);
    case "model.failed":
      return colors.yellow(
        event.retryInMs === null
          ? `${brief(event.model)}: ${brief(event.message)}`
          : `${brief(event.model)}: ${brief(event.message)}; again in ${duration(event.retryInMs)}`,
      );
    case "history.compacted":
      return colors.dim(`history up to turn ${event.through} was summed up`);
    case "results.shortened":
      return colors.dim(`${event.results.length} results were shortened: they did not fit the model's window`);
    case "instruction.added":
      return event.because === "task" ? null : colors.dim(`told (${event.because}): ${brief(event.text)}`);
    case "message.said":
      return brief(event.text);
    case "message.received":
      return `heard from ${brief(event.by)}: ${brief(event.text)}`;
    case "tool.called":
      return colors.cyan(`${brief(event.tool)} ${brief(inputWords(event.input))}`);
    case "tool.refused":
      return colors.yellow(
        `${brief(event.tool)} ${brief(inputWords(event.input))}: refused (${brief(event.decision.rule)})`,
      );
    case "tool.returned":
      return event.ok ? null : colors.yellow(`  failed: ${brief(event.output)}`);
    case "tool.reported":
      return `${colors.cyan(`${brief(event.tool)} ${brief(inputWords(event.input))}`)}${event.ok ? "" : colors.yellow(` failed: ${brief(event.output)}`)}`;
    case "approval.asked":
      return colors.yellow(`asks: ${brief(event.approval.title)}`);
    case "approval.answered":
      return `${brief(event.by)} answered: ${event.answer.verdict}`;
    case "approval.expired":
      return colors.yellow("nobody answered in time");
    case "gate.checked":
      return event.passed
        ? colors.dim(`gate ${brief(event.gate)}: passed`)
        : colors.yellow(
            `gate ${brief(event.gate)}: not passed${event.feedback === null ? "" : ` (${brief(event.feedback)})`}`,
          );
    case "budget.settled": {
      const words = settledWords(event);
      return words === null ? null : colors.dim(words);
    }
    case "workspace.kept":
      return `kept in ${brief(event.kept.branch ?? event.kept.root)}: ${amountOf(event.kept)}`;
    case "workspace.merged":
      return `${brief(event.by)} merged it${event.into === null ? "" : ` into ${brief(event.into)}`}`;
    case "workspace.discarded":
      return `${brief(event.by)} threw it away`;
    case "host.refused":
      return colors.yellow(`${brief(event.host)}:${event.port} was not reached: ${brief(event.why)}`);
    case "note.taken":
      // What to do about it stands at the end.
      return event.level === "warning" ? colors.yellow(safeLine(event.text, WARNING)) : colors.dim(brief(event.text));
    case "task.admitted":
    case "attempt.resumed":
    case "attempt.prepared":
    case "attempt.ended":
    case "turn.started":
    case "turn.ended":
    case "model.replied":
    case "child.ended":
    case "budget.reserved":
    case "stop.requested":
    case "answer.given":
    case "message.sent":
    case "session.opened":
    case "session.continued":
    case "message.kept":
    case "breadcrumb.left":
    case "session.expired":
    case "item.acknowledged":
      return null;
  }
}

function endLine({ outcome }: Extract<TaskEvent, { type: "task.ended" }>, colors: Colors): string {
  switch (outcome.status) {
    case "completed":
      return colors.green(`completed (${worthOf(outcome)})`);
    case "failed":
      return colors.red(`failed (${outcome.reason}): ${brief(outcome.message)}`);
    case "cancelled":
      return `stopped by ${brief(outcome.by)} (${outcome.how})`;
  }
}

/** The values of a call's input, which are what tells one call from another. */
function inputWords(input: Json): string {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return JSON.stringify(input);
  const [first] = Object.values(input);
  return typeof first === "string" ? first : JSON.stringify(input);
}
