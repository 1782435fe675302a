// What a file that somebody may have written or edited means.
import * as z from "zod";
import { onLine } from "../../domain/on-line.ts";
import { isStatusWord } from "../../domain/status-words.ts";
import { AgentName, type TaskId, type TaskView } from "../../schema/index.ts";
import type { Layout } from "./layout.ts";
import { type FoundState, isDropped, taskText, whatDiffers, wishesStop } from "./task-state.ts";

export type ForeignWish =
  /** Admit it with this id. Somebody else may do so first: a refusal as a duplicate is as good. */
  | {
      readonly kind: "start";
      readonly id: TaskId;
      readonly agent: string;
      readonly prompt: string;
      readonly createdAt: number;
    }
  | { readonly kind: "stop"; readonly task: TaskId };

export type Verdict = ForeignWish | { readonly kind: "fine" } | { readonly kind: "problem"; readonly what: string };

/** More than this is not read. */
export const FOREIGN_MAX_BYTES = 1024 * 1024;

const FINE: Verdict = { kind: "fine" };
export const problem = (what: string): Verdict => ({ kind: "problem", what });

/** The file of a task that the store has. One that is only old is ours to repair, and no edit. */
export function judgeKnown(found: FoundState, view: TaskView, store: string, layout: Layout): Verdict {
  if (found.kind === "missing" || isDropped(found, view)) return FINE;
  if (found.kind === "state" && found.stamp?.store === store) return FINE;
  if (wishesStop(found, view, layout)) return view.stopRequestedBy === null ? { kind: "stop", task: view.id } : FINE;
  const isOurs = found.kind === "large" && taskText(view, store, layout).length > FOREIGN_MAX_BYTES;
  return isOurs ? FINE : problem(whatDiffers(found, view, layout));
}

const Dropped = z.looseObject({
  agent: AgentName,
  prompt: z.string().min(1),
  createdAt: z.string().transform((text, context) => {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
    context.addIssue("is not a time");
    return z.NEVER;
  }),
});

/** A file with a task's name that the store knows nothing of. Paths in it are ignored: they are ours to choose. */
export function judgeUnknown(found: FoundState, id: TaskId, { dialect }: Layout): Verdict {
  if (found.kind === "missing") return FINE;
  if (found.kind === "large") return problem("is larger than 1 MB");
  if (found.kind === "unusable") return problem(found.why);
  const { taskId, status } = found.body;
  if (taskId !== id) return problem(`says that it is the task ${brief(taskId)}`);
  if (found.isStamped) return problem("was written for a task that this store does not have");
  if (!isStatusWord(String(status), dialect)) return problem(`has an unknown status: ${brief(status)}`);
  if (status !== "pending") return problem(`is ${brief(status)} and not ours: only a pending one is taken`);
  const dropped = Dropped.safeParse(found.body);
  if (!dropped.success) return problem(`cannot be started: ${z.prettifyError(dropped.error)}`);
  const { agent, prompt, createdAt } = dropped.data;
  return { kind: "start", id, agent, prompt, createdAt };
}

const brief = (value: unknown): string => onLine(JSON.stringify(value) ?? "missing", 80);
