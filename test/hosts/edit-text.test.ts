import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentOfValue, entryIn, insertEntry, removeEntry, takeBack } from "../../src/hosts/text/edit-text.ts";
import { jsonText } from "../../src/hosts/text/json-text.ts";
import type { TextFormat } from "../../src/hosts/text/text-format.ts";
import { tomlText } from "../../src/hosts/text/toml-text.ts";
import { contentOf } from "../../src/hosts/text/tree.ts";
import { yamlText } from "../../src/hosts/text/yaml-text.ts";
import { jsonFile, tomlFile, yamlFile } from "./random-files.ts";

const VALUE = { command: "cadre", args: ["mcp", "it's \"\\ {x}"], timeout: 300, env: { A: "$A" } };

const strict = jsonText({ lenient: false });
const lenient = jsonText({ lenient: true });

interface Case {
  readonly name: string;
  readonly format: TextFormat;
  readonly files: fc.Arbitrary<string>;
  readonly keys: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "JSON", format: strict, files: jsonFile("mcpServers", false), keys: ["mcpServers", "cadre"] },
  { name: "JSON with comments", format: lenient, files: jsonFile("mcpServers", true), keys: ["mcpServers", "cadre"] },
  { name: "TOML", format: tomlText, files: tomlFile, keys: ["mcp_servers", "cadre"] },
  { name: "YAML", format: yamlText, files: yamlFile, keys: ["extensions", "cadre"] },
];

const contentIn = (format: TextFormat, text: string): string => contentOf(format.parse(text.replace(/^\uFEFF/, "")));

describe.each(CASES)("an entry in $name", ({ format, files, keys }) => {
  test("put in and taken back, every file is what it was", () => {
    fc.assert(
      fc.property(files, (text) => {
        const { text: after, insertions } = insertEntry(format, text, keys, VALUE);
        expect(entryIn(format, after, keys)).toBe(contentOfValue(VALUE));
        expect(takeBack(after, insertions)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test("taken out of a file that was changed since, it leaves what the file says, and its comments", () => {
    fc.assert(
      fc.property(files, (text) => {
        const { text: after, depth } = insertEntry(format, text, keys, VALUE);
        const removed = removeEntry(format, after, keys, { insertions: [], depth });
        expect(contentIn(format, removed)).toBe(contentIn(format, text));
        const comments = (one: string) => one.match(/\/\/ ?\w+|\/\*.*?\*\/|# ?\w+/g) ?? [];
        expect(comments(removed)).toEqual(comments(text));
        expect(removed.includes("\r\n")).toBe(text.includes("\r\n"));
      }),
      { numRuns: 200 },
    );
  });

  test("its lines end as the file's do", () => {
    fc.assert(
      fc.property(files, (text) => {
        const { text: after } = insertEntry(format, text, keys, VALUE);
        const ends = text.includes("\r\n") ? /(?<!\r)\n/ : /\r/;
        expect(after).not.toMatch(ends);
      }),
      { numRuns: 100 },
    );
  });
});
