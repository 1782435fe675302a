// Items of the inbox as a person reads them.
import type { OperationOutput } from "../../operations/index.ts";
import type { Colors } from "./colors.ts";
import { plainlyShown, safeLine, safeText } from "./safe-text.ts";

type Inbox = OperationOutput<"inbox.list">;
type Item = Inbox["items"][number];

export function inboxText(
  { items, proposals }: Pick<Inbox, "items" | "proposals">,
  transcriptOf: (item: Item) => string,
  colors: Colors,
): string {
  const texts = [
    ...proposals.map((one) => proposalText(one, colors)),
    ...items.map((item) => itemText(item, transcriptOf(item), colors)),
  ];
  return texts.length === 0 ? "Nothing waits for you." : texts.join("\n\n");
}

function proposalText({ kind, name, description, source, by, at }: Inbox["proposals"][number], colors: Colors): string {
  const head = `${colors.yellow("new ")}proposal  ${kind} ${safeLine(name)}  by ${safeLine(by)}  ${new Date(at).toISOString()}`;
  const how =
    kind === "memory"
      ? `Read it; then cadre memory accept ${safeLine(name)}, or forget it`
      : `Read it; then cadre trust, or delete it: ${safeLine(source)}`;
  const body = [safeText(description), how];
  return [head, ...body.map(indented)].join("\n");
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
