// Our own agent files: Markdown whose body is the prompt, or YAML that holds it.
import { basename, extname } from "node:path";
import { AgentDefinition, NOT_YET } from "../../schema/index.ts";
import { checkPlaces } from "./check-places.ts";
import { explainIssues } from "./explain-issues.ts";
import { EXTRA_KEY, extrasOf, type Fields, writtenPath } from "./extra-keys.ts";
import { type Section, splitFrontMatter } from "./front-matter.ts";
import { shapeOf, spellingsOf, withAliases } from "./key-shape.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { Path, Places } from "./places.ts";
import { type Problem, problemLog, type Report } from "./problems.ts";
import { readNodes } from "./read-nodes.ts";
import { MAX_FILE_BYTES, MAX_YAML_BYTES } from "./size-limit.ts";

export type AgentRead =
  | {
      readonly ok: true;
      readonly definition: AgentDefinition;
      readonly warnings: readonly string[];
      /** Where a part of the definition stands in the file. */
      readonly placeOf: (path: Path) => Omit<Problem, "message">;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const ALIASES = { backends: "backend", system_prompt: "prompt" };
const SHAPE = { ...withAliases(shapeOf(AgentDefinition.omit({ x: true })), ALIASES), extra: EXTRA_KEY };
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
  if (Buffer.byteLength(yaml.text) > MAX_YAML_BYTES) {
    return refuse(
      `the settings have more than ${MAX_YAML_BYTES} bytes; a long prompt can be the body of a Markdown file`,
    );
  }
  const log = problemLog(text);
  const warnings: string[] = [];
  const warn: Report = (offset, message) => void warnings.push(`line ${log.place(offset).line}: ${message}`);
  const document = parseYaml(yaml, log.report, warn);
  if (document === null) return { ok: false, problems: log.list() };
  const { value, places, isWhole } = readNodes(document, {
    shape: SHAPE,
    notYet: REFUSED,
    start: yaml.start,
    report: log.report,
  });
  if (!isWhole) return { ok: false, problems: log.list() };
  const given = fillIn(value, file, body);
  const parsed = AgentDefinition.safeParse(extrasOf(given));
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...writtenPath(issue.path)] }));
    explainIssues(issues, given, places, log.report);
  }
  checkPlaces(given, "prompt", sectionOf("prompt", text, places, body), log.report);
  checkPlaces(given, "query", sectionOf("query", text, places, null), log.report);
  const problems = log.list();
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  const placeOf = (path: Path) => log.place(places.at(writtenPath(path))?.value ?? 0);
  return { ok: true, definition: parsed.data, warnings, placeOf };
}

/** What the file says without writing it: its name, and its body as the prompt, or as a text for readers. */
function fillIn(value: unknown, file: string, body: Section | null): unknown {
  const written: unknown = value ?? {};
  if (!isFields(written)) return written;
  const named = { name: basename(file, extname(file)), ...written };
  const text = body === null ? "" : body.text.replaceAll("\r\n", "\n").trim();
  if (!Object.hasOwn(written, "prompt")) return { prompt: text, ...named };
  const own = written["x-cadre"] ?? {};
  return text === "" || !isFields(own) ? named : { ...named, "x-cadre": { ...own, body: text } };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function sectionOf(field: string, text: string, places: Places, body: Section | null): Section {
  const place = places.at([field]);
  if (place !== undefined) return { text: text.slice(place.value, place.end), start: place.value };
  return body ?? { text: "", start: 0 };
}
