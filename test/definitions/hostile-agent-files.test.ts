import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAgentMarkdown, readAgentYaml } from "../../src/definitions/own-format/read-agent.ts";
import { processorMs } from "../processor-time.ts";
import { definitionIn, markdown, problemsIn } from "./read.ts";

type AgentRead = ReturnType<typeof readAgentYaml>;
type Problem = Extract<AgentRead, { ok: false }>["problems"][number];

describe("aliases", () => {
  it("may be used a few times", () => {
    const { output } = definitionIn(markdown("output:\n  schema: {a: &a {type: string}, b: *a, c: *a}"));
    expect(output?.schema).toEqual({ a: { type: "string" }, b: { type: "string" }, c: { type: "string" } });
  });

  it("beyond that are refused where they become too many", () => {
    const uses = (count: number) => `output:\n  schema:\n    a: &a x\n    b:\n${"      - *a\n".repeat(count)}`;
    expect(definitionIn(markdown(uses(20))).output?.schema["b"]).toHaveLength(20);
    expect(problemsIn(markdown(uses(21)))).toEqual(["27:9: the file uses more than 20 aliases"]);
  });

  it("that multiply are refused before they have", () => {
    const level = (name: string, of: string) => `    ${name}: &${name} [${Array(9).fill(of).join(", ")}]\n`;
    const names = ["b", "c", "d", "e", "f", "g", "h", "i"];
    const bomb = names.map((name, index) => level(name, index === 0 ? "x" : `*${names[index - 1]}`)).join("");
    expect(problemsIn(markdown(`output:\n  schema:\n${bomb}`))).toEqual([
      expect.stringContaining("the file uses more than 20 aliases"),
    ]);
  });

  it("of what they stand in are refused", () => {
    expect(problemsIn(markdown("output:\n  schema: &a\n    b: *a"))).toHaveLength(1);
    expect(problemsIn("&a [*a]", "a.yml")).toHaveLength(1);
  });

  it("of nothing are refused", () => {
    expect(problemsIn(markdown("display_name: *nobody"))).toEqual(['3:15: there is no "&nobody" before this']);
  });
});

describe("tags", () => {
  it("of our own making are refused", () => {
    const refusal = (tag: string) => `"${tag}" is not a tag that can stand here: YAML tags are not supported`;
    expect(problemsIn(markdown("display_name: !env HOME"))).toEqual([`3:15: ${refusal("!env")}`]);
    expect(problemsIn(markdown("display_name: !!js/function 'x'"))).toEqual([`3:15: ${refusal("!!js/function")}`]);
    expect(problemsIn(markdown("output:\n  schema: {a: !!binary aGk=, b: !!timestamp 2020-01-01}"))).toEqual([
      `4:15: ${refusal("!!binary")}`,
      `4:33: ${refusal("!!timestamp")}`,
    ]);
  });

  it("of YAML itself say what a value is", () => {
    expect(definitionIn(markdown("display_name: !!str 5")).display_name).toBe("5");
  });

  it("cannot merge maps", () => {
    expect(problemsIn(markdown("workspace: &w {path: a}\n<<: *w"))).toEqual(['4:1: unknown key "<<"']);
  });
});

describe("size", () => {
  it("of a file is at most a megabyte, its body included", () => {
    const refused = ["1:1: the file has more than 1048576 bytes"];
    const frame = markdown("max_turns: 1", "").length;
    expect(definitionIn(markdown("max_turns: 1", "x".repeat(1024 * 1024 - frame))).prompt).toMatch(/^x+$/);
    expect(problemsIn(markdown("max_turns: 1", "x".repeat(1024 * 1024 - frame + 1)))).toEqual(refused);
    expect(problemsIn(markdown("max_turns: 1", "ü".repeat(1024 * 512)))).toEqual(refused);
  });

  it("of its settings is at most 64 kilobytes, however long the body is", () => {
    const refused = ["1:1: the settings have more than 65536 bytes; a long prompt can be the body of a Markdown file"];
    const settings = (length: number) => `description: d\ndisplay_name: ${"x".repeat(length)}\n`;
    const frame = settings(0).length;
    expect(definitionIn(settings(65_536 - frame), "a.yml").display_name).toHaveLength(65_536 - frame);
    expect(problemsIn(settings(65_537 - frame), "a.yml")).toEqual(refused);
    expect(problemsIn(`---\n${"}".repeat(1_000_000)}\n---\nbody`)).toEqual(refused);
    expect(problemsIn(`description: ${"ü".repeat(33_000)}`, "a.yml")).toEqual(refused);
  });

  it("of a definition is at most 50000 values, those behind aliases included", () => {
    const list = (length: number, uses: number) =>
      `output:\n  schema: {a: &a [${Array(length).fill("1").join(",")}], b: [${Array(uses).fill("*a").join(",")}]}`;
    expect(definitionIn(markdown(list(24_000, 1))).output?.schema["a"]).toHaveLength(24_000);
    expect(problemsIn(markdown(list(24_000, 2)))).toEqual([expect.stringContaining("holds more than 50000 values")]);
  });

  it("of a map does not make looking for doubles slow", () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `    k${index}: 1\n`).join("");
    const took = processorMs(() => {
      const { schema = {} } = definitionIn(markdown(`output:\n  schema:\n${keys}`)).output ?? {};
      expect(Object.keys(schema)).toHaveLength(5_000);
    });
    expect(took).toBeLessThan(5_000);
  });

  const nests: [what: string, nest: (levels: number) => string][] = [
    ["maps", (levels) => `{schema: ${"{a: ".repeat(levels)}1${"}".repeat(levels)}}`],
    ["lists", (levels) => `{schema: {a: ${"[".repeat(levels)}1${"]".repeat(levels)}}}`],
    ["lists in lines", (levels) => `\n  schema:\n    a:\n      ${"- ".repeat(levels)}1`],
    ["lists that are never closed", (levels) => "[".repeat(levels)],
    ["keys", (levels) => `\n  ${"? ".repeat(levels)}`],
  ];

  it.each(nests)("of a nest of %s is limited", (_, nest) => {
    const messages = (levels: number) => problemsIn(`description: d\noutput: ${nest(levels)}\n`, "a.yml").join("\n");
    for (const levels of [70, 600, 5_000]) expect(messages(levels), `${levels} levels`).not.toBe("");
    expect(messages(5_000)).toMatch(/nested too deeply$/);
  });

  it("of a nest is at most 64 levels", () => {
    const nest = (levels: number) => `output: {schema: ${"{a: ".repeat(levels)}1${"}".repeat(levels)}}`;
    expect(definitionIn(markdown(nest(62))).output).toBeDefined();
    expect(problemsIn(markdown(nest(63)))).toEqual([expect.stringContaining("this is nested more than 64 deep")]);
  });
});

describe("whatever a file holds", () => {
  const valid = [
    "---\nname: a\ndescription: &d d\nmax-turns: 3\ninputs:\n  - name: x\n    type: string\n",
    "tape:\n  - say: hi\n  - together: [{read: a}, {ask: b}]\n  - answer: *d\n    output: {k: [1, null]}\n",
    "tools: {mode: allowlist, allow: [Read]}\noutput:\n  schema: {type: object}\n---\nbody ${x}\n",
  ].join("");
  const pieces = [
    "---\n",
    "\r\n",
    "\t",
    " ",
    "\0",
    "\uFEFF",
    "\u2028",
    "&d ",
    "*d",
    "!t ",
    "{",
    "}",
    "[",
    "]",
    "'",
    '"',
    ": ",
    "- ",
    "? ",
    "|\n",
    "%",
    "#",
    "${x}",
    "__proto__: ",
    "\uD800",
    "name: ",
  ];
  const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 5 }));
  const edit = fc.record({ at: fc.nat(valid.length), remove: fc.nat(12), insert: piece });
  const mutated = fc.array(edit, { maxLength: 6 }).map((edits) => {
    let text = valid;
    for (const { at, remove, insert } of edits) text = text.slice(0, at) + insert + text.slice(at + remove);
    return text;
  });
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.array(piece, { maxLength: 40 }).map((some) => some.join("")),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("utf8")),
  );

  /** What is wrong with the answer itself, if anything. */
  function flaws(text: string, read: AgentRead): string[] {
    if (read.ok) return read.definition.description === "" ? ["no description"] : [];
    const lines = text.split("\n").length;
    const isPlaced = ({ line, column }: Problem) => line >= 1 && line <= lines && column >= 1;
    const lost = read.problems.filter((problem) => !isPlaced(problem) || problem.message === "");
    return read.problems.length === 0 ? ["no problem"] : lost.map((problem) => JSON.stringify(problem));
  }

  function expectAnswer(text: string): void {
    expect(flaws(text, readAgentMarkdown(text, "a.md"))).toEqual([]);
    expect(flaws(text, readAgentYaml(text, "a.yml"))).toEqual([]);
  }

  it("the file that the next test bends is valid", () => {
    expect(definitionIn(valid).tape).toHaveLength(3);
  });

  it("a bent file is read or has problems, and never throws", () => {
    fc.assert(fc.property(mutated, expectAnswer), { numRuns: 1_500 });
  });

  it("any text is read or has problems, and never throws", () => {
    fc.assert(fc.property(anything, expectAnswer), { numRuns: 1_500 });
    fc.assert(
      fc.property(anything, (text) => expectAnswer(`---\n${text}\n---\n`)),
      { numRuns: 1_000 },
    );
  });

  it("reading it leaves every other object as it was", () => {
    problemsIn(markdown("__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}"));
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});
