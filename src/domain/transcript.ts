// A session as a document that a person reads: what was asked, what was done, what came of it.
import type { Envelope, Json, Outcome, SessionView, TaskView } from "../schema/index.ts";
import { oneLine, unheardWords, worthOf } from "./summaries.ts";

export interface Transcript {
  readonly session: SessionView;
  readonly tasks: readonly { readonly task: TaskView; readonly events: readonly Envelope[] }[];
  /** False: there was more than fits. */
  readonly isWhole: boolean;
}

export function transcriptText({ session, tasks, isWhole }: Transcript): string {
  const facts = [
    ["Agent", session.agent],
    ["Opened", new Date(session.openedAt).toISOString()],
    ["Last used", new Date(session.updatedAt).toISOString()],
    ["Parent", session.parent],
    ["Forked from", session.forkOf],
  ].flatMap(([name, value]) => (typeof value === "string" ? [`- ${name}: ${code(value)}`] : []));
  const crumbs = session.breadcrumbs.map(
    ({ agent, task, status, summary }) => `- ${code(agent)} ${code(task)} ${status}: ${plain(summary)}`,
  );
  return [
    `# Session ${code(session.id)}`,
    facts.join("\n"),
    ...tasks.map(taskText),
    ...(crumbs.length === 0 ? [] : ["## Children", crumbs.join("\n")]),
    ...(isWhole ? [] : ["(The rest is left out: it is too much for one document.)"]),
    "",
  ].join("\n\n");
}

function taskText({ task, events }: Transcript["tasks"][number]): string {
  const { id, number, backend, spec, outcome, status } = task;
  return [
    `## ${plain(spec.definition.name)}#${number} (${code(id)}, on ${code(backend)}, ${status})`,
    "### User",
    fenced(spec.prompt),
    "### Work",
    events.flatMap(({ event }) => line(event) ?? []).join("\n") || "(nothing was done)",
    "### Outcome",
    outcome === null ? `(${status})` : outcomeText(outcome),
    ...unheardWords(task).map((words) => `- ${plain(words)}`),
  ].join("\n\n");
}

const BRIEF = 300;

/** `undefined` for what means nothing to a reader. */
function line(event: Envelope["event"]): string | undefined {
  switch (event.type) {
    case "attempt.started":
      return `- attempt on ${code(event.backend)}`;
    case "message.said":
      return `- said: ${plain(event.text)}`;
    case "message.received":
      return `- heard from ${code(event.by)}: ${plain(event.text)}`;
    case "tool.called":
      return `- ${code(event.tool)} ${code(inputWords(event.input))}`;
    case "tool.refused":
      return `- ${code(event.tool)} ${code(inputWords(event.input))}: refused (${plain(event.decision.rule)})`;
    case "tool.returned":
      return `  - ${event.ok ? "returned" : "failed"}: ${code(event.output)}`;
    case "tool.reported":
      return `- ${code(event.tool)} ${code(inputWords(event.input))}: ${event.ok ? "done" : "failed"}`;
    case "approval.asked":
      return `- asked: ${plain(event.approval.title)}: ${code(event.approval.body)}`;
    case "approval.answered":
      return `- ${code(event.by)} answered: ${event.answer.verdict}`;
    case "approval.expired":
      return "- nobody answered in time";
    case "child.started":
      return `- delegated to ${code(event.agent)} (${code(event.child)})`;
    case "child.ended":
      return `- ${code(event.child)} ${event.status}: ${plain(event.summary)}`;
    case "gate.checked":
      return `- gate ${code(event.gate)}: ${event.passed ? "passed" : plain(event.feedback ?? "not passed")}`;
    case "task.interrupted":
      return `- interrupted: ${plain(event.why)}`;
    case "task.requeued":
      return `- queued again (${event.because})`;
    case "model.failed":
      return `- ${code(event.model)} failed: ${plain(event.message)}`;
    case "host.refused":
      return `- ${code(`${event.host}:${event.port}`)} was not reached: ${plain(event.why)}`;
    case "note.taken":
      return `- note: ${plain(event.text)}`;
    case "task.admitted":
    case "task.ended":
    case "attempt.suspended":
    case "attempt.resumed":
    case "attempt.prepared":
    case "attempt.ended":
    case "turn.started":
    case "turn.ended":
    case "instruction.added":
    case "model.replied":
    case "history.compacted":
    case "results.shortened":
    case "budget.reserved":
    case "budget.settled":
    case "workspace.kept":
    case "stop.requested":
    case "answer.given":
    case "message.sent":
    case "workspace.merged":
    case "workspace.discarded":
    case "session.opened":
    case "session.continued":
    case "session.expired":
    case "message.kept":
    case "breadcrumb.left":
    case "item.acknowledged":
      return undefined;
  }
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.status) {
    case "completed":
      return `Completed (${worthOf(outcome)}).\n\n${fenced(outcome.answer)}`;
    case "failed":
      return `Failed (${outcome.reason}): ${plain(outcome.message)}`;
    case "cancelled":
      return `Stopped by ${plain(outcome.by)} (${outcome.how}).`;
  }
}

/** Between fences that are longer than any in it: it cannot become part of the document. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** On one line, as code, whatever stands in it. */
function code(text: string): string {
  const words = oneLine(text, BRIEF);
  const longest = Math.max(0, ...[...words.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `${ticks}${words}${ticks}` : `${ticks} ${words} ${ticks}`;
}

/** On one line, as text: marks of Markdown and of HTML are shown as what they are. */
const plain = (text: string): string => oneLine(text, BRIEF).replace(/[\\`*_<>[\]#|]/g, "\\$&");

const inputWords = (input: Json): string => {
  const first = input !== null && typeof input === "object" ? Object.values(input)[0] : input;
  return typeof first === "string" ? first : JSON.stringify(input);
};
