// TOML. An entry is a table of its own, at the end of the file.
import { parse, TomlDate, TomlError, type TomlValue } from "smol-toml";
import type { Json } from "../../schema/index.ts";
import type { TextFormat } from "./text-format.ts";
import { TextProblem } from "./text-problem.ts";
import { type Statement, statementsOf } from "./toml-lines.ts";
import { checkDepth, leaf, type Pair, type Tree } from "./tree.ts";

export const tomlText: TextFormat = {
  parse(text) {
    try {
      return treeOfValue(parse(text, { integersAsBigInt: "asNeeded" }), 0);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [what = ""] = error.message.split("\n");
      throw new TextProblem(what.replace(/^Invalid TOML document: /, ""), `${error.line}:${error.column}`);
    }
  },
  insert(text, keys, value) {
    const isOpen = text !== "" && !text.endsWith("\n");
    const before = text === "" || /\n\r?\n$/.test(text) ? "" : isOpen ? "\n\n" : "\n";
    return [[{ at: text.length, text: `${before}${tableLines(keys, value).join("\n")}${isOpen ? "" : "\n"}` }]];
  },
  remove(text, keys) {
    const statements = statementsOf(text);
    const ours = statements.filter(({ table }) => keys.every((key, index) => table[index] === key));
    // Comments and blank lines behind the last value are about what comes next.
    const last = ours.findLast(({ kind }) => kind !== "other");
    const taken = last === undefined ? [] : ours.filter(({ end }) => end <= last.end);
    const gap = blankBefore(text, statements, taken[0]);
    const drop = new Set(gap === undefined ? taken : [gap, ...taken]);
    return statements
      .filter((statement) => !drop.has(statement))
      .map(({ start, end }) => text.slice(start, end))
      .join("");
  },
};

/** The blank line above a table goes with it. */
function blankBefore(text: string, statements: readonly Statement[], first: Statement | undefined) {
  const above = first === undefined ? undefined : statements[statements.indexOf(first) - 1];
  return above !== undefined && text.slice(above.start, above.end).trim() === "" ? above : undefined;
}

function treeOfValue(value: TomlValue, depth: number): Tree {
  checkDepth(depth);
  if (Array.isArray(value)) return { kind: "list", items: value.map((one) => treeOfValue(one, depth + 1)) };
  if (typeof value !== "object" || value instanceof TomlDate)
    return typeof value === "string" || typeof value === "boolean"
      ? leaf(value)
      : { kind: "leaf", text: String(value) };
  return {
    kind: "map",
    pairs: Object.entries(value).map(([key, one]): Pair => [key, treeOfValue(one, depth + 1)]),
  };
}

function tableLines(keys: readonly string[], value: Json): string[] {
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  return [`[${keys.map(written).join(".")}]`, ...fields.map(([key, one]) => `${written(key)} = ${writtenValue(one)}`)];
}

const written = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key));

function writtenValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(writtenValue).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value).map(([key, one]) => `${written(key)} = ${writtenValue(one)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  return typeof value === "string" ? quoted(value) : String(value);
}

/** JSON's strings are TOML's, but for one character. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("\u007F", "\\u007F");
