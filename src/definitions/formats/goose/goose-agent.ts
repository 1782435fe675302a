// Goose's agents: Markdown with a name, a description and a model. Goose passes over everything else, tools too.
import type { AgentDefinition } from "../../../schema/index.ts";
import { describedBy } from "../description.ts";
import type { ForeignFile, Reading, Written } from "../format.ts";
import { asideOf, buildReading, refuse } from "../lenient/build-reading.ts";
import { fieldsOf } from "../lenient/fields.ts";
import { nameToWrite } from "../lenient/identity.ts";
import { ourAllowed } from "../lenient/map-tools.ts";
import { modelFor } from "../lenient/models.ts";
import { fileStem, nameFrom } from "../lenient/names.ts";
import { readMarkdown } from "../lenient/read-markdown.ts";
import { toolListOf, workspaceFor } from "../lenient/rights.ts";
import { narrowed } from "../lenient/settings.ts";
import { inOrder, writeMarkdown } from "../lenient/write-markdown.ts";

const KEYS: ReadonlySet<string> = new Set(["name", "description", "model"]);

export function readGooseAgent(file: ForeignFile): Reading {
  const markdown = readMarkdown(file.text, { keys: KEYS });
  if (!markdown.ok) return refuse(markdown.problem);
  const { remarks, body } = markdown;
  const fields = fieldsOf(markdown.settings, remarks, KEYS);
  const written = fields.text("name") ?? fileStem(file.below, [".md"]);
  const named = nameFrom(written);
  if (named === undefined) return refuse(`${JSON.stringify(written)} cannot be made into a name`);
  if (named.name !== written) fields.keep("name", written);
  remarks.push(...named.remarks);
  const model = fields.text("model");
  // Goose does not keep an agent to a list that was written for another program. Its author wished for one. It is
  // not kept aside: written back, it would only look like a restriction.
  const words = fields.tools("tools");
  const tools = words === undefined ? undefined : toolListOf(ourAllowed("claude", words.allowed).tools, []);
  if (tools !== undefined) remarks.push(narrowed("tools", "Goose does not keep an agent to its tools; here they hold"));
  const draft = {
    name: named.name,
    display_name: named.display_name,
    description: describedBy(fields.text("description"), body, named.name, remarks),
    prompt: body,
    model,
    tools,
    workspace: workspaceFor(tools, "default"),
  };
  const { aside, remarks: others } = fields.aside();
  return buildReading("goose", draft, aside, [...remarks, ...others]);
}

export function writeGooseAgent(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "goose");
  const settings = inOrder(
    {
      name: nameToWrite(definition.name, aside),
      description: definition.description,
      // Sent to the provider as it stands: `inherit` would be taken for a model's name.
      model: modelFor(definition.model, { providers: ["anthropic", "openai", "google"] }),
      tools: undefined,
    },
    aside,
  );
  return { file: `${definition.name}.md`, text: writeMarkdown(settings, definition.prompt) };
}
