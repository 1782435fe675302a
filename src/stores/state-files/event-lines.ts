// What a person who follows a task's log file is told, one line for each event that is worth it.
import { settledWords } from "../../domain/cost-words.ts";
import { onLine } from "../../domain/on-line.ts";
import { worthOf } from "../../domain/summaries.ts";
import type { HeldEntry } from "../../ports/index.ts";
import type { Json, Outcome, TaskCommand, TaskView } from "../../schema/index.ts";

const BRIEF = 400;
const brief = (text: string): string => onLine(text, BRIEF);

export const admittedLine = ({ number, spec }: TaskView): string =>
  `asked of ${spec.definition.name}#${number} by ${brief(spec.origin.by)}: ${brief(spec.prompt)}`;

export const childLine = ({ id, spec }: TaskView): string => `delegated to ${spec.definition.name} (${id})`;

export const startedLine = ({ attempts, backend }: TaskView): string =>
  `attempt ${attempts.length} started on ${backend}`;

export const interruptedLine = (why: string): string => `interrupted: ${brief(why)}`;

export function commandLine(command: TaskCommand): string {
  const by = brief(command.by);
  switch (command.type) {
    case "stop":
      return `${by} asked it to stop`;
    case "answer":
      return `${by} answered: ${command.answer.verdict}`;
    case "send":
      return `${by} sent: ${brief(command.text)}`;
    case "merged":
      return `${by} merged what it kept${command.into === null ? "" : ` into ${brief(command.into)}`}`;
    case "discarded":
      return `${by} threw away what it kept`;
    case "requeue":
      return `queued again (${command.because}) by ${by}`;
  }
}

/** `null` for what means nothing to somebody who watches. */
export function heldLine(event: HeldEntry): string | null {
  switch (event.type) {
    case "settle":
      return settledWords(event);
    case "attempt.suspended":
      return `waiting for ${event.on}`;
    case "task.requeued":
      return `queued again (${event.because}) on ${event.backend}`;
    case "task.interrupted":
      return interruptedLine(event.why);
    case "task.ended":
      return endLine(event.outcome);
    case "model.failed":
      return `${event.model}: ${brief(event.message)}`;
    case "history.compacted":
      return `history up to turn ${event.through} was summed up`;
    case "results.shortened":
      return `${event.results.length} results were shortened: they did not fit the model's window`;
    case "instruction.added":
      return event.because === "task" ? null : `told (${event.because}): ${brief(event.text)}`;
    case "message.said":
      return `said: ${onLine(event.text)}`;
    case "message.received":
      return `heard from ${brief(event.by)}: ${brief(event.text)}`;
    case "tool.called":
      return `${brief(event.tool)} ${inputWords(event.input)}`;
    case "tool.refused":
      return `${brief(event.tool)} ${inputWords(event.input)}: refused (${brief(event.decision.rule)})`;
    case "tool.returned":
      return event.ok ? null : `failed: ${brief(event.output)}`;
    case "tool.reported":
      return `${brief(event.tool)} ${inputWords(event.input)}${event.ok ? "" : `: failed: ${brief(event.output)}`}`;
    case "approval.asked":
      return `asks: ${brief(event.approval.title)}`;
    case "approval.answered":
      return `${brief(event.by)}'s answer was applied: ${event.answer.verdict}`;
    case "approval.expired":
      return "nobody answered in time";
    case "child.ended":
      return `${event.child} ${event.status}: ${brief(event.summary)}`;
    case "gate.checked":
      return event.passed ? `${event.gate}: passed` : `${event.gate}: ${brief(event.feedback ?? "not passed")}`;
    case "attempt.ended":
      return event.message === null ? null : `attempt ${event.end}: ${brief(event.message)}`;
    case "host.refused":
      return `${brief(event.host)}:${event.port} was not reached: ${brief(event.why)}`;
    case "note.taken":
      return event.level === "warning" ? `warning: ${brief(event.text)}` : brief(event.text);
    case "workspace.kept":
      return `kept in ${event.kept.branch ?? event.kept.root}: ${event.kept.files} files changed`;
    case "reserve":
    case "attempt.prepared":
    case "model.replied":
    case "turn.started":
    case "turn.ended":
    case "session.opened":
    case "session.continued":
    case "message.kept":
    case "breadcrumb.left":
      return null;
  }
}

export function endLine(outcome: Outcome): string {
  switch (outcome.status) {
    case "completed":
      return `completed (${worthOf(outcome)}): ${onLine(outcome.answer)}`;
    case "failed":
      return `failed (${outcome.reason}): ${brief(outcome.message)}`;
    case "cancelled":
      return `stopped by ${brief(outcome.by)} (${outcome.how})`;
  }
}

const inputWords = (input: Json): string => {
  const first = input !== null && typeof input === "object" ? Object.values(input)[0] : input;
  return brief(typeof first === "string" ? first : JSON.stringify(input));
};
