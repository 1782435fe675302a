import { type Document, parseDocument, type YAMLError } from "yaml";
import type { Section } from "./front-matter.ts";
import type { Report } from "./problems.ts";

const OPTIONS = {
  schema: "core", // whatever a %YAML line wishes for
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false, // read-nodes.ts looks for these: here it takes the square of the number of keys
  prettyErrors: false,
  logLevel: "error",
} as const;

/** The document, if it has no errors: a parser that has stumbled guesses what the rest means. */
export function parseYaml(yaml: Section, report: Report, warn: Report): Document | null {
  try {
    const document = parseDocument(yaml.text, OPTIONS);
    reportErrors(document.errors, yaml, report);
    for (const warning of document.warnings) {
      if (warning.code === "TAG_RESOLVE_FAILED") report(yaml.start + warning.pos[0], refuseTag(yaml.text, warning));
      else warn(yaml.start + warning.pos[0], warning.message);
    }
    return document.errors.length === 0 ? document : null;
  } catch (error) {
    report(yaml.start, `this is not YAML that can be read: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function reportErrors(errors: readonly YAMLError[], yaml: Section, report: Report): void {
  const exhausted = errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  // What comes after the parser has given up is noise.
  for (const error of exhausted === undefined ? errors : [exhausted]) {
    report(yaml.start + error.pos[0], WORDS[error.code] ?? error.message);
  }
}

const WORDS: Partial<Record<YAMLError["code"], string>> = {
  RESOURCE_EXHAUSTION: "this is nested too deeply",
  MULTIPLE_DOCS: "a second YAML document begins here: a file holds one agent",
  NON_STRING_KEY: "a key must be plain text",
};

const refuseTag = (text: string, { pos }: YAMLError): string =>
  `${JSON.stringify(text.slice(...pos))} is not a tag that can stand here: YAML tags are not supported`;
