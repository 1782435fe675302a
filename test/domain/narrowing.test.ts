import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideCall, type ToolUse } from "../../src/domain/decide-call.ts";
import { BASELINE, intersectPolicies, policyOf } from "../../src/domain/policy.ts";
import { Policy } from "../../src/schema/index.ts";
import { anyDefinition, anyPolicy, anyToolUse, samplePolicy } from "./samples.ts";

const STRICTNESS = ["deny", "ask", "allow"];
const leave = (policy: Policy, use: ToolUse): number => STRICTNESS.indexOf(decideCall(policy, use).verdict);
const many = { numRuns: 500 };

describe("what two policies allow together", () => {
  it("is never more than either of them allows", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyToolUse, (a, b, use) => {
        const both = intersectPolicies(a, b);
        expect(leave(both, use)).toBeLessThanOrEqual(leave(a, use));
        expect(leave(both, use)).toBeLessThanOrEqual(leave(b, use));
        expect(a.env.allow).toEqual(expect.arrayContaining(both.env.allow));
        expect(b.env.allow).toEqual(expect.arrayContaining(both.env.allow));
      }),
      many,
    );
  });

  it("is not less than what both of them allow", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyToolUse, (a, b, use) => {
        const least = Math.min(leave(a, use), leave(b, use));
        expect(leave(intersectPolicies(a, b), use)).toBeGreaterThanOrEqual(least);
      }),
      many,
    );
  });

  it("does not depend on which comes first", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyToolUse, (a, b, use) => {
        const [one, other] = [intersectPolicies(a, b), intersectPolicies(b, a)];
        expect(leave(one, use)).toBe(leave(other, use));
        expect(one.env.allow.toSorted()).toEqual(other.env.allow.toSorted());
      }),
      many,
    );
  });

  it("is what one allows, if both are the same", () => {
    fc.assert(
      fc.property(anyPolicy, anyToolUse, (policy, use) => {
        const twice = intersectPolicies(policy, policy);
        expect(leave(twice, use)).toBe(leave(policy, use));
        expect(twice.env).toEqual(policy.env);
      }),
    );
  });

  it("does not depend on the order in which three meet", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyPolicy, anyToolUse, (a, b, c, use) => {
        const left = intersectPolicies(intersectPolicies(a, b), c);
        const right = intersectPolicies(a, intersectPolicies(b, c));
        expect(leave(left, use)).toBe(leave(right, use));
      }),
      many,
    );
  });

  it("is a policy again, and both stay as they were", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, (a, b) => {
        const copies = structuredClone([a, b]);
        const both = intersectPolicies(a, b);
        expect(Policy.parse(both)).toEqual(both);
        expect([a, b]).toEqual(copies);
      }),
    );
  });

  it("says each author's rules once, however deep the tree", () => {
    const layer = { from: "user", allow: null, ask: ["Bash"], deny: [] };
    const policy = samplePolicy({ tools: [layer, { ...layer, from: "agent a" }] });
    const deep = [1, 2, 3].reduce((parent) => intersectPolicies(parent, policy), policy);
    expect(deep.tools).toEqual(policy.tools);
  });
});

describe("networks together", () => {
  it.each([
    [true, true, true],
    [true, false, false],
    [false, ["example.com"], false],
    [true, ["example.com"], ["example.com"]],
    [["example.com", "a.test"], ["example.com", "b.test"], ["example.com"]],
    [["*.example.com"], ["api.example.com", "other.test"], ["api.example.com"]],
    [["*.example.com"], ["*.api.example.com"], ["*.api.example.com"]],
    [["*.example.com"], ["example.com"], false],
    [["*.example.com"], ["badexample.com"], false],
    [["a.test"], ["b.test"], false],
    [["a.test"], [], false],
  ])("%j and %j leave %j", (a, b, expected) => {
    const networkOf = (one: Policy["network"], other: Policy["network"]) =>
      intersectPolicies(samplePolicy({ network: one }), samplePolicy({ network: other })).network;
    expect(networkOf(a, b)).toEqual(expected);
    expect(networkOf(b, a)).toEqual(expected);
  });
});

describe("a child of a child", () => {
  it("never gets more than the root of its tree, nor the root more than the baseline", () => {
    const anyBaseline = fc.constantFrom(BASELINE, samplePolicy());
    const anyLine = fc.array(anyDefinition, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(anyBaseline, anyLine, anyToolUse, (baseline, agents, use) => {
        // As a task is admitted: the child's own wish, cut down to what its parent may.
        const line = [baseline];
        for (const agent of agents) line.push(intersectPolicies(line.at(-1) ?? baseline, policyOf(agent, baseline)));
        const leaves = line.map((policy) => leave(policy, use));
        expect(leaves).toEqual(leaves.toSorted((a, b) => b - a));
        for (const [index, { env }] of line.slice(1).entries()) {
          expect(line[index]?.env.allow).toEqual(expect.arrayContaining(env.allow));
        }
      }),
      many,
    );
  });
});
