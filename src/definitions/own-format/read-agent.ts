// Our own agent files: Markdown whose body is the prompt, or YAML that holds it.
import { basename, extname } from "node:path";
import { AgentDefinition, NOT_YET } from "../../schema/index.ts";
import { checkPlaces } from "./check-places.ts";
import { explainIssues } from "./explain-issues.ts";
import { type Section, splitFrontMatter } from "./front-matter.ts";
import { shapeOf, spellingsOf } from "./key-shape.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { Places } from "./places.ts";
import { type Problem, problemLog, type Report } from "./problems.ts";
import { readNodes } from "./read-nodes.ts";
import { MAX_FILE_BYTES } from "./size-limit.ts";

export type AgentRead =
  | { readonly ok: true; readonly definition: AgentDefinition; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const SHAPE = shapeOf(AgentDefinition);
const REFUSED: ReadonlySet<string> = new Set(spellingsOf(NOT_YET).keys());

/** The settings between lines of `---`, then the prompt. If the settings have a prompt, the rest is for readers. */
export function readAgentMarkdown(text: string, file: string): AgentRead {
  const plain = withoutMark(text);
  const parts = splitFrontMatter(plain);
  if (!parts.ok) return refuse(parts.message);
  return readDefinition(plain, file, parts.yaml, parts.body);
}

export function readAgentYaml(text: string, file: string): AgentRead {
  const plain = withoutMark(text);
  return readDefinition(plain, file, { text: plain, start: 0 }, null);
}

const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

const refuse = (message: string): AgentRead => ({ ok: false, problems: [{ line: 1, column: 1, message }] });

function readDefinition(text: string, file: string, yaml: Section, body: Section | null): AgentRead {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return refuse(`the file has more than ${MAX_FILE_BYTES} bytes`);
  const log = problemLog(text);
  const warnings: string[] = [];
  const warn: Report = (offset, message) => void warnings.push(`line ${log.place(offset).line}: ${message}`);
  const document = parseYaml(yaml, log.report, warn);
  if (document === null) return { ok: false, problems: log.list() };
  const reading = readNodes(document, { shape: SHAPE, notYet: REFUSED, start: yaml.start, report: log.report });
  if (!reading.isWhole) return { ok: false, problems: log.list() };
  const given = fillIn(reading.value, file, body);
  const parsed = AgentDefinition.safeParse(given);
  if (!parsed.success) explainIssues(parsed.error.issues, given, reading.places, log.report);
  checkPlaces(given, promptSection(text, reading.places, body), log.report);
  const problems = log.list();
  return parsed.success && problems.length === 0
    ? { ok: true, definition: parsed.data, warnings }
    : { ok: false, problems };
}

/** What the file says without writing it: its name, and its body as the prompt. */
function fillIn(value: unknown, file: string, body: Section | null): unknown {
  const written = value ?? {};
  if (typeof written !== "object" || Array.isArray(written)) return written;
  const prompt = body === null ? {} : { prompt: body.text.replaceAll("\r\n", "\n").trim() };
  return { name: basename(file, extname(file)), ...prompt, ...written };
}

function promptSection(text: string, places: Places, body: Section | null): Section {
  const place = places.at(["prompt"]);
  if (place !== undefined) return { text: text.slice(place.value, place.end), start: place.value };
  return body ?? { text: "", start: 0 };
}
