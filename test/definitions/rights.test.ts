import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/domain/canonical-json.ts";
import { decideCall, type ToolUse } from "../../src/domain/decide-call.ts";
import { BASELINE, policyOf } from "../../src/domain/policy.ts";
import { rightsOf, widened } from "../../src/domain/rights.ts";
import { AgentDefinition } from "../../src/schema/index.ts";

const tools = fc.uniqueArray(fc.constantFrom("Read", "Write", "Bash", "WebFetch", "Grep", "*"), { maxLength: 4 });
const scopes = fc.uniqueArray(fc.constantFrom(".", "src", "src/deep", "docs", "/etc", "../up"), { maxLength: 3 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const definition = fc
  .record({
    permission_mode: fc.constantFrom("plan", "denyUnasked", "default", "acceptEdits", "auto"),
    tools: optional(
      fc.oneof(
        tools,
        fc.record({ mode: fc.constantFrom("allowlist", "denylist"), allow: tools, ask: tools, deny: tools }),
      ),
    ),
    policy: fc.record({
      fs: optional(fc.record({ read: optional(scopes), write: optional(scopes) })),
      network: optional(
        fc.oneof(fc.boolean(), fc.uniqueArray(fc.constantFrom("a.org", "*.a.org", "x.a.org", "b.org"))),
      ),
    }),
    workspace: fc.record({ allow_writes: fc.boolean() }),
  })
  .map((fields) => AgentDefinition.parse({ name: "a", description: "d", ...JSON.parse(JSON.stringify(fields)) }));

const USES: readonly ToolUse[] = [
  ...["src/x", "src/deep/y", "docs/z", "/etc/passwd", "other"].flatMap((path) => [
    { tool: "Read", effect: "read", path } as const,
    { tool: "Grep", effect: "read", path } as const,
    { tool: "Write", effect: "write", path } as const,
  ]),
  { tool: "Bash", effect: "exec" },
  ...["a.org", "x.a.org", "b.org", "c.org"].map((host) => ({ tool: "WebFetch", effect: "net", host }) as const),
];

const RANK = { deny: 0, ask: 1, allow: 2 } as const;

describe("rights that are no wider than others", () => {
  it("let nothing happen that the others would not", () => {
    fc.assert(
      fc.property(definition, definition, (before, now) => {
        fc.pre(widened(rightsOf(now), rightsOf(before)).length === 0);
        const [seen, wanted] = [policyOf(before, BASELINE), policyOf(now, BASELINE)];
        const more = USES.filter((use) => RANK[decideCall(wanted, use).verdict] > RANK[decideCall(seen, use).verdict]);
        expect(more).toEqual([]);
      }),
      { numRuns: 300, maxSkipsPerRun: 1_000 },
    );
  });

  it("are those that they were", () => {
    fc.assert(
      fc.property(definition, (one) => {
        expect(widened(rightsOf(one), rightsOf(one))).toEqual([]);
      }),
    );
  });
});

describe("a tool that is asked about", () => {
  const rights = (allow: string[], ask: string[], mode: "allowlist" | "denylist" = "allowlist") =>
    rightsOf(AgentDefinition.parse({ name: "a", description: "d", tools: { mode, allow, ask } }));

  it.each([
    ["is a right in an allowlist", rights(["Read"], ["Bash"]), rights(["Read"], []), ["tools: Bash"]],
    ["is none beside having it unasked", rights(["Read"], ["Bash"]), rights(["Read", "Bash"], []), []],
    ["is less than having it unasked", rights(["Read", "Bash"], []), rights(["Read"], ["Bash"]), ["tools: Bash"]],
    ["is less for all than for one", rights(["Read", "Bash"], []), rights(["Read"], ["*"]), ["tools: Bash, *"]],
    ["is a restriction in a denylist", rights([], ["Bash"], "denylist"), rights([], [], "denylist"), []],
  ])("%s", (_, now, before, words) => {
    expect(widened(now, before)).toEqual(words);
  });
});

describe("canonical JSON", () => {
  it("is one text for one value, whatever the order of its keys", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as never);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("delegation", () => {
  it.each([
    "Task",
    "Task(x)",
    "delegate_to_agent",
    "spawn_subagent",
    "glee_task",
    "request_review",
    "agent:x",
    "agent:*",
  ])("by %s is a right that has to be seen, in an allowlist and in a denylist", (name) => {
    for (const mode of ["allowlist", "denylist"] as const) {
      const asked = AgentDefinition.parse({ name: "a", description: "d", tools: { mode, allow: [name] } });
      expect(rightsOf(asked).delegates).toBe(true);
    }
  });
});
