import { expect } from "vitest";
import { readAgentMarkdown, readAgentYaml } from "../../src/definitions/own-format/read-agent.ts";
import type { AgentDefinition } from "../../src/schema/index.ts";

const readerOf = (file: string) => (file.endsWith(".md") ? readAgentMarkdown : readAgentYaml);

/** The definition that a file holds; fails on any problem. */
export function definitionIn(text: string, file = "agents/reviewer.md"): AgentDefinition {
  const read = readerOf(file)(text, file);
  if (!read.ok) expect(read.problems).toEqual([]);
  return (read as { definition: AgentDefinition }).definition;
}

/** Every problem of a file as `line:column: what`; fails if there is none. */
export function problemsIn(text: string, file = "agents/reviewer.md"): string[] {
  const read = readerOf(file)(text, file);
  expect(read.ok, "a file that should not be accepted").toBe(false);
  return read.ok ? [] : read.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);
}

/** A Markdown file of these settings, and `description` so that it is complete. */
export const markdown = (settings: string, body = "Do it.\n"): string =>
  `---\ndescription: Reads code\n${settings}\n---\n${body}`;
