import type { Breadcrumb, Json, Outcome, TaskView } from "../schema/index.ts";
import { canonicalJson } from "./canonical-json.ts";

/** What a model is shown of one result of a tool, in characters. What is longer is cut in its middle. */
export const MOST_SHOWN = 30_000;

/** One line, at most `max` characters, of a text that may be many. */
export function oneLine(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= max) return line;
  const dots = max < 3 ? "" : "...";
  // Not through the middle of a character that is two units long.
  return `${line
    .slice(0, max - dots.length)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd()}${dots}`;
}

const SUMMARY_MAX = 500;

type Completed = Extract<Outcome, { status: "completed" }>;

/** What an answer is worth. One that was only saved when a limit was reached never looks like a clean one. */
export const worthOf = ({ evidence, recovered }: Completed): string =>
  recovered === null ? evidence : `${evidence}, ${savedAfter(recovered)}`;

export const savedAfter = ({ limit }: NonNullable<Completed["recovered"]>): string => `saved after ${limit}`;

export const notDoneAfter = (timeoutMs: number): string =>
  `not done after ${timeoutMs % 60_000 === 0 ? `${timeoutMs / 60_000} min` : `${Math.round(timeoutMs / 1000)} s`}`;

/** What a parent is told of a child: how it ended, and the gist of its answer. */
export function summarize(outcome: Outcome): string {
  switch (outcome.status) {
    case "completed": {
      const saved = outcome.recovered === null ? "" : `(${savedAfter(outcome.recovered)}) `;
      return oneLine(`${saved}${outcome.answer}`, SUMMARY_MAX);
    }
    case "failed":
      return oneLine(`${outcome.reason}: ${outcome.message}`, SUMMARY_MAX);
    case "cancelled":
      return oneLine(`stopped by ${outcome.by}`, SUMMARY_MAX);
  }
}

/** So many messages that are not heard are kept with a task, the latest: it may be one that never listens. The log has all. */
export const UNHEARD_MOST = 1_000;

/** Whoever sent it was told that it was sent: so that nobody heard it is told, too. Before the end it may still be heard. */
export function unheardWords({ outcome, unheard }: Pick<TaskView, "outcome" | "unheard">): string[] {
  if (outcome === null) return [];
  const words = unheard.map(({ by, text }) => `a message from ${by} came too late to be heard: ${text}`);
  return unheard.length < UNHEARD_MOST ? words : ["there may be more messages that came too late", ...words];
}

/** What a task that has ended leaves in its parent's session. */
export const breadcrumbOf = ({ id, spec }: TaskView, outcome: Outcome): Breadcrumb => ({
  task: id,
  session: spec.session,
  agent: spec.definition.name,
  status: outcome.status,
  summary: summarize(outcome),
});

/** Whether an answer is this value and nothing else. */
export function isSaidBy(answer: string, output: Json): boolean {
  try {
    const said: Json = JSON.parse(answer);
    return canonicalJson(said) === canonicalJson(output);
  } catch {
    return false;
  }
}

/** Cut at a character boundary, so that `maxKb` kilobytes of UTF-8 hold it. */
export function capText(text: string, maxKb: number): { text: string; truncated: boolean } {
  const bytes = new TextEncoder().encode(text);
  const max = maxKb * 1024;
  if (bytes.length <= max) return { text, truncated: false };
  let end = max;
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end)), truncated: true };
}
