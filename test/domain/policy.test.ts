import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideCall, isOffered, type ToolUse } from "../../src/domain/decide-call.ts";
import { BASELINE, intersectPolicies, policyOf, spawnGrants } from "../../src/domain/policy.ts";
import { rightsOf } from "../../src/domain/rights.ts";
import { type AgentDefinition, Effect, Policy, type ToolRules } from "../../src/schema/index.ts";
import { anyDefinition, anyPolicy, anyToolUse, sampleDefinition, samplePolicy } from "./samples.ts";

const rules = (more: Partial<ToolRules>): ToolRules => ({ from: "user", allow: null, ask: [], deny: [], ...more });

describe("the mode", () => {
  const table = [
    ["plan", { read: "allow", write: "deny", exec: "deny", net: "allow", delegate: "allow", none: "allow" }],
    ["denyUnasked", { read: "allow", write: "deny", exec: "deny", net: "deny", delegate: "allow", none: "allow" }],
    ["default", { read: "allow", write: "ask", exec: "ask", net: "ask", delegate: "allow", none: "allow" }],
    ["acceptEdits", { read: "allow", write: "allow", exec: "ask", net: "ask", delegate: "allow", none: "allow" }],
    ["auto", { read: "allow", write: "allow", exec: "allow", net: "allow", delegate: "allow", none: "allow" }],
  ] as const;
  const cells = table.flatMap(([mode, row]) =>
    Object.entries(row).map(([effect, verdict]) => [mode, effect as Effect, verdict] as const),
  );

  it.each(cells)("%s meets %s with %s, and is named as the rule where it decides", (mode, effect, verdict) => {
    const use = { tool: "Tool", effect, path: "src/a.ts", host: "example.com" };
    expect(decideCall(samplePolicy({ modes: [mode] }), use)).toEqual({ verdict, rule: `mode ${mode}` });
  });

  it("is one of several where a parent has another: each of them must allow", () => {
    const both = samplePolicy({ modes: ["plan", "default"] });
    expect(decideCall(both, { tool: "WebFetch", effect: "net", host: "example.com" })).toEqual({
      verdict: "ask",
      rule: "mode default",
    });
    expect(decideCall(both, { tool: "Write", effect: "write", path: "a" })).toEqual({
      verdict: "deny",
      rule: "mode plan",
    });
  });

  it("denyUnasked denies what another layer would ask", () => {
    const policy = samplePolicy({ modes: ["denyUnasked"], tools: [rules({ ask: ["Read"] })] });
    const decision = decideCall(policy, { tool: "Read", effect: "read", path: "a" });
    expect(decision).toEqual({ verdict: "deny", rule: "user: ask Read, and mode denyUnasked does not ask" });
  });
});

describe("rules about tools", () => {
  const use = { tool: "Bash", effect: "none" } as const;
  const everywhere = { allow: ["Bash"], ask: ["Bash"], deny: ["Bash"] };

  it.each([
    ["a deny before an ask and an allow", [rules(everywhere)], "deny", "user: deny Bash"],
    ["an ask before an allow", [rules({ ...everywhere, deny: [] })], "ask", "user: ask Bash"],
    ["an allow", [rules({ allow: ["Bash"] })], "allow", "mode auto"],
    ["a list of tools that lacks it", [rules({ allow: ["Read"] })], "deny", "user: Bash is not among its tools"],
    ["an empty list of tools", [rules({ allow: [] })], "deny", "user: Bash is not among its tools"],
    ["no word on it", [rules({ ask: ["Read"], deny: ["Write"] })], "allow", "mode auto"],
    ["no layer at all", [], "allow", "mode auto"],
    [
      "the strictest of several layers, whatever their order",
      [rules({ allow: ["Bash"] }), rules({ from: "agent a", deny: ["Bash"] }), rules({ from: "b", ask: ["Bash"] })],
      "deny",
      "agent a: deny Bash",
    ],
    ["a name in another case as another tool", [rules({ deny: ["bash"] })], "allow", "mode auto"],
  ] as const)("take %s", (_, tools, verdict, rule) => {
    expect(decideCall(samplePolicy({ tools: [...tools] }), use)).toEqual({ verdict, rule });
  });

  it("do not widen what the mode denies or asks", () => {
    const tools = [rules({ allow: ["Edit"] })];
    const write = { tool: "Edit", effect: "write", path: "a.ts" } as const;
    expect(decideCall(samplePolicy({ modes: ["plan"], tools }), write).verdict).toBe("deny");
    expect(decideCall(samplePolicy({ modes: ["default"], tools }), write).verdict).toBe("ask");
  });

  it("are named before the mode, where both refuse", () => {
    const plan = samplePolicy({ modes: ["plan"], tools: [rules({ deny: ["Edit"] })] });
    expect(decideCall(plan, { tool: "Edit", effect: "write", path: "a.ts" }).rule).toBe("user: deny Edit");
  });

  it("can ask for what the mode would allow", () => {
    const tools = [rules({ ask: ["Read"] })];
    const read = { tool: "Read", effect: "read", path: "a.ts" } as const;
    expect(decideCall(samplePolicy({ tools }), read)).toEqual({ verdict: "ask", rule: "user: ask Read" });
  });
});

describe("files", () => {
  const policy = samplePolicy({ fs: { read: ["."], write: ["src", "docs/"] } });

  it.each([
    ["write", "src/a.ts", "allow"],
    ["write", "src", "allow"],
    ["write", "./src/../src/a.ts", "allow"],
    ["write", "docs/guide/a.md", "allow"],
    ["write", "src2/a.ts", "deny"],
    ["write", "srcfile", "deny"],
    ["write", "src/../package.json", "deny"],
    ["write", "package.json", "deny"],
    ["write", "/src/a.ts", "deny"],
    ["read", "package.json", "allow"],
    ["read", "src/../package.json", "allow"],
    ["read", "../other/secret", "deny"],
    ["read", "src/../../secret", "deny"],
    ["read", "/etc/passwd", "deny"],
  ] as const)("to %s %s: %s", (effect, path, verdict) => {
    expect(decideCall(policy, { tool: "Tool", effect, path }).verdict).toBe(verdict);
  });

  it("that are out of reach are named, with what is in reach", () => {
    expect(decideCall(policy, { tool: "Write", effect: "write", path: "src2/a.ts" }).rule).toBe(
      "fs.write: src2/a.ts is outside of [src, docs/]",
    );
  });

  it("are not what a path of another effect is about", () => {
    expect(decideCall(policy, { tool: "Bash", effect: "exec", path: "/usr/bin/ls" }).verdict).toBe("allow");
  });
});

describe("the network", () => {
  const listed = ["example.com", "*.example.org"];

  it.each([
    ["is open", true, "anything.test", "allow"],
    ["is open to a call without a known host", true, undefined, "allow"],
    ["is closed", false, "example.com", "deny"],
    ["has a list that names the host", listed, "example.com", "allow"],
    ["has a list without the host", listed, "example.net", "deny"],
    ["lists a domain, for a host in it", listed, "api.example.org", "allow"],
    ["lists a domain, for a host deep in it", listed, "v1.api.example.org", "allow"],
    ["lists a domain's hosts, not the bare domain", listed, "example.org", "deny"],
    ["lists a domain, for one that only ends alike", listed, "badexample.org", "deny"],
    ["lists a host, for one below it", listed, "api.example.com", "deny"],
    ["lists a host, for one that begins alike", listed, "example.com.evil.test", "deny"],
    ["has a list, for a call without a known host", listed, undefined, "deny"],
    ["has an empty list", [], "example.com", "deny"],
  ] as const)("that %s", (_, network, host, verdict) => {
    const policy = samplePolicy({ network: typeof network === "boolean" ? network : [...network] });
    expect(decideCall(policy, { tool: "Fetch", effect: "net", host }).verdict).toBe(verdict);
  });

  it("says which rule refused a host", () => {
    const use = { tool: "Fetch", effect: "net", host: "example.net" } as const;
    expect(decideCall(samplePolicy({ network: false }), use).rule).toBe("network: false");
    expect(decideCall(samplePolicy({ network: listed }), use).rule).toBe("network: example.net is not listed");
    expect(decideCall(samplePolicy({ network: listed }), { tool: "Fetch", effect: "net" }).rule).toContain("no host");
  });

  it("is no concern of calls that do not use it", () => {
    const use = { tool: "Read", effect: "read", path: "a.ts", host: "example.net" } as const;
    expect(decideCall(samplePolicy({ network: false }), use).verdict).toBe("allow");
  });
});

describe("every decision", () => {
  it("names the rule that gave it, and is the same when asked again", () => {
    fc.assert(
      fc.property(anyPolicy, anyToolUse, (policy, use) => {
        const decision = decideCall(policy, use);
        expect(decision.rule.trim()).not.toBe("");
        expect(decideCall(policy, use)).toEqual(decision);
      }),
    );
  });
});

describe("an agent that says nothing about what it may do", () => {
  const policy = policyOf(sampleDefinition(), BASELINE);

  it("reads the project, writes nothing, has no network and is asked about the rest", () => {
    expect(policy).toEqual({
      modes: ["default"],
      tools: [{ from: "agent Explore", allow: null, ask: [], deny: ["Task", "TaskOutput", "TaskStop"] }],
      fs: { read: ["."], write: [] },
      network: false,
      env: { allow: ["PATH", "HOME", "LANG"] },
      grants: [],
      spawn: "allow",
    });
  });

  it("cannot write even if its mode would let it", () => {
    const bold = policyOf(sampleDefinition({ permission_mode: "auto" }), BASELINE);
    expect(decideCall(bold, { tool: "Write", effect: "write", path: "a.ts" }).verdict).toBe("deny");
  });

  it("takes reading, network and environment from a wider baseline, and still writes nothing", () => {
    const wide = samplePolicy({
      fs: { read: [".", "/srv/shared"], write: ["."] },
      network: true,
      env: { allow: ["CI"] },
    });
    expect(policyOf(sampleDefinition(), wide)).toMatchObject({
      fs: { read: [".", "/srv/shared"], write: [] },
      network: true,
      env: { allow: ["CI"] },
    });
  });
});

describe("what an agent says about files, network and environment", () => {
  it("is taken as it stands", () => {
    const definition = sampleDefinition({
      permission_mode: "acceptEdits",
      policy: { fs: { read: ["src"], write: ["src/out"] }, network: ["example.com"], env: { allow: ["CI"] } },
    });
    expect(policyOf(definition, BASELINE)).toMatchObject({
      modes: ["acceptEdits"],
      fs: { read: ["src"], write: ["src/out"] },
      network: ["example.com"],
      env: { allow: ["CI"] },
    });
  });

  it("opens the project for writing by the workspace, unless it names the places", () => {
    const workspace = { allow_writes: true };
    expect(policyOf(sampleDefinition({ workspace }), BASELINE).fs.write).toEqual(["."]);
    const named = sampleDefinition({ workspace, policy: { fs: { write: ["docs"] } } });
    expect(policyOf(named, BASELINE).fs.write).toEqual(["docs"]);
  });
});

describe("what an agent says about tools", () => {
  type Tools = AgentDefinition["tools"];
  const all = ["Read", "Bash", "Write"];
  const table: readonly (readonly [string, Tools, readonly string[]])[] = [
    ["a list", ["Read", "Bash"], ["Read", "Bash"]],
    ["an empty list", [], []],
    ["a star", ["*"], all],
    ["a star among others", ["Read", "*"], all],
    ["an allowlist", { mode: "allowlist", allow: ["Read", "Bash"], ask: [], deny: ["Bash"] }, ["Read"]],
    ["a denylist", { mode: "denylist", allow: [], ask: [], deny: ["Bash"] }, ["Read", "Write"]],
    ["nothing", undefined, all],
  ];

  it.each(table)("as %s lets it use just those", (_, tools, usable) => {
    const policy = { ...samplePolicy(), tools: policyOf(sampleDefinition({ tools }), BASELINE).tools };
    const allowed = all.filter((tool) => decideCall(policy, { tool, effect: "none" }).verdict === "allow");
    expect(allowed).toEqual(usable);
  });

  it("may be that some are asked", () => {
    const tools = { mode: "denylist" as const, ask: ["Bash"] };
    const policy = { ...samplePolicy(), tools: policyOf(sampleDefinition({ tools }), BASELINE).tools };
    expect(decideCall(policy, { tool: "Bash", effect: "none" })).toEqual({
      verdict: "ask",
      rule: "agent Explore: ask Bash",
    });
  });

  describe("and wants to be asked about, in an allowlist,", () => {
    const tools = {
      mode: "allowlist" as const,
      allow: ["Read", "Bash(git diff *)"],
      ask: ["Bash(git push *)", "Write"],
    };
    const layers = policyOf(sampleDefinition({ tools: { ...tools, deny: ["Bash(git push -f *)"] } }), BASELINE).tools;
    const policy = samplePolicy({ modes: ["auto"], tools: layers });
    const bash = (...commands: string[]) => decideCall(policy, { tool: "Bash", effect: "exec", commands });

    it("is offered and asked; a deny outranks it, and what nobody names stays closed", () => {
      expect(isOffered(policy, { name: "Write", effect: "write" }, false)).toBe(true);
      expect(decideCall(policy, { tool: "Write", effect: "none" })).toEqual({
        verdict: "ask",
        rule: "agent Explore: ask Write",
      });
      expect(bash("git push origin")).toEqual({ verdict: "ask", rule: "agent Explore: ask Bash(git push *)" });
      expect(bash("git diff x").verdict).toBe("allow");
      expect(bash("git diff x", "git push origin").verdict).toBe("ask");
      expect(bash("git push -f origin").verdict).toBe("deny");
      expect(bash("git push origin", "rm x").verdict).toBe("deny");
      expect(decideCall(policy, { tool: "Edit", effect: "none" }).verdict).toBe("deny");
      expect(isOffered(policy, { name: "Edit", effect: "write" }, false)).toBe(false);
    });

    it("is denied where nobody is asked, and where a parent has no word for it", () => {
      const unasked = { ...policy, modes: ["denyUnasked" as const] };
      expect(decideCall(unasked, { tool: "Write", effect: "none" }).verdict).toBe("deny");
      const parent = policyOf(sampleDefinition({ name: "lead", tools: ["Read"] }), BASELINE);
      expect(decideCall(intersectPolicies(parent, policy), { tool: "Write", effect: "none" }).verdict).toBe("deny");
    });

    it("is asked of a child that may do it by itself", () => {
      const child = policyOf(sampleDefinition({ name: "kid", tools: ["Write"] }), BASELINE);
      expect(decideCall(intersectPolicies(policy, child), { tool: "Write", effect: "none" }).verdict).toBe("ask");
    });

    it("may be another agent: it is started when somebody agrees", () => {
      const lead = sampleDefinition({ tools: { mode: "allowlist", allow: ["Read"], ask: ["Task(kid)"] } });
      const start = (agent: string) =>
        decideCall(policyOf(lead, BASELINE), { tool: "Task", effect: "delegate", agent }).verdict;
      expect([start("kid"), start("other")]).toEqual(["ask", "deny"]);
      expect(spawnGrants(lead)).toEqual([]);
      expect(rightsOf(lead).delegates).toBe(true);
    });
  });

  it("is named by the agent in a refusal", () => {
    const policy = policyOf(sampleDefinition({ tools: ["Read"] }), BASELINE);
    expect(decideCall(policy, { tool: "Bash", effect: "none" }).rule).toBe(
      "agent Explore: Bash is not among its tools",
    );
  });
});

describe("the right to delegate", () => {
  const DELEGATION = ["Task", "TaskOutput", "TaskStop"];
  type Definition = NonNullable<Parameters<typeof sampleDefinition>[0]>;
  const table: readonly (readonly [string, Definition, readonly string[]])[] = [
    ["silence", {}, []],
    ["a star", { tools: ["*"] }, []],
    ["a wildcard that would fit", { tools: ["T*"] }, []],
    ["a denylist", { tools: { mode: "denylist", deny: ["Bash"] } }, []],
    ["its name", { tools: ["Read", "Task"] }, ["Task"]],
    ["its name beside a star", { tools: ["*", "TaskStop"] }, ["TaskStop"]],
    ["its name in a denylist", { tools: { mode: "denylist", allow: ["Task"] } }, ["Task"]],
    ["its name, for this agent", { tools: ["Task(oracle)"] }, ["Task"]],
    ["its name, for another agent", { tools: ["Task(reviewer)"] }, []],
    ["its name that is denied as well", { tools: { mode: "allowlist", allow: ["Task"], deny: ["Task"] } }, []],
    ["the capability orchestrator", { capabilities: ["orchestrator"] }, DELEGATION],
    ["that capability, beside a list", { capabilities: ["orchestrator"], tools: ["Read"] }, DELEGATION],
    [
      "that capability, less what is denied",
      { capabilities: ["orchestrator"], tools: { mode: "denylist", deny: ["Task"] } },
      ["TaskOutput", "TaskStop"],
    ],
    ["a tape that does it", { tape: [{ delegate: "oracle", prompt: "?" }] }, ["Task"]],
    [
      "a tape that does it beside others",
      { tape: [{ together: [{ read: "a" }, { delegate: "oracle", prompt: "?" }] }] },
      ["Task"],
    ],
    ["a tape that does not", { tape: [{ say: "hi" }] }, []],
    [
      "a tape that does it, against a list without",
      { tape: [{ delegate: "oracle", prompt: "?" }], tools: ["Read"] },
      [],
    ],
  ];

  it.each(table)("by %s", (_, more, given) => {
    const policy = policyOf(sampleDefinition(more), BASELINE);
    const use = { effect: "delegate", agent: "oracle" } as const;
    expect(DELEGATION.filter((tool) => decideCall(policy, { ...use, tool }).verdict === "allow")).toEqual(given);
  });

  it("is not inherited by a child that does not name it", () => {
    const parent = policyOf(sampleDefinition({ capabilities: ["orchestrator"] }), BASELINE);
    const child = intersectPolicies(parent, policyOf(sampleDefinition({ name: "child" }), BASELINE));
    expect(decideCall(child, { tool: "Task", effect: "delegate", agent: "oracle" }).rule).toBe(
      "agent child: deny Task",
    );
  });

  it("leaves other tools as they are", () => {
    const policy = policyOf(sampleDefinition({ tools: ["Read"], capabilities: ["orchestrator"] }), BASELINE);
    expect(decideCall(policy, { tool: "Bash", effect: "none" }).verdict).toBe("deny");
  });
});

describe("grants", () => {
  it("come from the baseline, and hold for parent and child only where both have them", () => {
    const baseline = { ...BASELINE, grants: ["Bash(git *)", "Edit"] };
    expect(policyOf(sampleDefinition(), baseline).grants).toEqual(["Bash(git *)", "Edit"]);
    const [a, b] = [samplePolicy({ grants: ["Edit", "Bash"] }), samplePolicy({ grants: ["Bash", "Write"] })];
    expect(intersectPolicies(a, b).grants).toEqual(["Bash"]);
  });

  it("are none in a log that was written before there were any", () => {
    const { grants: _, ...before } = samplePolicy();
    expect(Policy.parse(before)).toEqual(samplePolicy());
  });
});

describe("the baseline", () => {
  it("is a valid policy without network", () => {
    expect(Policy.parse(BASELINE)).toEqual(BASELINE);
    expect(decideCall(BASELINE, { tool: "Fetch", effect: "net", host: "example.com" }).verdict).toBe("deny");
  });
});

const STRICTNESS = ["deny", "ask", "allow"];
const verdictOf = (policy: Policy, use: ToolUse, effect: Effect): string =>
  decideCall(policy, { ...use, effect }).verdict;
const verdicts = (policy: Policy, use: ToolUse): string[] =>
  Effect.options.map((effect) => verdictOf(policy, use, effect));

/** The effects that such a call may have under the first policy, and not as freely under the second. */
const widened = (narrow: Policy, wide: Policy, use: ToolUse): Effect[] =>
  Effect.options.filter(
    (effect) => STRICTNESS.indexOf(verdictOf(narrow, use, effect)) > STRICTNESS.indexOf(verdictOf(wide, use, effect)),
  );
const many = { numRuns: 200 };

describe("what two policies allow together", () => {
  it("is never more than either of them allows", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyToolUse, (a, b, use) => {
        const both = intersectPolicies(a, b);
        expect([...widened(both, a, use), ...widened(both, b, use)]).toEqual([]);
        expect(a.env.allow).toEqual(expect.arrayContaining(both.env.allow));
        expect(b.env.allow).toEqual(expect.arrayContaining(both.env.allow));
      }),
      many,
    );
  });

  it("is not less than what both of them allow without asking", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyToolUse, (a, b, use) => {
        const both = intersectPolicies(a, b);
        const freely = Effect.options.filter((effect) =>
          [a, b].every((one) => verdictOf(one, use, effect) === "allow"),
        );
        expect(freely.filter((effect) => verdictOf(both, use, effect) !== "allow")).toEqual([]);
      }),
      many,
    );
  });

  it("does not depend on which comes first", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyToolUse, (a, b, use) => {
        const [one, other] = [intersectPolicies(a, b), intersectPolicies(b, a)];
        expect(verdicts(one, use)).toEqual(verdicts(other, use));
        expect(one.env.allow.toSorted()).toEqual(other.env.allow.toSorted());
      }),
      many,
    );
  });

  it("is what one allows, if both are the same", () => {
    fc.assert(
      fc.property(anyPolicy, anyToolUse, (policy, use) => {
        const twice = intersectPolicies(policy, policy);
        expect(verdicts(twice, use)).toEqual(verdicts(policy, use));
        expect(twice.env).toEqual(policy.env);
      }),
    );
  });

  it("does not depend on the order in which three meet", () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyPolicy, anyToolUse, (a, b, c, use) => {
        const left = intersectPolicies(intersectPolicies(a, b), c);
        const right = intersectPolicies(a, intersectPolicies(b, c));
        expect(verdicts(left, use)).toEqual(verdicts(right, use));
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
        for (const [index, policy] of line.slice(1).entries()) {
          for (const above of line.slice(0, index + 1)) {
            expect(widened(policy, above, use)).toEqual([]);
            expect(above.env.allow).toEqual(expect.arrayContaining(policy.env.allow));
          }
        }
      }),
      many,
    );
  });
});

describe("the names by which a definition asks for delegation", () => {
  it.each([
    ["delegate_to_agent", "builder", "allow"],
    ["spawn_subagent", "builder", "allow"],
    ["glee_task", "builder", "allow"],
    ["agent:*", "builder", "allow"],
    ["agent:builder", "builder", "allow"],
    ["agent:builder", "reviewer", "deny"],
    ["request_review", "reviewer", "allow"],
    ["request_review", "builder", "deny"],
    ["Read", "builder", "deny"],
  ])("%s: calling %s is %s", (name, agent, verdict) => {
    const policy = policyOf(sampleDefinition({ tools: [name], permission_mode: "auto" }), BASELINE);
    expect(decideCall(policy, { tool: "Task", effect: "delegate", agent }).verdict).toBe(verdict);
  });
});
