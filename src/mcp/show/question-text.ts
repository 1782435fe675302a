// A question as the user of a host is shown it: all of it, and nothing that looks like what it is not.
import type { ApprovalView } from "../../schema/index.ts";

/** Longer ones are for the inbox: a form that nobody reads to its end is no question. */
const LONGEST = 20_000;

/** Nothing where it is too long to be shown whole. */
export function questionText(agent: string, { title, body, sha256 }: ApprovalView): string | undefined {
  const lines = visible(body).split("\n");
  const text = [
    `The sub-agent "${visible(agent)}" waits for your answer.`,
    "",
    visible(title).replaceAll("\n", " "),
    ...lines.map((line) => `| ${line}`),
    "",
    `This is all of it (sha256 ${sha256.slice(0, 16)}). What stands behind | was written by the sub-agent.`,
  ].join("\n");
  return text.length > LONGEST ? undefined : text;
}

/** Whatever does not print, or turns text around, as its number; what could push something out of sight, counted. */
function visible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(/(?![\n ])[\p{C}\p{Z}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
    .replaceAll(/(?<=\S) {9,}/g, ({ length }) => ` [${length} spaces] `)
    .replaceAll(/\n{4,}/g, ({ length }) => `\n[${length - 1} empty lines]\n`);
}
