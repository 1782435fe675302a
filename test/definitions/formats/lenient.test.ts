import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../../src/definitions/formats/lenient/fields.ts";
import { splitFrontMatter } from "../../../src/definitions/formats/lenient/front-matter.ts";
import { readHeadingFile } from "../../../src/definitions/formats/lenient/heading-file.ts";
import { modelFor } from "../../../src/definitions/formats/lenient/models.ts";
import { nameFrom } from "../../../src/definitions/formats/lenient/names.ts";
import { parseJson, parseToml } from "../../../src/definitions/formats/lenient/parse-data.ts";
import { parseYaml } from "../../../src/definitions/formats/lenient/parse-yaml.ts";
import { slugOf } from "../../../src/definitions/slug.ts";
import { deniedWords, toolWords } from "../../../src/definitions/formats/lenient/tool-words.ts";
import { writeMarkdown } from "../../../src/definitions/formats/lenient/write-markdown.ts";
import type { Remark } from "../../../src/definitions/formats/format.ts";
import type { Json } from "../../../src/schema/index.ts";

const keys = new Set(["name", "description", "tools", "model"]);
const value = (text: string) => {
  const settings = parseYaml(text, { keys });
  return settings.ok ? settings.value : settings.problem;
};
const repairs = (text: string) => {
  const settings = parseYaml(text, { keys });
  return settings.ok ? settings.remarks.map(({ kind, field }) => `${kind} ${field}`) : [];
};

describe("front matter", () => {
  it.each([
    ["plain", "---\na: 1\n---\nbody\n", "a: 1", "body", 0],
    ["with a byte order mark", "\uFEFF---\na: 1\n---\nbody", "a: 1", "body", 0],
    ["with other line ends", "---\r\na: 1\r\n---\r\n\r\nbody\r\nmore\r\n", "a: 1", "body\nmore", 0],
    ["after blank lines", "\n \n---\na: 1\n---\nbody", "a: 1", "body", 1],
    ["never closed, then a blank line", "---\na: 1\n\nbody", "a: 1", "body", 1],
    ["never closed, then a heading", "---\na: 1\n# Body", "a: 1", "# Body", 1],
    ["and nothing else", "---\na: 1\n---", "a: 1", "", 0],
    ["with rules in the body", "---\na: 1\n---\none\n---\ntwo", "a: 1", "one\n---\ntwo", 0],
    ["empty", "---\n---\nbody", "", "body", 0],
  ])("%s", (_, text, yaml, body, remarks) => {
    const parts = splitFrontMatter(text);
    expect([parts.yaml, parts.body, parts.remarks.length]).toEqual([yaml, body, remarks]);
  });

  it("that is never closed ends after its last known setting", () => {
    const parts = splitFrontMatter("---\na: 1\n\n# Note\ntools: Read\nmore: x\n\nBody: text", keys);
    expect([parts.yaml, parts.body]).toEqual(["a: 1\n\n# Note\ntools: Read\nmore: x", "Body: text"]);
  });

  it("is not seen where there is none", () => {
    for (const text of ["", "body", "# Title\n---\na: 1\n---", "----\na: 1\n----", "text --- \n---"]) {
      expect(splitFrontMatter(text).yaml).toBeNull();
    }
  });
});

describe("YAML as people write it", () => {
  it("takes what is right as it is, without a remark", () => {
    expect(value('name: a\ntools: [x, "y: z"]\ndeep: {b: [1, true, null]}')).toEqual({
      name: "a",
      tools: ["x", "y: z"],
      deep: { b: [1, true, null] },
    });
    expect(repairs("description: |\n  a: b\n  c")).toEqual([]);
    expect(value("")).toEqual({});
  });

  it.each([
    ["a colon", "name: a\ndescription: Use when: always", { name: "a", description: "Use when: always" }],
    ["a bracket first", "description: [beta] reviews", { description: "[beta] reviews" }],
    ["a star", "tools: *", { tools: "*" }],
    ["emphasis", "description: *never* alone", { description: "*never* alone" }],
    ["a lone word between stars", "description: *never*", { description: "*never*" }],
    ["quotes inside of quotes", 'description: "says "hi": often"', { description: 'says "hi": often' }],
    ["an at sign", "description: @mentions of: people", { description: "@mentions of: people" }],
    ["a list that is never closed", "tools: [Read, Grep\nmodel: x", { tools: "[Read, Grep", model: "x" }],
  ])("quotes a text with %s", (_, text, expected) => {
    expect(value(text)).toEqual(expected);
    expect(repairs(text)).toHaveLength(1);
  });

  it("joins a text that spills over, and finds the settings after it", () => {
    const text = "name: a\ndescription: Use: this\n\nuser: hello\n- and: that\n<example>\nmodel: x\ntools: Read";
    expect(value(text)).toEqual({
      name: "a",
      description: "Use: this\nuser: hello\n- and: that\n<example>",
      model: "x",
      tools: "Read",
    });
    expect(repairs(text)).toEqual(["repaired description"]);
  });

  it("takes no tools from a sentence", () => {
    expect(value("description: a: b\ntools: Read\nBash is useful")).toContain("not YAML");
    expect(value("description: a: b\ntools: Read\nextra: Bash")).toEqual({
      description: "a: b",
      tools: "Read",
      extra: "Bash",
    });
  });

  it("takes no tools from a comment", () => {
    const text = "description: a: b\ntools: Read # not Bash\nmodel: # none";
    expect(value(text)).toEqual({ description: "a: b", tools: "Read", model: null });
  });

  it("lets no text swallow a setting where the format's own are not known", () => {
    const settings = parseYaml("description: a: b\ntools: Read");
    expect(settings).toMatchObject({ ok: true, value: { description: "a: b", tools: "Read" } });
  });

  it("indents a block that is not indented", () => {
    expect(value("description: |\nfirst line\nname: a")).toEqual({ description: "first line\n", name: "a" });
  });

  it("reads tabs as blanks", () => {
    expect(value("tools:\n\t- Read\n\t- Grep")).toEqual({ tools: ["Read", "Grep"] });
    expect(repairs("tools:\n\t- Read")).toContain("repaired front matter");
  });

  it("lets the last of two equal keys hold, and says so once", () => {
    expect(value("a: 1\na: 2\na: 3")).toEqual({ a: 3 });
    expect(repairs("a: 1\na: 2\na: 3")).toEqual(["repaired a"]);
  });

  it("keeps numbers that JSON has not as they were written", () => {
    expect(value("a: .inf\nb: 1e999\nc: .nan")).toEqual({ a: ".inf", b: "1e999", c: ".nan" });
  });

  it.each([
    ["a list", "- a", "not a map"],
    ["text", "just words", "not a map"],
    ["what stands before all settings", "}\nname: a", "not YAML"],
    ["a map that is never closed", "{a: 1", "not YAML"],
  ])("refuses %s in one line", (_, text, problem) => {
    expect(value(text)).toContain(problem);
    expect(value(text)).not.toContain("\n");
  });

  it("has no way to a prototype", () => {
    const settings = parseYaml("__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: 1}}\na: 1");
    expect(settings.ok && Object.keys(settings.value)).toEqual(["constructor", "a"]);
    expect(settings.ok && "polluted" in settings.value).toBe(false);
    expect("polluted" in {}).toBe(false);
  });
});

describe("bombs", () => {
  const bomb = [
    "a: &a [x, x]",
    ..."bcdefgh".split("").map((key, i) => `${key}: &${key} [*${"abcdefg"[i]}, *${"abcdefg"[i]}]`),
  ];
  it.each([
    ["aliases", bomb.join("\n"), "more than 20 aliases"],
    ["an alias to itself", "a: &a [*a]", "aliases"],
    ["deep lists", `a: ${"[".repeat(3000)}${"]".repeat(3000)}`, "not YAML"],
    ["lists that are never closed", "[".repeat(4000), "not YAML"],
    ["brackets", "}".repeat(64_000), "brackets"],
    ["size", `a: ${"x".repeat(70_000)}`, "bytes"],
  ])("%s", (_, text, problem) => {
    expect(value(text)).toContain(problem);
  });

  it("as TOML and JSON", () => {
    const deep = `{"a":${"[".repeat(200)}${"]".repeat(200)}}`;
    const wide = `{"a":[${"1,".repeat(60_000)}1]}`;
    const texts = [deep, wide, "[".repeat(100_000), "x".repeat(1_100_000)].map((text) => parseJson(text).ok);
    const tomls = ["a=[".repeat(5000), "x".repeat(1_100_000), `a${".b".repeat(100)}=1`].map(
      (text) => parseToml(text).ok,
    );
    expect([...texts, ...tomls]).not.toContain(true);
  });

  it("of any bytes never throw", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.string({ maxLength: 200 })), (text) => {
        for (const read of [parseYaml, parseToml, parseJson]) expect(typeof read(text).ok).toBe("boolean");
        expect(splitFrontMatter(text).body.length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe("JSON and TOML", () => {
  it("are plain data", () => {
    expect(parseToml('a = 1\nd = 2020-01-02\n[b]\nc = ["x"]')).toMatchObject({
      ok: true,
      value: { a: 1, b: { c: ["x"] } },
    });
    expect(parseJson('{"a": [1]}')).toEqual({ ok: true, value: { a: [1] }, remarks: [] });
    expect(parseJson('{"__proto__": {"x": 1}, "a": 1}')).toMatchObject({ value: { a: 1 } });
  });
  it("with comments are repaired", () => {
    expect(parseJson('{"a": 1, // one\n}')).toMatchObject({ value: { a: 1 }, remarks: [{ kind: "repaired" }] });
  });
  it("refuse what is not a map", () => {
    expect([parseJson("[1]").ok, parseJson("{").ok, parseToml("a = ").ok]).toEqual([false, false, false]);
  });
});

describe("lists of tools", () => {
  it.each<[string, Json, string[], string[]]>([
    ["a text", "Read, Grep,Glob", ["Read", "Grep", "Glob"], []],
    ["a text without commas", "Read Grep", ["Read", "Grep"], []],
    ["rules with commas", "Bash(git add, git log), Read", ["Bash(git add, git log)", "Read"], []],
    ["a list", ["Read", "Read", " Grep "], ["Read", "Grep"], []],
    ["a list in a text", "['Read', \"Grep\"]", ["Read", "Grep"], []],
    ["an open list in a text", "[Read, Grep", ["Read", "Grep"], []],
    ["a list in a list", ["Read, Grep"], ["Read", "Grep"], []],
    ["what is no text in a list", ["Read", 5, { Bash: true }], ["Read"], []],
    ["a map", { read: true, bash: false, odd: "yes" }, ["read"], ["bash"]],
    ["everything", "*", ["*"], []],
    ["nothing", [], [], []],
    ["an empty text", "", [], []],
  ])("as %s", (_, given, allowed, denied) => {
    expect(toolWords(given)).toEqual({ allowed, denied });
  });

  it("as nothing that can be read", () => {
    expect([toolWords(5), toolWords(true), toolWords(null), toolWords(undefined)]).toEqual(Array(4).fill(undefined));
  });

  it("that deny take an item that YAML made a map of", () => {
    expect(deniedWords(["Read", { Bash: "all" }])).toEqual(["Read", "Bash"]);
    expect(deniedWords({ Bash: true, Read: false })).toEqual(["Bash"]);
    expect(deniedWords("Bash, [Edit]")).toEqual(["Bash", "Edit"]);
  });
});

describe("fields", () => {
  const read = (settings: Record<string, Json>) => {
    const remarks: Remark[] = [];
    return { fields: fieldsOf(settings, remarks), remarks };
  };

  it("read numbers and booleans that were written as text, and say so", () => {
    const { fields, remarks } = read({ a: "20", b: "yes", c: "1.5" });
    expect([fields.whole("a"), fields.flag("b"), fields.count("c")]).toEqual([20, true, 1.5]);
    expect(remarks.map(({ kind }) => kind)).toEqual(["repaired", "repaired", "repaired"]);
  });

  it("keep aside what they cannot read, and what nobody asked for", () => {
    const { fields, remarks } = read({ a: "many", b: 0, c: [1], d: { e: 1 }, f: "maybe", g: 3 });
    expect([fields.whole("a"), fields.whole("b"), fields.text("c"), fields.flag("f"), fields.number("g", 2)]).toEqual(
      Array(5).fill(undefined),
    );
    expect(fields.aside().aside).toEqual({ a: "many", b: 0, c: [1], d: { e: 1 }, f: "maybe", g: 3 });
    expect(remarks).toHaveLength(5);
  });

  it("take an allow list that says nothing for one that allows nothing", () => {
    const { fields, remarks } = read({ a: null, b: 5, c: "" });
    expect([fields.tools("a"), fields.tools("b"), fields.tools("c")]).toEqual(
      Array.from({ length: 3 }, () => ({ allowed: [], denied: [] })),
    );
    expect(fields.tools("d")).toBeUndefined();
    expect(remarks.map(({ kind }) => kind)).toEqual(["narrowed", "narrowed"]);
  });

  it("show only so many unknown keys", () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));
    const { aside, remarks } = read(many).fields.aside();
    expect([Object.keys(aside).length, remarks.length]).toEqual([5000, 31]);
  });
});

describe("a file with a heading", () => {
  it("has its title as name and description, and its list as tools", () => {
    const text =
      "# Security Reviewer\n\nYou are careful.\n\n## Tools\n- read_file\n- `grep` - searches\n* Bash: runs\n\n## Style\nShort.";
    expect(readHeadingFile(text)).toEqual({
      settings: {
        name: "Security Reviewer",
        description: "Security Reviewer",
        tools: ["read_file", "grep", "Bash"],
      },
      body: "You are careful.\n\n## Style\nShort.",
    });
  });
  it("needs the heading at its start", () => {
    expect([
      readHeadingFile("text\n# Title"),
      readHeadingFile("## Title"),
      readHeadingFile("# "),
      readHeadingFile(""),
    ]).toEqual(Array(4).fill(undefined));
  });
});

describe("names and models", () => {
  it("are slugged where they have to be", () => {
    expect(nameFrom("code-Reviewer_2")).toEqual({ name: "code-Reviewer_2", remarks: [] });
    expect(nameFrom("Café  Réviewer!")).toMatchObject({ name: "cafe-reviewer", display_name: "Café  Réviewer!" });
    expect([nameFrom("日本"), nameFrom("--"), slugOf("")]).toEqual([undefined, undefined, undefined]);
    expect(slugOf("x".repeat(500))).toHaveLength(64);
  });
  it("go only where they are known", () => {
    const claude = { providers: ["anthropic"], takesClaudeAliases: true };
    const gemini = { providers: ["google"] };
    const models = ["inherit", "haiku", "anthropic/claude-x", "google/gemini-x", "some-model"];
    expect(models.map((model) => modelFor(model, claude))).toEqual([
      undefined,
      "haiku",
      "claude-x",
      undefined,
      "some-model",
    ]);
    expect(models.map((model) => modelFor(model, gemini))).toEqual([
      undefined,
      undefined,
      undefined,
      "gemini-x",
      "some-model",
    ]);
  });
});

describe("writing", () => {
  it("quotes what other parsers take for something else", () => {
    const text = writeMarkdown({ a: "yes", b: "012", c: "a: b", d: "# x", e: "*", f: ["on", "1e3"] }, "Body");
    expect(value(text.split("---\n")[1] ?? "")).toEqual({
      a: "yes",
      b: "012",
      c: "a: b",
      d: "# x",
      e: "*",
      f: ["on", "1e3"],
    });
    expect(text).toContain('a: "yes"');
  });
  it("comes back as it was", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 })),
        fc.string(),
        (given, body) => {
          const settings = JSON.parse(JSON.stringify(given).replaceAll("__proto__", "proto")) as Record<string, Json>;
          const parts = splitFrontMatter(writeMarkdown(settings, body));
          expect(parts.body).toBe(body.replaceAll("\r\n", "\n").trim());
          expect(value(parts.yaml ?? "")).toEqual(settings);
        },
      ),
    );
  });
});
