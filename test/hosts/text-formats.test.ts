// How an entry looks in files of every style, and which files are refused.
import { describe, expect, test } from "vitest";
import { entryIn, insertEntry, removeEntry } from "../../src/hosts/text/edit-text.ts";
import { jsonText } from "../../src/hosts/text/json-text.ts";
import type { TextFormat } from "../../src/hosts/text/text-format.ts";
import { TextProblem } from "../../src/hosts/text/text-problem.ts";
import { tomlText } from "../../src/hosts/text/toml-text.ts";
import { yamlText } from "../../src/hosts/text/yaml-text.ts";

const strict = jsonText({ lenient: false });
const lenient = jsonText({ lenient: true });
const VALUE = { command: "cadre", args: ["mcp"] };

const inserted = (format: TextFormat, text: string, keys: readonly string[]): string =>
  insertEntry(format, text, keys, VALUE).text;

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof TextProblem) return `${error.where ?? "?"} ${error.message}`;
    throw error;
  }
  return "none";
}

describe("JSON", () => {
  const keys = ["servers", "cadre"];

  test("into a file with comments, behind the last server and its comment", () => {
    const text =
      '{\n\t// mine\n\t"servers": {\n\t\t"a": {}, // first\n\t\t"b": {} // last\n\t\t// nothing more\n\t},\n\t"z": 1\n}\n';
    expect(inserted(lenient, text, keys)).toBe(
      '{\n\t// mine\n\t"servers": {\n\t\t"a": {}, // first\n\t\t"b": {}, // last\n\t\t// nothing more\n\t\t"cadre": {\n\t\t\t"command": "cadre",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t},\n\t"z": 1\n}\n',
    );
  });

  test.each([
    ['{"a":1}', '{"a":1,"servers":{"cadre":{"command":"cadre","args":["mcp"]}}}'],
    ['{"servers":{}}', '{"servers":{"cadre":{"command":"cadre","args":["mcp"]}}}'],
    ['{"servers": {"a": {}}}', '{"servers": {"a": {}, "cadre": { "command": "cadre", "args": [ "mcp" ] }}}'],
  ])("into %s, on its one line", (text, after) => {
    expect(inserted(strict, text, keys)).toBe(after);
  });

  test("a trailing comma gets one as well", () => {
    expect(inserted(lenient, '{\n  "servers": {\n    "a": 1,\n  },\n}', keys)).toContain('    "a": 1,\n    "cadre": {');
    expect(inserted(lenient, '{\n  "servers": {\n    "a": 1,\n  },\n}', keys)).toContain("    },\n  },\n}");
  });

  test("into nothing, an empty object, and an empty object of servers", () => {
    const whole = JSON.stringify({ servers: { cadre: VALUE } }, null, 2);
    expect(inserted(strict, "", keys)).toBe(`${whole}\n`);
    expect(inserted(strict, "{}", keys)).toBe(whole);
    expect(inserted(strict, '{\n  "servers": {}\n}\n', keys)).toBe(`${whole}\n`);
  });

  test("other servers that came since stay, and so does the map that was made", () => {
    const { text, depth, insertions } = insertEntry(strict, "{}\n", keys, VALUE);
    const edited = text.replace('"servers": {', '"servers": {\n    "new": 1,');
    expect(removeEntry(strict, edited, keys, { depth, insertions })).toBe('{\n  "servers": {\n    "new": 1\n  }\n}\n');
  });

  test("a map that was there stays, also when it is empty now", () => {
    const { text, depth } = insertEntry(strict, '{\n  "servers": {}\n}\n', keys, VALUE);
    expect(removeEntry(strict, `${text} `, keys, { depth, insertions: [] })).toContain('"servers": {');
  });

  test.each([
    ["a comment where none may be", strict, "{ // x\n}", "1:3 invalid comment token"],
    ["no end", strict, '{\n  "a": 1', "2:9 close brace expected"],
    ["two values", lenient, "{}\n{}", "2:1 end of file expected"],
    ["a list", strict, "[]", "? it is not a map"],
    ["a key twice", strict, '{"servers": {"a": 1}, "servers": {}}', '? "servers" is there twice'],
    ["servers that are a list", strict, '{"servers": []}', '? "servers" is not a map'],
    ["servers that are null", strict, '{"servers": null}', "? it is written in a way that cannot be added to"],
    ["too many brackets", strict, `${'{"a":'.repeat(300)}1${"}".repeat(300)}`, "? it is nested too deeply"],
    ["far too many", strict, "[".repeat(400_000), "? it is nested too deeply"],
  ])("refuses %s", (_, format, text, says) => {
    expect(problemOf(() => insertEntry(format, text, keys, VALUE))).toContain(says);
  });

  test("`__proto__` is a key like any other", () => {
    const text = '{"__proto__": {"servers": {"cadre": 1}}, "constructor": 2}';
    expect(entryIn(strict, text, keys)).toBeUndefined();
    expect(inserted(strict, text, keys).startsWith('{"__proto__": {"servers": {"cadre": 1}}, "constructor": 2,')).toBe(
      true,
    );
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test("numbers keep every digit in the comparison", () => {
    const text = '{"big": 12345678901234567890123, "servers": {}}';
    expect(inserted(strict, text, keys)).toContain("12345678901234567890123");
  });
});

describe("TOML", () => {
  const keys = ["mcp_servers", "cadre"];
  const table = '[mcp_servers.cadre]\ncommand = "cadre"\nargs = ["mcp"]\n';

  test.each([
    ["", table],
    ["# only this", `# only this\n\n${table.trimEnd()}`],
    ['model = "o" # mine\n', `model = "o" # mine\n\n${table}`],
    ["[a]\nb = 1\n\n", `[a]\nb = 1\n\n${table}`],
  ])("at the end of %j", (text, after) => {
    expect(inserted(tomlText, text, keys)).toBe(after);
  });

  test("taken out from between tables that came since, with comments where they were", () => {
    const { text, depth } = insertEntry(tomlText, "a = 1\n", keys, VALUE);
    const edited = `${text.replace('["mcp"]', '[ # in it\n  "mcp",\n]')}\n# about b\n[b]\nx = """\n[mcp_servers.cadre]\n"""\n`;
    expect(removeEntry(tomlText, edited, keys, { insertions: [], depth })).toBe(
      'a = 1\n\n# about b\n[b]\nx = """\n[mcp_servers.cadre]\n"""\n',
    );
  });

  test("with tables of its own", () => {
    const text =
      'a = 1\n\n[mcp_servers.cadre]\ncommand = "x"\n\n[mcp_servers.cadre.env]\nA = "b"\n\n[mcp_servers."cadre2"]\nc = 1\n';
    expect(removeEntry(tomlText, text, keys, { insertions: [], depth: 1 })).toBe(
      'a = 1\n\n[mcp_servers."cadre2"]\nc = 1\n',
    );
  });

  test.each([
    ["a broken line", "a = 1\nb = \n", "2:5 "],
    ["a key twice", "a = 1\na = 2\n", "2:"],
    ["servers on one line", "mcp_servers = { a = { b = 1 } }\n", "? it is written in a way that cannot be added to"],
    ["servers that are a number", "mcp_servers = 1\n", '? "mcp_servers" is not a map'],
    ["too many brackets", `a = ${"[".repeat(300)}${"]".repeat(300)}\n`, "? it is nested too deeply"],
    ["far too many", `a = ${"[".repeat(200_000)}`, " "],
  ])("refuses %s", (_, text, says) => {
    const problem = problemOf(() => insertEntry(tomlText, text, keys, VALUE));
    expect(problem).not.toBe("none");
    expect(problem).toContain(says);
  });
});

describe("YAML", () => {
  const keys = ["extensions", "cadre"];

  test.each([
    ["", "extensions:\n  cadre:\n    command: cadre\n    args: [mcp]\n"],
    ["a: 1 # mine", "a: 1 # mine\nextensions:\n  cadre:\n    command: cadre\n    args: [mcp]"],
    [
      "extensions: # all\n    # the first\n    dev:\n        x: |\n            y\n\na: 1\n",
      "extensions: # all\n    cadre:\n      command: cadre\n      args: [mcp]\n    # the first\n    dev:\n        x: |\n            y\n\na: 1\n",
    ],
    ["extensions: {}\n", 'extensions: {cadre: {"command":"cadre","args":["mcp"]}}\n'],
    ["extensions:\nb: 2\n", "extensions:\n  cadre:\n    command: cadre\n    args: [mcp]\nb: 2\n"],
    ["# top\na: 1\n...\n", "# top\nextensions:\n  cadre:\n    command: cadre\n    args: [mcp]\na: 1\n...\n"],
  ])("into %j", (text, after) => {
    expect(inserted(yamlText, text, keys)).toBe(after);
  });

  test("after the program itself has written the file again", () => {
    const again = "a: 1\nextensions:\n  cadre:\n    args:\n    - mcp\n    command: cadre\n  other:\n    b: 2\n";
    expect(removeEntry(yamlText, again, keys, { insertions: [], depth: 0 })).toBe(
      "a: 1\nextensions:\n  other:\n    b: 2\n",
    );
  });

  test("with the map that was made for it, once that is empty", () => {
    const again = "a: 1\nextensions:\n  cadre: {command: cadre}\nb: 2\n";
    expect(removeEntry(yamlText, again, keys, { insertions: [], depth: 0 })).toBe("a: 1\nb: 2\n");
  });

  test.each([
    ["a broken line", "a: [1\nb: 2\n", "2:1 "],
    ["a key twice", "a: 1\na: 2\n", "2:1 a key is there twice"],
    ["a key twice, further in", 'a:\n  b: {c: 1, "c": 2}\n', "2:13 a key is there twice"],
    [
      "more than can be read in a moment",
      `a: 1\n${"\n".repeat(1024 * 1024)}`,
      "? it is longer than 1048576 characters",
    ],
    ["two documents", "a: 1\n---\nb: 2\n", " "],
    ["a list", "- a\n", "? it is not a map"],
    ["extensions that are a text", "extensions: x\n", '? "extensions" is not a map'],
    ["extensions by another name", "a: &x {b: 1}\nextensions: *x\n", '? "extensions" is not a map'],
    ["too many brackets", `a: ${"[".repeat(300)}${"]".repeat(300)}\n`, "? it is nested too deeply"],
    ["far too many", `a: ${"[".repeat(50_000)}`, "? it is nested too deeply"],
  ])("refuses %s", (_, text, says) => {
    const problem = problemOf(() => insertEntry(yamlText, text, keys, VALUE));
    expect(problem).not.toBe("none");
    expect(problem).toContain(says);
  });
});
