// Tasks as a person reads them.
import { costWords, isSaidBy, savedAfter, type Spent, spentWords, turnWords } from "../../operations/words.ts";
import type { ConfinementLabel, Json, Outcome, TaskView, WorkspaceKept } from "../../schema/index.ts";
import { type Colors, paintStatus, SYMBOL } from "./colors.ts";
import { counted } from "./counted.ts";
import { duration } from "./durations.ts";
import { safeLine, safeText } from "./safe-text.ts";
import { table } from "./table.ts";
import { amountOf } from "./work.ts";

export const shortName = ({ spec, number }: TaskView): string => `${spec.definition.name}#${number}`;

/** Tasks that cannot be started just now, and why: in a word or two, and as a sentence. */
export type HeldBack = ReadonlyMap<string, { readonly short: string; readonly why: string }>;
const NOBODY: HeldBack = new Map();

const PROMPT_WIDTH = 48;

export function taskTable(tasks: readonly TaskView[], colors: Colors, behind: HeldBack = NOBODY): string {
  if (tasks.length === 0) return "No tasks.";
  const rows = tasks.map((task) => [
    shortName(task),
    paintStatus(colors, task.status, `${SYMBOL[task.status]} ${statusWords(task, behind)}`),
    String(task.turns),
    callWords(task),
    costWords(task),
    timeOf(task),
    safeLine(task.spec.prompt, PROMPT_WIDTH),
  ]);
  return table(["TASK", "STATUS", "TURNS", "CALLS", "COST", "TIME", "PROMPT"], rows);
}

/** The status, with what makes it worth more or less than it looks. */
export function statusWords(task: TaskView, behind: HeldBack = NOBODY): string {
  const { status, outcome, waitingOn, stopRequestedBy } = task;
  const other = behind.get(task.id);
  if (outcome?.status === "failed") return `failed (${outcome.reason})`;
  if (outcome?.status === "completed" && outcome.recovered !== null)
    return `completed (${savedAfter(outcome.recovered)})`;
  if (stopRequestedBy !== null && outcome === null) return `${status} (stopping)`;
  if (other !== undefined) return `${status} (${other.short})`;
  return waitingOn === null ? status : `waiting (${waitingOn})`;
}

const callWords = ({ calls }: TaskView): string =>
  calls.refused === 0 ? String(calls.made) : `${calls.made} + ${calls.refused} refused`;

/** Until now where somebody is at work on it: the last event may be long ago. */
function timeOf({ startedAt, endedAt, updatedAt, holder }: TaskView): string {
  if (startedAt === null) return "-";
  const until = endedAt ?? (holder === null ? updatedAt : Math.max(updatedAt, Date.now()));
  return duration(until - startedAt);
}

const LIMITS = { cgroup: "limits: all programs together", rlimit: "limits: each process" } as const;

function confinementWords({ commands, fileTools, limits, note }: ConfinementLabel): string {
  const held = [`commands: ${commands}`, `file tools: ${fileTools}`, ...(limits === undefined ? [] : [LIMITS[limits]])];
  return `${held.join(", ")}${note === undefined ? "" : ` (${safeLine(note)})`}`;
}

export interface Beside {
  readonly behind: HeldBack;
  /** What became of the work that it left, in words. Null: it is still there. */
  readonly fate: string | null;
  /** What it cost with all below it; null where there is nothing. */
  readonly below: Spent | null;
}

export function taskDetails(
  task: TaskView,
  colors: Colors,
  { behind, fate, below }: Beside,
  rawLog: string | null = null,
): string {
  const { spec, attempts } = task;
  const last = attempts.at(-1);
  const facts: [string, string | null][] = [
    ["task", `${shortName(task)}  ${task.id}`],
    ["status", paintStatus(colors, task.status, `${SYMBOL[task.status]} ${statusWords(task, behind)}`)],
    ["why", shownIf(task.interruption ?? behind.get(task.id)?.why ?? null)],
    ["agent", `${spec.definition.name}: ${safeLine(spec.definition.description)}`],
    ["prompt", safeLine(spec.prompt, 200)],
    ["parent", spec.parent],
    ["children", task.children.length === 0 ? null : task.children.join(", ")],
    ["session", spec.session],
    ["backend", `${task.backend}, attempt ${attempts.length}`],
    ["mode", spec.policy.modes.join(" and ")],
    ["confinement", last === undefined || last.confinement === null ? null : confinementWords(last.confinement)],
    ["custody", last?.custody ?? null],
    ["workspace", shownIf(last?.workspace ?? null)],
    ["kept", task.kept === null ? null : keptLine(task.kept, fate)],
    ["unheard", unheardLine(task)],
    ["turns", turnWords(task)],
    ["calls", callWords(task)],
    ["model", modelWords(task)],
    ["spent", `${spentWords(task)}${withChildren(below)}`],
    ["raw log", shownIf(rawLog)],
    ["created", new Date(task.createdAt).toISOString()],
    ["took", timeOf(task)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`);
  const result = task.outcome === null ? [] : ["", outcomeText(task.outcome)];
  return [...lines, ...result].join("\n");
}

/** Messages that were sent to it, while it may still hear them and when it is too late. */
const unheardLine = ({ unheard }: TaskView): string | null =>
  unheard.length === 0 ? null : safeLine(unheard.map(({ by, text }) => `${by}: ${text}`).join("; "), 400);

/** Who has answered; before that, who is to be asked. */
const modelWords = ({ backend, models, spec }: TaskView): string | null =>
  models.length > 0 ? safeLine(models.join(", ")) : backend === "native" ? shownIf(spec.model) : null;

/** What an agent on a model came to, in one line. Nothing for any other. */
export function sumLine(task: TaskView, below: Spent | null): string | null {
  if (task.backend !== "native") return null;
  const model = modelWords(task);
  const turns = `${counted(task.turns, "turn")}${task.graceTurns === 0 ? "" : " and last words"}`;
  return `${shortName(task)} took ${turns}, spent ${spentWords(task)}${withChildren(below)}${model === null ? "" : ` (${model})`}`;
}

/** Whoever has set a budget has set it for all of them. */
const withChildren = (below: Spent | null): string =>
  below === null ? "" : `; with its children ${spentWords(below)}`;

const shownIf = (text: string | null): string | null => (text === null ? null : safeLine(text));

const keptLine = (kept: WorkspaceKept, fate: string | null): string =>
  `${safeLine(kept.branch ?? kept.root)}: ${amountOf(kept)} (${safeLine(fate ?? "cadre merge")})`;

/** The answer, labelled with how much it is worth. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.status) {
    case "completed": {
      const cut = outcome.truncated ? "\n(cut: it was longer than max_output_kb, or than a last reply may be)" : "";
      return `${answerText(outcome.answer, outcome.output)}${cut}`;
    }
    case "failed":
      return `${outcome.reason}: ${safeText(outcome.message)}${lastSaid(outcome.answer)}`;
    case "cancelled":
      return `stopped by ${safeLine(outcome.by)} (${outcome.how})${lastSaid(outcome.answer)}`;
  }
}

/** An answer that is the value itself is said once: whoever reads it by a program gets one value. */
function answerText(answer: string, output: Json): string {
  if (output === null) return safeText(answer);
  const value = safeText(JSON.stringify(output, null, 2));
  return isSaidBy(answer, output) ? value : `${safeText(answer)}\n${value}`;
}

const lastSaid = (answer: string | null): string => (answer === null ? "" : `\nIt said last:\n${safeText(answer)}`);
