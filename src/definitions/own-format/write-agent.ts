// Our own agent files, written. The same definition always gives the same text, and reading it gives the definition.
import { Document, isScalar, Scalar, visit } from "yaml";
import { ON_THEIR_LINES } from "../../platform/yaml-lines.ts";
import { AgentDefinition, type JsonObject } from "../../schema/index.ts";
import { withExtraKeys } from "./extra-keys.ts";
import { withoutDefaults } from "./without-defaults.ts";

export const writeAgentYaml = (definition: AgentDefinition): string => yamlOf(fieldsOf(definition));

/** The prompt is the body where a body can hold it; else it stands in the settings, and the body is for readers. */
export function writeAgentMarkdown(definition: AgentDefinition): string {
  const { prompt } = definition;
  const { body, ...cadre } = definition.x["cadre"] ?? {};
  if (typeof body === "string" && body !== "" && isBody(body)) {
    const x = withCadre(definition.x, cadre);
    return markdown({ ...definition, x }, { prompt }, body);
  }
  return isBody(prompt) && body === undefined
    ? markdown({ ...definition, prompt: "" }, {}, prompt)
    : markdown(definition, { prompt }, "");
}

function withCadre(x: AgentDefinition["x"], cadre: JsonObject): AgentDefinition["x"] {
  const others = Object.entries(x).filter(([program]) => program !== "cadre");
  return Object.fromEntries(Object.keys(cadre).length === 0 ? others : [...others, ["cadre", cadre]]);
}

const markdown = (definition: AgentDefinition, more: Record<string, unknown>, body: string): string =>
  `---\n${yamlOf({ ...fieldsOf(definition), ...more })}---\n${body === "" ? "" : `\n${body}\n`}`;

/** Whether reading a body gives it back: without blanks around it, with line feeds, in UTF-8. */
const isBody = (text: string): boolean => text === text.trim() && !text.includes("\r") && text.isWellFormed();

function fieldsOf(definition: AgentDefinition): Record<string, unknown> {
  const fields = withoutDefaults(AgentDefinition, definition);
  return typeof fields === "object" && fields !== null ? { ...withExtraKeys({ ...fields }) } : {};
}

function yamlOf(fields: Record<string, unknown>): string {
  const document = new Document(fields, { schema: "core", aliasDuplicateObjects: false, keepUndefined: false });
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === "string") node.type = styleOf(node.value);
    },
  });
  return document.toString({ ...ON_THEIR_LINES, flowCollectionPadding: true });
}

/** Lines as lines where nothing is lost by it; the parser and the printer do not agree on every blank. */
function styleOf(text: string): Scalar.Type {
  if (PLAIN_LINES.test(text) && !/[ \t]\n/.test(text)) return Scalar.BLOCK_LITERAL;
  return PLAIN_LINE.test(text) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
}

const PLAIN_LINE = /^[\p{L}\p{N}_$(./][^\p{C}\p{Z}:#]*( [^\p{C}\p{Z}:#]+)*$/u;
const PLAIN_LINES = /^[^\s\p{C}](?:[^\p{C}\u2028\u2029]|[\n\t])*\n(?:[^\p{C}\u2028\u2029]|[\n\t])*[^\s\p{C}]\n?$/u;
