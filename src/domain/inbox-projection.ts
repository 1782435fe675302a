// What an event puts into the inbox, and what it settles there. Stores call this in the transaction that writes it.
import {
  brandId,
  type ControlEvent,
  type InboxEvent,
  type InboxItem,
  type InboxKind,
  type Json,
  type TaskEvent,
  TaskId,
  type TaskView,
} from "../schema/index.ts";
import { agentKey } from "./agent-names.ts";
import { oneLine, summarize, unheardWords } from "./summaries.ts";

const SUMMARY_MAX = 500;
/** Who has seen what needed nobody to see it. */
const NOBODY = "cadre";

export interface InboxPlace {
  readonly at: number;
  readonly position: number;
}

export interface InboxSources {
  /** The items of a task, as they were before. */
  readonly itemsOf: (task: TaskId) => readonly InboxItem[];
  readonly task: (id: TaskId) => TaskView | undefined;
}

/** Items that are new or not as they were. `task`: as the event has left it. */
export function inboxChanges(
  task: TaskView,
  event: TaskEvent | ControlEvent | InboxEvent,
  place: InboxPlace,
  { itemsOf, task: find }: InboxSources,
): readonly InboxItem[] {
  const add = (kind: InboxKind, summary: string, rest: Partial<InboxItem> = {}): InboxItem => ({
    id: brandId("item", String(place.position)),
    kind,
    task: task.id,
    root: task.spec.root,
    session: task.spec.session,
    agent: task.spec.definition.name,
    summary: oneLine(summary, SUMMARY_MAX),
    status: task.status,
    approval: null,
    isOpen: false,
    at: place.at,
    read: null,
    ...rest,
  });
  const read = (items: readonly InboxItem[], by: string): InboxItem[] =>
    items.filter((item) => item.read === null).map((item) => ({ ...item, read: { at: place.at, by } }));
  const ofKind = (...kinds: readonly InboxKind[]) => itemsOf(task.id).filter(({ kind }) => kinds.includes(kind));
  const closed = () => closedItems(itemsOf(task.id), task, place.at, event.type === "approval.expired");

  switch (event.type) {
    case "approval.asked": {
      const { id, kind, title, body } = event.approval;
      const wanted = { approval: id, isOpen: true };
      return [add(kind === "question" ? "question" : "approval", `${title}: ${body}`, wanted)];
    }
    case "approval.answered":
    case "approval.expired":
    case "answer.given":
      return closed();
    case "tool.called": {
      const words = task.spec.askable === "nobody" ? lastWords(event.tool, event.input) : null;
      return words === null ? NONE : [add("message", words)];
    }
    case "task.interrupted":
      return [add("interrupted", event.why)];
    case "task.requeued":
      return [...read(ofKind("ended", "review", "interrupted"), event.by), ...closed()];
    case "task.ended": {
      const { outcome } = event;
      const kind = endKind(task, find);
      const unheard = unheardWords(task);
      // Whoever stopped it knows, unless there is more to say.
      const isKnown = outcome.status === "cancelled" && unheard.length === 0;
      const seen = isKnown ? { read: { at: place.at, by: outcome.by } } : {};
      const asked = task.approvals.length === 0 ? [] : closed();
      const cut = task.attempts.some(({ end }) => end === "interrupted") ? read(ofKind("interrupted"), NOBODY) : [];
      const settled = [...asked, ...cut];
      return kind === null ? settled : [...settled, add(kind, [...unheard, summarize(outcome)].join("; "), seen)];
    }
    case "child.ended":
      return read(
        itemsOf(event.child).filter(({ kind }) => kind === "ended"),
        task.id,
      );
    case "message.sent":
      return TaskId.safeParse(event.by).success ? [add("interjection", event.text)] : NONE;
    case "item.acknowledged":
      return read(
        itemsOf(task.id).filter(({ id }) => event.items.includes(id)),
        event.by,
      );
    case "task.admitted":
    case "attempt.started":
    case "attempt.suspended":
    case "attempt.resumed":
    case "attempt.prepared":
    case "attempt.ended":
    case "turn.started":
    case "turn.ended":
    case "instruction.added":
    case "model.replied":
    case "model.failed":
    case "history.compacted":
    case "results.shortened":
    case "message.said":
    case "message.received":
    case "tool.refused":
    case "tool.returned":
    case "tool.reported":
    case "child.started":
    case "budget.reserved":
    case "budget.settled":
    case "gate.checked":
    case "workspace.kept":
    case "host.refused":
    case "note.taken":
    case "stop.requested":
    case "workspace.merged":
    case "workspace.discarded":
      return NONE;
  }
}

const NONE: readonly InboxItem[] = [];

/** Those whose question is not open any more. A person who has answered has seen it; one that came too late is news. */
function closedItems(items: readonly InboxItem[], task: TaskView, at: number, isNews: boolean): InboxItem[] {
  return items
    .filter(({ isOpen }) => isOpen)
    .flatMap((item) => {
      const approval = task.approvals.find(({ id }) => id === item.approval);
      if (approval?.state === "open") return [];
      const by = approval?.by ?? (isNews ? null : NOBODY);
      return [{ ...item, isOpen: false, read: item.read ?? (by === null ? null : { at, by }) }];
    });
}

/** An exit by which an agent speaks, where nobody can be asked: else there is an approval for it. */
function lastWords(tool: string, input: Json): string | null {
  if (tool !== "message_user" && tool !== "ask_for_help") return null;
  const [words] = typeof input === "object" && input !== null ? Object.values(input) : [];
  return typeof words === "string" ? words : null;
}

const REVIEWERS: ReadonlySet<string> = new Set(["reviewer", "review"]);

/** `null`: its parent waits for it, and is told. */
function endKind({ spec }: TaskView, find: InboxSources["task"]): "ended" | "review" | null {
  const name = agentKey(spec.definition.name);
  const gates = spec.parent === null ? [] : (find(spec.parent)?.spec.definition.completion.gates ?? []);
  const isGate = gates.some((gate) => "agent" in gate && agentKey(gate.agent) === name);
  if (isGate || REVIEWERS.has(name)) return "review";
  return spec.parent === null || spec.background ? "ended" : null;
}
