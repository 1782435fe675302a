import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillTemplate, unknownPlaces } from "../../src/domain/templates.ts";
import type { AgentInput } from "../../src/schema/index.ts";

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
      fc.string({ unit: "binary" }),
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
