// The documents as the tests read them: text, code blocks, tables and links.
import { repositoryFiles } from "../../scripts/repository-files.ts";
import { readSource } from "../../scripts/source-graph.ts";

const ROOTS = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md"];

export const files: readonly string[] = repositoryFiles();

export const documents: readonly string[] = files.filter(
  (path) => ROOTS.includes(path) || (path.startsWith("docs/") && path.endsWith(".md")),
);

export const read = readSource;

export interface Block {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;

/** Code blocks, without the indentation of the list that they stand in. */
export const blocksOf = (path: string): Block[] =>
  [...read(path).matchAll(FENCE)].map(([, indent = "", language = "", text = ""]) => ({
    path,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));

/** What is not code: examples may hold anything. */
export const proseOf = (path: string): string => read(path).replaceAll(FENCE, "");

/** Every table: its head, then its rows. */
export function tablesOf(path: string): string[][][] {
  const tables: string[][][] = [];
  let last = -2;
  for (const [index, line] of proseOf(path).split("\n").entries()) {
    if (!line.trimStart().startsWith("|")) continue;
    if (index > last + 1) tables.push([]);
    last = index;
    tables.at(-1)?.push(cellsOf(line));
  }
  return tables.map((rows) => rows.filter((_, index) => index !== 1));
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** The table whose first row is this. */
export function tableOf(path: string, ...head: readonly string[]): string[][] {
  const found = tablesOf(path).filter(([first]) => first?.join("|") === head.join("|"));
  const rows = found.flatMap((table) => table.slice(1));
  if (rows.length === 0) throw new Error(`${path} has no table | ${head.join(" | ")} |`);
  return rows;
}

/** What stands in backticks, in order. */
export const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
