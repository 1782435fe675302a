import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkInputs } from "../../src/domain/inputs.ts";
import { fillTemplate, unknownPlaces } from "../../src/domain/templates.ts";
import type { AgentInput, Json } from "../../src/schema/index.ts";

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
