// A file of settings and a prompt, as most programs write their agents. What differs between them is what the settings mean.
import type { ForeignFile, Reading, Remark } from "../format.ts";
import { buildReading, type Draft, refuse } from "./build-reading.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import { readIdentity } from "./identity.ts";
import { fileStem, isForPeople } from "./names.ts";
import { readMarkdown } from "./read-markdown.ts";

export interface MarkdownAgents {
  readonly id: string;
  /** What people call the program. */
  readonly program: string;
  /** The settings that it knows. */
  readonly keys: ReadonlySet<string>;
  /** A file without settings may be an agent: its heading is the name. */
  readonly takesHeadings?: boolean | undefined;
  /** A file without a name is called by its own, without one of these endings. */
  readonly endings?: readonly string[] | undefined;
  /** What the settings mean here. Remarks are added to the list. */
  meaning(fields: Fields, remarks: Remark[], file: { readonly body: string; readonly isHeading: boolean }): Draft;
}

export function readAgentMarkdown(file: ForeignFile, format: MarkdownAgents): readonly Reading[] {
  const { keys, takesHeadings = false, endings, program } = format;
  const markdown = readMarkdown(file.text, { keys, takesHeadings });
  if (markdown.form !== "front-matter" && isForPeople(file.below)) return [];
  if (!markdown.ok) return [refuse(markdown.problem)];
  const { settings, body, remarks } = markdown;
  const fields = fieldsOf(settings, remarks, keys);
  const stem = endings === undefined ? {} : { stem: fileStem(file.below, endings) };
  const identity = readIdentity(fields, remarks, { program, ...stem });
  if (!identity.ok) return [refuse(identity.problem)];
  const { name, display_name, description } = identity;
  const meaning = format.meaning(fields, remarks, { body, isHeading: markdown.form === "heading" });
  const { aside, remarks: others } = fields.aside();
  const draft = { name, display_name, description, prompt: body, ...meaning };
  return [buildReading(format.id, draft, aside, [...remarks, ...others])];
}
