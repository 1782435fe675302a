// An extension that is nothing but a prompt: `{name, version, contextFileName, prompt}`. It works in its workspace, so
// it may not write to the project.
import type { AgentDefinition } from "../../../schema/index.ts";
import type { Reading, Written } from "../format.ts";
import { asideOf, buildReading, refuse, wordsIn } from "../lenient/build-reading.ts";
import { fieldsOf } from "../lenient/fields.ts";
import { isObject } from "../lenient/json-value.ts";
import { ourDenied, theirDenied } from "../lenient/map-tools.ts";
import { parseJson } from "../lenient/parse-data.ts";
import { rightsOf, toolListOf } from "../lenient/rights.ts";
import { inOneLine, kept, mapped } from "../lenient/settings.ts";
import { inOrder } from "../lenient/write-markdown.ts";
import { nameProblem } from "./agent-settings.ts";

/** Of an extension, which may bring more than a prompt. */
const KEYS: ReadonlySet<string> = new Set(
  "name version description contextFileName prompt excludeTools mcpServers settings themes plan migratedTo".split(" "),
);

/** Other JSON lies in that folder too: what has no prompt is no persona. */
export function readPersona(text: string): readonly Reading[] {
  const parsed = parseJson(text);
  if (!parsed.ok) return [refuse(parsed.problem)];
  const { value } = parsed;
  if (!("prompt" in value)) return [];
  const remarks = [...parsed.remarks];
  const fields = fieldsOf(value, remarks, KEYS);
  const name = fields.text("name");
  const prompt = fields.text("prompt");
  const problem = nameProblem(name);
  if (problem !== null) return [refuse(problem)];
  if (prompt === undefined) return [refuse(`${name ?? ""}: its prompt is no text, or empty`)];
  const described = fields.text("description");
  if (described === undefined) remarks.push(mapped("prompt", "its first sentence is the description"));
  const excluded = fields.denied("excludeTools");
  const deny = ourDenied("gemini", excluded, "excludeTools");
  remarks.push(...deny.remarks);
  if (deny.aside.length > 0) fields.keep("excludeTools", [...deny.aside]);
  const { aside, remarks: others } = fields.aside();
  const words = others.map((remark) =>
    remark.field === "contextFileName" ? kept(remark.field, "its scratchpad is kept aside") : remark,
  );
  const draft = {
    name,
    description: described ?? firstSentence(prompt),
    prompt,
    tools: toolListOf(undefined, deny.tools),
  };
  return [buildReading("gemini", draft, { persona: aside }, [...remarks, ...words])];
}

const firstSentence = (prompt: string): string => inOneLine(/^.*?[.!?](?=\s|$)/s.exec(prompt)?.[0] ?? prompt);

export function writePersona(definition: AgentDefinition): Written {
  const { persona } = asideOf(definition, "gemini");
  const name = definition.name.toLowerCase();
  const { description, prompt } = definition;
  const aside = isObject(persona) ? persona : {};
  const denied = theirDenied("gemini", rightsOf(definition.tools).deny, wordsIn(aside, "excludeTools"));
  const fields = {
    name,
    version: aside["version"] ?? "1.0.0",
    description: description === firstSentence(prompt.trim()) ? undefined : description,
    contextFileName: aside["contextFileName"] ?? `${name}-scratchpad.md`,
    prompt,
    excludeTools: denied.length === 0 ? undefined : denied,
  };
  return { file: `${name}.json`, text: `${JSON.stringify(inOrder(fields, aside), null, 2)}\n` };
}
