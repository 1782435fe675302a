import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideCall } from "../../src/domain/decide-call.ts";
import type { Effect, PermissionMode, ToolRules } from "../../src/schema/index.ts";
import { anyPolicy, anyToolUse, samplePolicy } from "./samples.ts";

const rules = (more: Partial<ToolRules>): ToolRules => ({ from: "user", allow: null, ask: [], deny: [], ...more });

describe("the mode", () => {
  // What plan says of the network is settled by the order of the modes: see "each mode" below.
  const table = [
    ["plan", { read: "allow", write: "deny", exec: "deny", delegate: "allow", none: "allow" }],
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
    expect(decideCall(samplePolicy({ mode }), use)).toEqual({ verdict, rule: `mode ${mode}` });
  });

  const fromNarrow: readonly PermissionMode[] = ["plan", "denyUnasked", "default", "acceptEdits", "auto"];
  const neighbours = fromNarrow.slice(1).map((wider, index) => [fromNarrow[index] ?? wider, wider] as const);
  const effects: readonly Effect[] = ["read", "write", "exec", "net", "delegate", "none"];
  const strictness = ["deny", "ask", "allow"];

  it.each(neighbours)("each mode allows no more than the next wider one: %s and %s", (narrow, wide) => {
    const rank = (mode: PermissionMode, effect: Effect): number =>
      strictness.indexOf(decideCall(samplePolicy({ mode }), { tool: "Tool", effect, host: "example.com" }).verdict);
    expect(effects.filter((effect) => rank(narrow, effect) > rank(wide, effect))).toEqual([]);
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
    expect(decideCall(samplePolicy({ mode: "plan", tools }), write).verdict).toBe("deny");
    expect(decideCall(samplePolicy({ mode: "default", tools }), write).verdict).toBe("ask");
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
