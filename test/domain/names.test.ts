import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentKey } from "../../src/domain/agent-names.ts";
import { nearest } from "../../src/domain/nearest.ts";
import { parseTaskRef } from "../../src/domain/task-refs.ts";

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
