// Cursor: Markdown with five settings. It has no list of tools; `readonly` is all that restricts.
import { type AgentDefinition, Effort, type ToolList } from "../../schema/index.ts";
import { describedBy } from "./description.ts";
import type { ForeignFile, Format, Reading, Remark, Written } from "./format.ts";
import { asideOf, buildReading, refuse } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { nameToWrite } from "./lenient/identity.ts";
import { ourAllowed, ourDenied } from "./lenient/map-tools.ts";
import { modelFor } from "./lenient/models.ts";
import { fileStem, nameFrom } from "./lenient/names.ts";
import { readMarkdown } from "./lenient/read-markdown.ts";
import { toolListOf, workspaceFor } from "./lenient/rights.ts";
import { mapped, narrowed } from "./lenient/settings.ts";
import { inOrder, writeMarkdown } from "./lenient/write-markdown.ts";
import { rightOf } from "./per-tool/right-of.ts";
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
  const fields = fieldsOf(markdown.settings, remarks, KEYS);
  const written = fields.text("name") ?? fileStem(file.below, [".md"]);
  const named = nameFrom(written);
  if (named === undefined) return refuse(`${JSON.stringify(written)} cannot be made into a name`);
  if (named.name !== written) fields.keep("name", written);
  remarks.push(...named.remarks);
  const permission_mode = isReadOnly(fields, remarks) ? ("plan" as const) : ("default" as const);
  const tools = readTools(fields, remarks);
  const draft = {
    name: named.name,
    display_name: named.display_name,
    description: describedBy(fields.text("description"), body, named.name, remarks),
    prompt: body,
    ...readModel(fields),
    tools,
    permission_mode,
    workspace: workspaceFor(tools, permission_mode),
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

/**
 * Cursor does not keep an agent to lists that were written for Claude Code. Their author wished for them. They are
 * not kept aside: written back, they would only look like a restriction.
 */
function readTools(fields: Fields, remarks: Remark[]): ToolList | undefined {
  const words = fields.tools("tools");
  const denied = [...fields.denied("disallowedTools"), ...(words?.denied ?? [])];
  if (words === undefined && denied.length === 0) return undefined;
  remarks.push(narrowed("tools", "Cursor does not keep an agent to its tools; here they hold"));
  const allow = words === undefined ? undefined : ourAllowed("claude", words.allowed).tools;
  return toolListOf(allow, ourDenied("claude", denied).tools);
}

/** `gpt-5[effort=high,fast]`: the name, and options of which we know the effort. */
function readModel(fields: Fields): { model?: string | undefined; effort?: Effort | undefined } {
  const written = fields.text("model");
  const [, name = written, options] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(written ?? "") ?? [];
  if (written !== undefined && nameHere(written) === undefined) fields.keep("model", written);
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
      tools: undefined,
      disallowedTools: undefined,
    },
    aside,
  );
  return { file: `${definition.name}.md`, text: writeMarkdown(settings, definition.prompt) };
}

const nameHere = (model: string): string | undefined =>
  modelFor(model, { providers: ["anthropic", "openai", "google", "xai", "cursor"] });

function modelToWrite({ model, effort }: AgentDefinition, written: unknown): string | undefined {
  const name = nameHere(model);
  if (name === undefined) return written === model && model !== "inherit" ? model : undefined;
  if (
    typeof written === "string" &&
    written.startsWith(`${name}[`) &&
    (effort === undefined || written.includes(`effort=${effort}`))
  )
    return written;
  return effort === undefined ? name : `${name}[effort=${effort}]`;
}
