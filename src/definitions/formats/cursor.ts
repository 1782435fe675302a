// Cursor: Markdown with five settings. It has no list of tools; `readonly` is all that restricts.
import type { AgentDefinition } from "../../schema/index.ts";
import { describedBy } from "./description.ts";
import type { ForeignFile, Format, Reading, Remark, Written } from "./format.ts";
import { asideOf, buildReading, refuse } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { nameToWrite } from "./lenient/identity.ts";
import { modelFor } from "./lenient/models.ts";
import { fileStem, nameFrom } from "./lenient/names.ts";
import { readMarkdown } from "./lenient/read-markdown.ts";
import { workspaceFor } from "./lenient/rights.ts";
import { mapped } from "./lenient/settings.ts";
import { inOrder, writeMarkdown } from "./lenient/write-markdown.ts";
import { rightOf } from "./per-tool/right-of.ts";
import { Effort } from "../../schema/index.ts";
import { PLACES } from "./places.ts";

const KEYS: ReadonlySet<string> = new Set(["name", "description", "model", "readonly", "is_background"]);

export const cursor: Format = {
  id: "cursor",
  label: "Cursor",
  places: PLACES.cursor,
  read: (file) => [readCursor(file)],
  write: writeCursor,
};

function readCursor(file: ForeignFile): Reading {
  const markdown = readMarkdown(file.text, { keys: KEYS });
  if (!markdown.ok) return refuse(markdown.problem);
  const { remarks, body } = markdown;
  const fields = fieldsOf(markdown.settings, remarks);
  const written = fields.text("name") ?? fileStem(file.below, [".md"]);
  const named = nameFrom(written);
  if (named === undefined) return refuse(`${JSON.stringify(written)} cannot be made into a name`);
  if (named.name !== written) fields.keep("name", written);
  remarks.push(...named.remarks);
  const permission_mode = isReadOnly(fields, remarks) ? ("plan" as const) : ("default" as const);
  const draft = {
    name: named.name,
    display_name: named.display_name,
    description: describedBy(fields.text("description"), body, named.name, remarks),
    prompt: body,
    ...readModel(fields),
    permission_mode,
    workspace: workspaceFor(undefined, permission_mode),
    background: fields.flag("is_background"),
  };
  const { aside, remarks: others } = fields.aside();
  return buildReading("cursor", draft, aside, [...remarks, ...others]);
}

/** Read as one where it cannot be made out whether it is. */
function isReadOnly(fields: Fields, remarks: Remark[]): boolean {
  const given = fields.take("readonly");
  const isOn = given !== undefined && (fields.flag("readonly") ?? true);
  if (isOn) remarks.push(mapped("readonly", "readonly is the permission mode plan"));
  return isOn;
}

/** `gpt-5[effort=high,fast]`: the name, and options of which we know the effort. */
function readModel(fields: Fields): { model?: string | undefined; effort?: Effort | undefined } {
  const written = fields.text("model");
  const [, name = written, options] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(written ?? "") ?? [];
  if (written === undefined || options === undefined) return { model: written };
  const effort = Effort.safeParse(/(?:^|,)\s*effort\s*=\s*(\w+)/.exec(options)?.[1]);
  fields.keep("model", written);
  return { model: name?.trim(), effort: effort.data };
}

function writeCursor(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "cursor");
  // An agent that may not write files may not run commands there either: it does less, never more.
  const onlyReads = rightOf(definition, "Edit").verdict === "deny" && rightOf(definition, "Write").verdict === "deny";
  const settings = inOrder(
    {
      name: nameToWrite(definition.name, aside),
      description: definition.description,
      model: modelToWrite(definition, aside["model"]),
      readonly: onlyReads ? true : undefined,
      is_background: definition.background ? true : undefined,
    },
    aside,
  );
  return { file: `${definition.name}.md`, text: writeMarkdown(settings, definition.prompt) };
}

function modelToWrite({ model, effort }: AgentDefinition, written: unknown): string | undefined {
  const name = modelFor(model, { providers: ["anthropic", "openai", "google", "xai", "cursor"] });
  if (name === undefined) return undefined;
  if (
    typeof written === "string" &&
    written.startsWith(`${name}[`) &&
    (effort === undefined || written.includes(`effort=${effort}`))
  )
    return written;
  return effort === undefined ? name : `${name}[effort=${effort}]`;
}
