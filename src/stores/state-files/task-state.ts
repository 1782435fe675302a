// A task's state file: what is in it, and whether one that was found is as we wrote it.
import { join } from "node:path";
import * as z from "zod";
import { onLine } from "../../domain/on-line.ts";
import { statusWord } from "../../domain/status-words.ts";
import { hasEnded } from "../../domain/transitions.ts";
import type { OwnedFolder } from "../../platform/owned-folder.ts";
import { sha256 } from "../../platform/system-mint.ts";
import type { TaskView } from "../../schema/index.ts";
import { type Layout, logFile, planFile } from "./layout.ts";
import { isoTime } from "./log-text.ts";

/**
 * Whose file it is and which state of the log it shows. The hash tells an edit from a file that is only old:
 * one of them is somebody's wish, the other is ours to repair.
 */
const Stamp = z.object({ store: z.string(), position: z.int(), sha256: z.string() });
export type Stamp = z.infer<typeof Stamp>;

type Body = Readonly<Record<string, unknown>>;

export type FoundState =
  | { readonly kind: "missing" }
  | { readonly kind: "large" }
  /** `changedAt` where it may still be in the middle of being written. */
  | { readonly kind: "unusable"; readonly why: string; readonly changedAt: number | null }
  /** `stamp`: `null` unless it is whole and fits what is in the file. */
  | { readonly kind: "state"; readonly body: Body; readonly stamp: Stamp | null; readonly isStamped: boolean };

export function taskBody(view: TaskView, layout: Layout): Body {
  const { id, spec, outcome } = view;
  return {
    taskId: id,
    status: statusWord(view.status, layout.dialect),
    agent: spec.definition.name,
    prompt: spec.prompt,
    planFile: layout.shown(join(layout.folders.plans, planFile(id))),
    logFile: layout.shown(join(layout.folders.logs, logFile(id))),
    createdAt: isoTime(view.createdAt),
    ...(view.startedAt === null ? {} : { startedAt: isoTime(view.startedAt) }),
    ...(view.endedAt === null ? {} : { completedAt: isoTime(view.endedAt) }),
    number: view.number,
    backend: view.backend,
    attempt: view.attempts.length,
    parent: spec.parent,
    session: spec.session,
    result: outcome,
    ...(outcome?.status === "failed" ? { error: `${outcome.reason}: ${outcome.message}` } : {}),
  };
}

export function taskText(view: TaskView, store: string, layout: Layout): string {
  const body = taskBody(view, layout);
  const { position } = view;
  const cadre: Stamp = { store, position, sha256: seal(body, store, position) };
  return `${JSON.stringify({ ...body, cadre }, null, 2)}\n`;
}

/** Over the values and not over the text: an editor that only lays it out anew has changed nothing. */
const seal = (body: Body, store: string, position: number): string => sha256(JSON.stringify([store, position, body]));

const AnyState = z.looseObject({ taskId: z.string(), status: z.string() });

export function readState(folder: OwnedFolder, name: string, maxBytes: number): FoundState {
  const found = folder.read(name, maxBytes);
  if (found.kind === "unusable") return { ...found, changedAt: null };
  if (found.kind !== "text") return found;
  const unusable = (why: string): FoundState => ({ kind: "unusable", why, changedAt: found.changedAt });
  try {
    const parsed = AnyState.safeParse(JSON.parse(found.text));
    if (!parsed.success) return unusable("is not a state file: it needs at least taskId and status, as texts");
    const { cadre, ...body } = parsed.data;
    const stamp = Stamp.safeParse(cadre).data;
    const fits = stamp !== undefined && stamp.sha256 === seal(body, stamp.store, stamp.position);
    return { kind: "state", body, stamp: fits ? stamp : null, isStamped: cadre !== undefined };
  } catch {
    return unusable("is not JSON");
  }
}

/** Whether a person has written `cancelled` into the file of a task that goes on. */
export const wishesStop = (found: FoundState, view: TaskView, { dialect }: Layout): boolean =>
  found.kind === "state" &&
  found.stamp === null &&
  found.body["taskId"] === view.id &&
  found.body["status"] === statusWord("cancelled", dialect) &&
  !hasEnded(view.status);

/** A file that started this task, before we have written our own over it. */
export const isDropped = (found: FoundState, view: TaskView): boolean =>
  found.kind === "state" &&
  !found.isStamped &&
  found.body["status"] === "pending" &&
  found.body["taskId"] === view.id &&
  found.body["agent"] === view.spec.definition.name &&
  found.body["prompt"] === view.spec.prompt;

const SHOWN_FIELDS = 5;

/** In words, for the person whose edit it was: nothing that was written there goes without a word. */
export function whatDiffers(found: FoundState, view: TaskView, layout: Layout): string {
  return `${difference(found, taskBody(view, layout))}: the log wins`;
}

function difference(found: FoundState, body: Body): string {
  if (found.kind === "unusable") return found.why;
  if (found.kind !== "state") return "is too large";
  if (found.stamp !== null) return "was written from another log than this store has";
  const edited = [...new Set([...Object.keys(body), ...Object.keys(found.body)])].filter(
    (key) => JSON.stringify(found.body[key]) !== JSON.stringify(body[key]),
  );
  if (edited.length === 0) return "has lost its stamp";
  const fields = edited.slice(0, SHOWN_FIELDS).map((key) => `${onLine(key, 40)} is ${brief(found.body[key])}`);
  return `was edited (${fields.join(", ")}${edited.length > SHOWN_FIELDS ? ", …" : ""})`;
}

const brief = (value: unknown): string => onLine(JSON.stringify(value) ?? "missing", 60);
