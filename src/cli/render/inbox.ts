// Items of the inbox as a person reads them.
import type { OperationOutput } from "../../operations/index.ts";
import type { Colors } from "./colors.ts";
import { plainlyShown, safeLine, safeText } from "./safe-text.ts";

type Item = OperationOutput<"inbox.list">["items"][number];

export function inboxText(items: readonly Item[], transcriptOf: (item: Item) => string, colors: Colors): string {
  if (items.length === 0) return "Nothing waits for you.";
  return items.map((item) => itemText(item, transcriptOf(item), colors)).join("\n\n");
}

function itemText(item: Item, transcript: string, colors: Colors): string {
  const { id, kind, agent, task, status, summary, read, at, asked, isOpen } = item;
  const mark = read === null ? colors.yellow("new ") : "    ";
  const how = kind === "ended" || kind === "review" ? `${kind} ${status}` : kind;
  const head = `${mark}${id}  ${how}  ${safeLine(agent)}  ${task}  ${new Date(at).toISOString()}`;
  const body = asked !== null && isOpen ? questionText(asked) : [safeText(summary)];
  return [head, ...body.map(indented), indented(colors.dim(transcript))].join("\n");
}

/** Whole, with every character to be seen: somebody is to decide on it. */
const questionText = ({ id, kind, title, body }: NonNullable<Item["asked"]>): string[] => [
  safeText(title),
  plainlyShown(body),
  kind === "question" ? `cadre inbox answer ${id} --say <text>` : `cadre inbox answer ${id} --allow, or --deny`,
];

const indented = (text: string): string => text.replaceAll(/^/gm, "    ");
