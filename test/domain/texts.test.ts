// What people write and what they are shown: names, inputs, templates, summaries.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentKey } from "../../src/domain/agent-names.ts";
import { checkInputs } from "../../src/domain/inputs.ts";
import { nearest } from "../../src/domain/nearest.ts";
import { capText, oneLine, summarize } from "../../src/domain/summaries.ts";
import { parseTaskRef } from "../../src/domain/task-refs.ts";
import { fillTemplate, unknownPlaces } from "../../src/domain/templates.ts";
import type { AgentInput, Json, Outcome } from "../../src/schema/index.ts";

describe("the name of an agent", () => {
  it.each([
    ["Explore", "explore"],
    ["code_review", "code-review"],
    ["Code_Review-2", "code-review-2"],
    ["a__b", "a--b"],
  ])("%s is found as %s", (name, key) => {
    expect(agentKey(name)).toBe(key);
    expect(agentKey(key)).toBe(key);
  });
});

describe("a task on the command line", () => {
  it.each([
    ["@last", { kind: "last" }],
    ["oracle#4", { kind: "number", agent: "oracle", number: 4 }],
    ["Code_Review#12", { kind: "number", agent: "code-review", number: 12 }],
    ["task_01k2", { kind: "id", text: "task_01k2" }],
    ["01k2", { kind: "id", text: "01k2" }],
    ["oracle", { kind: "id", text: "oracle" }],
    ["oracle#0", { kind: "id", text: "oracle#0" }],
    ["oracle#04", { kind: "id", text: "oracle#04" }],
    ["oracle#-1", { kind: "id", text: "oracle#-1" }],
    ["oracle#4x", { kind: "id", text: "oracle#4x" }],
    ["#4", { kind: "id", text: "#4" }],
    ["a b#4", { kind: "id", text: "a b#4" }],
    ["@LAST", { kind: "id", text: "@LAST" }],
    ["", { kind: "id", text: "" }],
  ])("%j", (text, expected) => {
    expect(parseTaskRef(text)).toEqual(expected);
  });
});

describe("what somebody most likely meant", () => {
  const agents = ["explore", "oracle", "review", "Plan"];

  it.each([
    ["explor", "explore"],
    ["exlpore", "explore"],
    ["EXPLORE", "explore"],
    ["oracel", "oracle"],
    ["reviews", "review"],
    ["plan", "Plan"],
    ["plane", "Plan"],
    ["banana", undefined],
    ["exp", undefined],
    ["", undefined],
  ])("by %j is %j", (wanted, expected) => {
    expect(nearest(wanted, agents)).toBe(expected);
  });

  it("is the nearest, not the first that is near", () => {
    expect(nearest("reviewer", ["reviewed", "reviewer2", "reviewers"])).toBe("reviewed");
    expect(nearest("reviewer", ["revealer", "reviewers"])).toBe("reviewers");
  });

  it("is nothing, if there is nothing", () => {
    expect(nearest("explore", [])).toBeUndefined();
  });

  /** All the ways, without any shortcut. */
  function distance(a: string, b: string): number {
    if (a === "" || b === "") return a.length + b.length;
    const swap = distance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
    return Math.min(swap, distance(a.slice(1), b) + 1, distance(a, b.slice(1)) + 1);
  }

  it("is at most a third of the letters away, and none is nearer", () => {
    const anyWord = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(anyWord, fc.array(anyWord, { maxLength: 3 }), (wanted, candidates) => {
        const found = nearest(wanted, candidates);
        const least = Math.min(...candidates.map((candidate) => distance(wanted, candidate)));
        const isNear = least <= Math.max(1, Math.floor(wanted.length / 3));
        expect(found === undefined ? null : distance(wanted, found)).toBe(isNear ? least : null);
      }),
    );
  });
});

const input = (name: string, more: Partial<AgentInput> = {}): AgentInput => ({ name, type: "string", ...more });

describe("a single declared input", () => {
  it("is filled by the prompt, if it was not given", () => {
    expect(checkInputs([input("topic")], {}, "the tests")).toEqual({ ok: true, inputs: { topic: "the tests" } });
  });

  it("keeps what was given", () => {
    const checked = checkInputs([input("topic")], { topic: "the docs" }, "the tests");
    expect(checked).toEqual({ ok: true, inputs: { topic: "the docs" } });
  });

  it("that is empty text was given", () => {
    expect(checkInputs([input("topic")], { topic: "" }, "the tests")).toEqual({ ok: true, inputs: { topic: "" } });
  });

  it("is filled by the prompt rather than by its default", () => {
    const checked = checkInputs([input("topic", { default: "all" })], {}, "the tests");
    expect(checked).toEqual({ ok: true, inputs: { topic: "the tests" } });
  });

  it("that is no text is not filled by the prompt", () => {
    const count = input("count", { type: "integer", required: true });
    expect(checkInputs([count], {}, "7")).toEqual({ ok: false, problems: ['"count" is missing'] });
  });

  it.each(["constructor", "toString", "__proto__"])("may be called %s like any other", (name) => {
    const checked = checkInputs([input(name, { required: true })], {}, "the tests");
    expect(checked.ok).toBe(true);
    expect(checked.ok && Object.entries(checked.inputs)).toEqual([[name, "the tests"]]);
  });
});

describe("several inputs", () => {
  const declared = [input("where", { required: true }), input("depth", { type: "integer", default: 2 }), input("note")];

  it("are filled by their defaults, never by the prompt, and left out if nothing fills them", () => {
    expect(checkInputs(declared, { where: "src" }, "prompt")).toEqual({ ok: true, inputs: { where: "src", depth: 2 } });
  });

  it("are all complained about at once", () => {
    expect(checkInputs(declared, { depth: "two", dept: 3, note: false }, "prompt")).toEqual({
      ok: false,
      problems: [
        '"where" is missing',
        '"depth" must be an integer, got "two"',
        '"note" must be a string, got false',
        '"dept" is not an input of this agent',
      ],
    });
  });

  it("take a default only if it has the type, too", () => {
    const wrong = [input("a"), input("depth", { type: "integer", default: "deep" })];
    expect(checkInputs(wrong, {}, "prompt")).toEqual({
      ok: false,
      problems: ['"depth" must be an integer, got "deep"'],
    });
  });
});

describe("an agent without inputs", () => {
  it("takes none", () => {
    expect(checkInputs([], {}, "prompt")).toEqual({ ok: true, inputs: {} });
    expect(checkInputs([], { a: 1 }, "prompt")).toEqual({ ok: false, problems: ['"a" is not an input of this agent'] });
  });
});

describe("a value", () => {
  const values: readonly Json[] = ["text", "", 1, 1.5, -0.5, true, false, 2 ** 53, [], {}];
  const fitting: Readonly<Record<AgentInput["type"], readonly Json[]>> = {
    string: ["text", ""],
    number: [1, 1.5, -0.5, 2 ** 53],
    integer: [1],
    boolean: [true, false],
  };
  const cells = Object.entries(fitting).flatMap(([type, fits]) =>
    values.map((value) => ({ type: type as AgentInput["type"], value, ok: fits.includes(value) })),
  );

  it.each(cells)("$value as $type: $ok", ({ type, value, ok }) => {
    const checked = checkInputs([input("it", { type }), input("other")], { it: value }, "prompt");
    expect(checked.ok).toBe(ok);
    expect(checked.ok ? checked.inputs["it"] : value).toBe(value);
  });
});

const declare = (...names: readonly string[]): AgentInput[] => names.map((name) => ({ name, type: "string" }));
const declared = declare("who", "count", "_x1");

describe("a template", () => {
  it.each([
    ["Hello ${who}!", "Hello Ada!"],
    ["${who}${who}", "AdaAda"],
    ["${count} of ${_x1}", "3 of true"],
    ["$${who} is literal", "${who} is literal"],
    ["$${ and ${who}", "${ and Ada"],
    ["$$${who}", "$${who}"],
    ["$$$${who}", "$$${who}"],
    ["${other} is nobody's", "${other} is nobody's"],
    ["${ who } and ${who", "${ who } and ${who"],
    ["$who {who} ${} ${1a} $ $$", "$who {who} ${} ${1a} $ $$"],
    ["", ""],
  ])("%j becomes %j", (template, expected) => {
    expect(fillTemplate(template, declared, { who: "Ada", count: 3, _x1: true })).toBe(expected);
  });

  it("leaves nothing where an input was not given", () => {
    expect(fillTemplate("[${who}]", declared, {})).toBe("[]");
  });

  it("writes a structured value as JSON", () => {
    expect(fillTemplate("${who}", declared, { who: { a: [1] } })).toBe('{"a":[1]}');
  });

  it.each(["${count}", "$${count}", "$&", "$1", "$$", "$`"])("never expands the value %j again", (value) => {
    expect(fillTemplate("<${who}>", declared, { who: value, count: 3 })).toBe(`<${value}>`);
  });

  it("holds any value as it is, wherever it stands", () => {
    const anyValue = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom("$", "{", "}", "who", "count", "&"), { maxLength: 8 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anyValue, anyValue, (who, count) => {
        expect(fillTemplate("a ${who} b ${count} c", declared, { who, count })).toBe(`a ${who} b ${count} c`);
      }),
    );
  });

  it("of an agent without inputs is no template, not even in its escapes", () => {
    const prompt = "Run `echo $${HOME} ${who}`";
    expect(fillTemplate(prompt, [], { who: "Ada" })).toBe(prompt);
    expect(unknownPlaces(prompt, [])).toEqual([]);
  });
});

describe("places that no input fills", () => {
  it.each([
    ["${who} and ${count}", []],
    ["${whom} and ${who}", ["whom"]],
    ["${b} ${a} ${b}", ["b", "a"]],
    ["$${whom}", []],
    ["${ whom }", []],
  ])("in %j are %j", (template, expected) => {
    expect(unknownPlaces(template, declared)).toEqual(expected);
  });
});

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Any text that Unicode allows, of short and of long characters. A mark at its start is not a character. */
const anyCharacter = fc.oneof(
  fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code)),
  fc.constantFrom("a", "é", "漢", "😀", "\u0000", "e\u0301", "\n"),
);
const anyText = fc
  .array(anyCharacter, { maxLength: 60 })
  .map((characters) => characters.join("").toWellFormed())
  .filter((text) => !text.startsWith("\uFEFF"));
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));
/** Caps of a few bytes, told in kilobytes, so that short texts meet them. */
const anyCap = fc.nat({ max: 120 });

describe("a text that is cut to a cap", () => {
  it("never exceeds it, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyUnits), anyCap, (text, cap) => {
        const cut = capText(text, cap / 1024);
        expect(bytesOf(cut.text)).toBeLessThanOrEqual(cap);
        expect(cut.truncated).toBe(bytesOf(text) > cap);
      }),
      { numRuns: 300 },
    );
  });

  it("is a beginning of it, never cut inside a character, and as long as fits", () => {
    fc.assert(
      fc.property(anyText, anyCap, (text, cap) => {
        const cut = capText(text, cap / 1024).text;
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        const [next] = text.slice(cut.length);
        expect(next === undefined || bytesOf(cut + next) > cap).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["fits to the byte", "a".repeat(1024), 1024, false],
    ["is a byte too long", "a".repeat(1025), 1024, true],
    ["has a character of two bytes across the cap", `${"a".repeat(1023)}é`, 1023, true],
    ["has a character of three bytes across the cap", `${"a".repeat(1022)}漢`, 1022, true],
    ["has a character of four bytes across the cap", `${"a".repeat(1021)}😀b`, 1021, true],
    ["has a character of four bytes just within the cap", `${"a".repeat(1020)}😀b`, 1024, true],
    ["is empty", "", 0, false],
  ])("that %s", (_, text, bytes, truncated) => {
    const cut = capText(text, 1);
    expect([bytesOf(cut.text), cut.truncated]).toEqual([bytes, truncated]);
    expect(text.startsWith(cut.text)).toBe(true);
  });
});

describe("one line of a text", () => {
  it.each([
    ["short", 10, "short"],
    ["  two\n\n lines\tof it ", 50, "two lines of it"],
    ["exactly ten", 11, "exactly ten"],
    ["twelve chars", 11, "twelve c..."],
    ["a word and more", 10, "a word..."],
    ["", 10, ""],
  ])("%j in %d characters is %j", (text, max, expected) => {
    expect(oneLine(text, max)).toBe(expected);
  });

  it("is one line and at most as long as it may be", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 3, max: 40 }), (text, max) => {
        const line = oneLine(text, max);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\n\r\t]/);
      }),
    );
  });

  it("never ends in half a character", () => {
    expect([4, 5, 6, 7, 8, 9].filter((max) => !oneLine("😀".repeat(10), max).isWellFormed())).toEqual([]);
  });
});

describe("what a parent is told of a child", () => {
  const completed = {
    status: "completed",
    answer: "There are\nthree.",
    output: null,
    evidence: "claimed",
    recovered: null,
    truncated: false,
  } as const satisfies Outcome;

  it.each([
    ["its answer", completed, "There are three."],
    [
      "why it failed",
      { status: "failed", reason: "timeout", message: "too slow", answer: "One." },
      "timeout: too slow",
    ],
    ["who stopped it", { status: "cancelled", by: "ada", how: "forced", answer: "One." }, "stopped by ada"],
  ] as const)("is %s", (_, outcome, expected) => {
    expect(summarize(outcome)).toBe(expected);
  });

  it("is short, on one line, however long the answer", () => {
    const summary = summarize({ ...completed, answer: "word\n".repeat(1_000) });
    expect(summary.length).toBeLessThanOrEqual(500);
    expect(summary).toMatch(/^(word )+.*\.\.\.$/);
  });
});
