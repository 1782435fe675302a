import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideCall, isOffered, type ToolUse } from "../../src/domain/decide-call.ts";
import { intersectPolicies } from "../../src/domain/policy.ts";
import { Effect, PermissionMode, type Policy, type ToolRules } from "../../src/schema/index.ts";
import { anyPolicy, anyToolUse, samplePolicy } from "./samples.ts";

const rules = (more: Partial<ToolRules>): ToolRules => ({ from: "user", allow: null, ask: [], deny: [], ...more });
const bash = (commands: readonly string[] | null, more: Partial<ToolUse> = {}): ToolUse => ({
  tool: "Bash",
  effect: "exec",
  commands,
  ...more,
});

describe("an input that does not fit", () => {
  it("is denied before anything else is asked", () => {
    const use = { tool: "Read", effect: "read", path: "a", problem: "path: is no text" } as const;
    const policy = samplePolicy({ tools: [rules({ deny: ["Read"] })], grants: ["Read"] });
    expect(decideCall(policy, use)).toEqual({ verdict: "deny", rule: "input: path: is no text" });
  });
});

describe("a network by host and port", () => {
  const policy = samplePolicy({ modes: ["auto"], tools: [], network: ["localhost:8080", "example.com"] });
  const verdict = (host: string, port?: number) =>
    decideCall(policy, { tool: "HttpRequest", effect: "net", host, port }).verdict;

  it("covers just the port that it names, or any where it names none", () => {
    expect(verdict("localhost", 8080)).toBe("allow");
    expect(verdict("localhost", 80)).toBe("deny");
    expect(verdict("localhost")).toBe("deny");
    expect(verdict("example.com", 8443)).toBe("allow");
    expect(verdict("example.com:8080", 8080)).toBe("deny");
  });
});

describe("an edit, which shows lines of the file", () => {
  const verdict = (layer: Partial<ToolRules>, path: string | undefined, more: Partial<Policy> = {}) => {
    const fs = { read: ["."], write: ["."] };
    return decideCall(samplePolicy({ modes: ["auto"], fs, tools: [rules(layer)], ...more }), {
      tool: "Edit",
      effect: "write",
      path,
    });
  };

  it("is held to what closes the file to reading", () => {
    expect(verdict({ deny: ["Read(.env)"] }, "src/.env")).toEqual({ verdict: "deny", rule: "user: deny Read(.env)" });
    expect(verdict({ deny: ["Read(*)"] }, "src/a.ts").verdict).toBe("deny");
    expect(verdict({ ask: ["Read(.env)"] }, ".env").verdict).toBe("ask");
    const fs = { read: ["src"], write: ["."] };
    expect(verdict({}, "docs/a.md", { fs })).toMatchObject({
      verdict: "deny",
      rule: expect.stringMatching(/^fs\.read/),
    });
  });

  it("and to nothing else: not to a rule about the tool Read alone, or about other files", () => {
    expect(verdict({ deny: ["Read", "Read(.env)"] }, "src/a.ts").verdict).toBe("allow");
    expect(verdict({ allow: ["Edit"], deny: ["Read(.env)"] }, undefined).verdict).toBe("allow");
    expect(verdict({}, "src/a.ts", { fs: { read: ["src"], write: ["."] } }).verdict).toBe("allow");
  });
});

describe("rules about commands", () => {
  const table: readonly (readonly [string, Partial<ToolRules>, readonly string[] | null, string, string])[] = [
    [
      "some are allowed, and all are these",
      { allow: ["Bash(git *)", "Bash(ls *)"] },
      ["git diff", "ls"],
      "allow",
      "mode auto",
    ],
    [
      "some are allowed, and one is another",
      { allow: ["Bash(git *)"] },
      ["git diff", "rm x"],
      "deny",
      'user: no rule covers the command "rm x"; for Bash there is Bash(git *)',
    ],
    [
      "some are denied, and one is such",
      { deny: ["Bash(rm *)"] },
      ["git diff", "rm x"],
      "deny",
      "user: deny Bash(rm *)",
    ],
    ["some are denied, and none is such", { deny: ["Bash(rm *)"] }, ["git diff"], "allow", "mode auto"],
    [
      "some are asked, and one is such",
      { ask: ["Bash(git push *)"] },
      ["git push", "ls"],
      "ask",
      "user: ask Bash(git push *)",
    ],
    [
      "some are allowed, and it is not understood",
      { allow: ["Bash(git *)"] },
      null,
      "ask",
      "user: Bash(git *), and the command is not fully understood",
    ],
    [
      "some are denied, and it is not understood",
      { deny: ["Bash(rm *)"] },
      null,
      "ask",
      "user: Bash(rm *), and the command is not fully understood",
    ],
    [
      "some are asked, and it is not understood",
      { ask: ["Bash(rm *)"] },
      null,
      "ask",
      "user: Bash(rm *), and the command is not fully understood",
    ],
    ["all are allowed, and it is not understood", { allow: ["Bash"] }, null, "allow", "mode auto"],
    ["all are denied, and it is not understood", { deny: ["Bash"] }, null, "deny", "user: deny Bash"],
    [
      "a deny outranks an allow and an ask",
      { allow: ["Bash"], ask: ["Bash(rm *)"], deny: ["Bash(rm *)"] },
      ["rm x"],
      "deny",
      "user: deny Bash(rm *)",
    ],
    [
      "what is not allowed is not asked",
      { allow: ["Bash(ls *)"], ask: ["Bash(rm *)"] },
      ["rm x"],
      "deny",
      'user: no rule covers the command "rm x"; for Bash there is Bash(ls *)',
    ],
  ];

  it.each(table)("%s", (_, layer, commands, verdict, rule) => {
    expect(decideCall(samplePolicy({ tools: [rules(layer)] }), bash(commands))).toEqual({ verdict, rule });
  });

  it("are denied where they would be asked, and nobody is asked", () => {
    const policy = samplePolicy({ modes: ["denyUnasked"], tools: [rules({ deny: ["Bash(rm *)"] })] });
    expect(decideCall(policy, bash(null)).verdict).toBe("deny");
  });
});

describe("a search by a program", () => {
  const search = (path: string, tools: Policy["tools"], more: Partial<ToolUse> = { showsAllBelow: true }) =>
    decideCall(samplePolicy({ tools }), { tool: "Grep", effect: "read", path, ...more }).verdict;

  it.each([
    ["deny", ".", { deny: ["Read(secrets/**)"] }],
    ["deny", "src", { deny: ["Read(.env)"] }],
    ["deny", ".", { deny: ["Grep(a/b)"], ask: ["Read(c)"] }],
    ["ask", ".", { ask: ["Read(secrets/**)"] }],
    ["ask", "secrets", { ask: ["Read(secrets/**)"] }],
    ["allow", "src", { deny: ["Read(secrets/**)"], ask: ["Read(a/**)"] }],
    ["allow", ".", { deny: ["Edit(secrets/**)", "Bash"] }],
  ])("is %s from %s on, with %j", (verdict, path, rule) => {
    expect(search(path, [rules({}), rules(rule)])).toBe(verdict);
  });

  it("says what else there is", () => {
    const use = { tool: "Grep", effect: "read", path: ".", showsAllBelow: true } as const;
    const policy = samplePolicy({ tools: [rules({ deny: ["Read(.env)"] })] });
    expect(decideCall(policy, use).rule).toMatch(/a single file by Grep with its path, or use Read$/);
  });

  it("is more than one by a tool of ours, which leaves out what is closed", () => {
    expect(search(".", [rules({ deny: ["Read(secrets/**)"] })], {})).toBe("allow");
  });
});

describe("commands that only read", () => {
  const reading = bash(["ls"], { isReadOnly: true });

  it.each([
    ["plan", "allow", "mode plan: it only reads"],
    ["denyUnasked", "deny", "mode denyUnasked"],
    ["default", "ask", "mode default"],
    ["acceptEdits", "ask", "mode acceptEdits"],
    ["auto", "allow", "mode auto"],
  ] as const)("in mode %s: %s", (mode, verdict, rule) => {
    expect(decideCall(samplePolicy({ modes: [mode] }), reading)).toEqual({ verdict, rule });
  });

  it("are denied in mode plan where that is not proven", () => {
    for (const isReadOnly of [false, undefined]) {
      const decision = decideCall(samplePolicy({ modes: ["plan"] }), bash(["ls"], { isReadOnly }));
      expect(decision).toEqual({ verdict: "deny", rule: "mode plan" });
    }
  });

  it.each([
    ["only a part may be read", { fs: { read: ["src"], write: [] } }],
    ["a file may not be read", { tools: [rules({ deny: ["Read(.env)"] })] }],
    ["reading a file is asked", { tools: [rules({ ask: ["Read(.env)"] })] }],
    ["nothing may be read", { tools: [rules({ deny: ["Read"] })] }],
    ["a list opens only a part", { tools: [rules({ allow: ["Bash", "Read(src/**)"] })] }],
    ["a list opens only a part, and all names", { tools: [rules({ allow: ["Bash", "Glob", "Read(src/**)"] })] }],
    ["a list opens only a part to searches", { tools: [rules({ allow: ["Bash", "Grep(src/**)"] })] }],
    [
      "one list of several opens only a part",
      { tools: [rules({ allow: null }), rules({ allow: ["*"] }), rules({ allow: ["Bash", "Read(src)"] })] },
    ],
  ])("are denied in mode plan where %s", (_, more: Partial<Policy>) => {
    expect(decideCall(samplePolicy({ modes: ["plan"], ...more }), reading)).toEqual({
      verdict: "deny",
      rule: "mode plan: a command is not held to what may be read",
    });
  });

  it.each([
    ["no file", ["Bash"]],
    ["all files", ["Bash", "Read"]],
    ["all files, and some besides", ["Bash", "Read", "Read(src/**)", "Grep(src/**)"]],
    ["everything", ["*"]],
    ["all files in another spelling", ["Bash", "Read(**)"]],
  ])("are let through in mode plan where a list names %s", (_, allow) => {
    const policy = samplePolicy({ modes: ["plan"], tools: [rules({ allow })] });
    expect(decideCall(policy, reading)).toEqual({ verdict: "allow", rule: "mode plan: it only reads" });
  });

  it("are no reason to let a write through", () => {
    const write = { tool: "Write", effect: "write", path: "a", isReadOnly: true } as const;
    expect(decideCall(samplePolicy({ modes: ["plan"] }), write).verdict).toBe("deny");
  });
});

describe("a grant", () => {
  const uses: Readonly<Record<"write" | "exec" | "net", ToolUse>> = {
    write: { tool: "Edit", effect: "write", path: "src/a.ts" },
    exec: bash(["git diff"]),
    net: { tool: "WebFetch", effect: "net", host: "example.com" },
  };
  const grants = ["Edit(src/**)", "Bash(git *)", "WebFetch(domain:example.com)"];
  const cells = PermissionMode.options.flatMap((mode) =>
    (["write", "exec", "net"] as const).map((effect) => [mode, effect] as const),
  );

  it.each(cells)("in mode %s, about %s: only an asked one becomes allowed", (mode, effect) => {
    const without = decideCall(samplePolicy({ modes: [mode] }), uses[effect]);
    const withGrant = decideCall(samplePolicy({ modes: [mode], grants }), uses[effect]);
    const granted = grants[["write", "exec", "net"].indexOf(effect)] ?? "";
    expect(withGrant).toEqual(without.verdict === "ask" ? { verdict: "allow", rule: `grant ${granted}` } : without);
  });

  const policy = (more: Partial<Policy> = {}) => samplePolicy({ modes: ["default"], grants, ...more });

  it("names every rule that it took", () => {
    const two = policy({ grants: ["Bash(git *)", "Bash(ls *)"] });
    expect(decideCall(two, bash(["git diff", "ls"])).rule).toBe("grant Bash(git *), Bash(ls *)");
  });

  it.each([
    ["another command beside it", bash(["git diff", "rm x"])],
    ["a file that is written beside it", bash(["git diff", "> x"])],
    ["a command that is not understood", bash(null)],
    ["another file", { tool: "Edit", effect: "write", path: "docs/a.md" }],
    ["another tool", { tool: "Write", effect: "write", path: "src/a.ts" }],
  ] as const)("does not cover %s", (_, use) => {
    expect(decideCall(policy(), use)).toEqual({ verdict: "ask", rule: "mode default" });
  });

  it("does not outrank a rule, a scope, the network or a protected path", () => {
    const all = { grants: ["Edit", "Bash", "WebFetch"] };
    const verdict = (more: Partial<Policy>, use: ToolUse) => decideCall(policy({ ...all, ...more }), use).verdict;
    expect(verdict({ tools: [rules({ ask: ["Bash"] })] }, uses.exec)).toBe("ask");
    expect(verdict({ tools: [rules({ deny: ["Bash(git *)"] })] }, uses.exec)).toBe("deny");
    expect(verdict({ tools: [rules({ deny: ["Bash(rm *)"] })] }, bash(null))).toBe("ask");
    expect(verdict({ tools: [rules({ allow: ["Read"] })] }, uses.exec)).toBe("deny");
    expect(verdict({ fs: { read: ["."], write: ["docs"] } }, uses.write)).toBe("deny");
    expect(verdict({ network: false }, uses.net)).toBe("deny");
    expect(verdict({}, { ...uses.write, path: ".git/hooks/x" })).toBe("deny");
    expect(verdict({ modes: ["default", "plan"] }, uses.exec)).toBe("deny");
  });

  it("never makes more of two policies than each of them allows", () => {
    const rank = ["deny", "ask", "allow"];
    const anyGrants = fc.subarray(["Read", "Write", "Bash", "Fetch"]);
    const anyGranted = fc.tuple(anyPolicy, anyGrants).map(([one, given]) => ({ ...one, grants: given }));
    fc.assert(
      fc.property(anyGranted, anyGranted, anyToolUse, fc.constantFrom(...Effect.options), (a, b, use, effect) => {
        const of = (one: Policy) => rank.indexOf(decideCall(one, { ...use, effect }).verdict);
        expect(of(intersectPolicies(a, b))).toBeLessThanOrEqual(Math.min(of(a), of(b)));
      }),
    );
  });
});

describe("protected paths", () => {
  const write = (path: string) => ({ tool: "Write", effect: "write", path }) as const;

  it("are not written, whatever the scopes say, and the answer names them", () => {
    expect(decideCall(samplePolicy(), write("sub/.git/config"))).toEqual({
      verdict: "deny",
      rule: "protected: sub/.git",
    });
    const own = samplePolicy({ fs: { read: ["."], write: [".", ".cadre/workspace"] } });
    expect(decideCall(own, write(".cadre/workspace/a")).verdict).toBe("allow");
    expect(decideCall(own, write(".cadre/config.yml")).verdict).toBe("deny");
  });

  it("may be read", () => {
    expect(decideCall(samplePolicy(), { tool: "Read", effect: "read", path: ".git/config" }).verdict).toBe("allow");
  });

  it("may not be read where they are what Cadre keeps of tasks", () => {
    const read = (path: string) =>
      decideCall(samplePolicy(), { tool: "Read", effect: "read", path }, { homes: ["st"] });
    expect(read(".cadre/logs/task_1.log")).toEqual({
      verdict: "deny",
      rule: "state: .cadre/logs is Cadre's own, and not read as a file; what a task did is told by TaskOutput to who started it, and by `cadre show` to people",
    });
    expect(read("st/sessions").verdict).toBe("deny");
    expect(read(".cadre/agents/reviewer.md").verdict).toBe("allow");
    const own = samplePolicy({ fs: { read: [".", ".cadre/plans/task_1_plan.md"], write: ["."] } });
    const plan = (id: string) =>
      decideCall(own, { tool: "Read", effect: "read", path: `.cadre/plans/task_${id}_plan.md` }).verdict;
    expect([plan("1"), plan("2")]).toEqual(["allow", "deny"]);
  });

  it("are those of a home that is given, too", () => {
    expect(decideCall(samplePolicy(), write("state/config.yml"), { homes: ["state"] }).rule).toBe("protected: state");
    expect(decideCall(samplePolicy(), write("state/config.yml")).verdict).toBe("allow");
  });
});

describe("a tool is shown to the model", () => {
  const table: readonly (readonly [string, string, Effect, Partial<Policy>, boolean, boolean])[] = [
    ["where nothing is against it", "Bash", "exec", {}, false, true],
    ["not where a layer denies it whole", "Bash", "exec", { tools: [rules({ deny: ["Bash"] })] }, true, false],
    ["not where a layer denies it by a wildcard", "Bash", "exec", { tools: [rules({ deny: ["*"] })] }, true, false],
    ["not where all uses are denied", "Bash", "exec", { tools: [rules({ deny: ["Bash(*)"] })] }, true, false],
    ["where some uses are denied", "Bash", "exec", { tools: [rules({ deny: ["Bash(rm *)"] })] }, false, true],
    ["where it is asked", "Bash", "exec", { tools: [rules({ ask: ["Bash"] })] }, false, true],
    ["where some uses are allowed", "Bash", "exec", { tools: [rules({ allow: ["Bash(git *)"] })] }, false, true],
    ["not where a list lacks it", "Bash", "exec", { tools: [rules({ allow: ["Read"] })] }, false, false],
    [
      "not where only a star would give the right to delegate",
      "Task",
      "delegate",
      { tools: [rules({ allow: ["*"] })] },
      false,
      false,
    ],
    ["not where there is no network", "WebFetch", "net", { network: false }, true, false],
    ["where there is some network", "WebFetch", "net", { network: ["example.com"] }, false, true],
    ["not to write in mode plan", "Write", "write", { modes: ["plan"] }, true, false],
    ["to read in mode plan", "Read", "read", { modes: ["plan"] }, false, true],
    ["not as a shell in mode plan", "Bash", "exec", { modes: ["plan"] }, false, false],
    ["as a shell in mode plan where the agent names it", "Bash", "exec", { modes: ["plan"] }, true, true],
    ["not as another program in mode plan", "mcp__a__run", "exec", { modes: ["plan"] }, true, false],
    ["not where it would always be denied", "Write", "write", { modes: ["denyUnasked"] }, true, false],
    ["not as a shell where another mode denies it", "Bash", "exec", { modes: ["plan", "denyUnasked"] }, true, false],
  ];

  it.each(table)("%s", (_, name, effect, more, isNamed, expected) => {
    expect(isOffered(samplePolicy(more), { name, effect }, isNamed)).toBe(expected);
  });

  it("whenever some use of it could be allowed or asked", () => {
    fc.assert(
      fc.property(anyPolicy, anyToolUse, (policy, use) => {
        const { tool: name, effect } = use;
        const isPossible = decideCall(policy, use).verdict !== "deny";
        expect(isOffered(policy, { name, effect }, true) || !isPossible).toBe(true);
      }),
    );
  });
});

describe("what is run later", () => {
  const write = (path: string) => ({ tool: "Write", effect: "write", path }) as const;
  const auto = (change: Partial<Policy> = {}) =>
    samplePolicy({ modes: ["auto"], fs: { read: ["."], write: ["."] }, ...change });

  it("is asked about in the project, in the mode that asks nothing, and by its name", () => {
    const { verdict, rule } = decideCall(auto(), write("sub/package.json"));
    expect([verdict, rule]).toEqual(["ask", expect.stringContaining("runs later: sub/package.json")]);
    expect(decideCall(auto(), write("sub/index.ts")).verdict).toBe("allow");
    expect(decideCall(auto({ modes: ["auto", "denyUnasked"] }), write("Makefile")).verdict).toBe("deny");
    expect(decideCall(auto(), { tool: "Read", effect: "read", path: "package.json" }).verdict).toBe("allow");
  });

  it("says why it is asked, and asks for itself where a rule asks about every write", () => {
    const asking = auto({ tools: [{ from: "user", allow: null, ask: ["Write"], deny: [] }] });
    for (const policy of [auto(), asking])
      expect(decideCall(policy, write("sub/package.json"))).toMatchObject({
        verdict: "ask",
        rule: expect.stringContaining("runs later: sub/package.json"),
        why: 'whoever installs, builds, tests or opens the project runs "package.json", outside of any sandbox',
      });
    expect(decideCall(auto(), write("sub/AGENTS.md"))).toMatchObject({
      verdict: "ask",
      rule: expect.stringContaining("runs later: sub/agents.md"),
      why: `every agent that works here later is told what "agents.md" says, as the project's own word`,
    });
    const { why = "" } = decideCall(auto(), write(`sub/${" ".repeat(300)}\n\u001b[2K.gemspec`));
    expect(why.length).toBeLessThan(150);
    expect(decideCall(auto(), write("a/\n.gemspec")).why).toContain('"\\n.gemspec"');
    expect(decideCall(asking, write("a.ts"))).toEqual({ verdict: "ask", rule: "user: ask Write" });
    const denying = auto({ tools: [{ from: "user", allow: null, ask: [], deny: ["Write"] }] });
    expect(decideCall(denying, write("package.json"))).toEqual({ verdict: "deny", rule: "user: deny Write" });
  });

  it("is like any other file in a tree of its own, and where a scope names it", () => {
    expect(decideCall(auto(), write("package.json"), { isOwnTree: true }).verdict).toBe("allow");
    expect(decideCall(auto({ fs: { read: ["."], write: [".", "package.json"] } }), write("package.json")).verdict).toBe(
      "allow",
    );
    expect(decideCall(auto(), write(".npmrc"), { isOwnTree: true }).verdict).toBe("deny");
  });

  it("is opened by a grant for this very file, and by none for all", () => {
    const by = (...grants: string[]) => decideCall(auto({ grants }), write("package.json"));
    expect(by("Write(package.json)")).toEqual({ verdict: "allow", rule: "grant Write(package.json)" });
    for (const grant of ["Write", "Write(*)", "Write(**/package.json)", "*", "Write(other/package.json)"])
      expect(by(grant).verdict).toBe("ask");
  });
});

describe("a use that no rule of its tool covers", () => {
  const refused = (allow: string[], use: Parameters<typeof decideCall>[1]) =>
    decideCall(samplePolicy({ tools: [rules({ allow })] }), use);

  it.each([
    [
      ["Bash(ls:*)"],
      { tool: "Bash", effect: "exec", commands: ["ls", "id", "id", "rm -rf x"] },
      'the command "id", "rm -rf x"; for Bash there is Bash(ls:*)',
    ],
    [
      ["Write(src/**)", "Read"],
      { tool: "Write", effect: "write", path: "x.txt" },
      'the path "x.txt"; for Write there is Write(src/**)',
    ],
    [
      ["WebFetch(domain:example.org)"],
      { tool: "WebFetch", effect: "net", host: "example.com" },
      'the host "example.com"; for WebFetch there is WebFetch(domain:example.org)',
    ],
    [
      ["Task(kid)", "Task(o*)"],
      { tool: "Task", effect: "delegate", agent: "kidd" },
      'the agent "kidd" (did you mean "kid"?); for Task there is Task(kid), Task(o*)',
    ],
    [
      ["Task(kid)"],
      { tool: "Task", effect: "delegate", agent: "painter" },
      'the agent "painter"; for Task there is Task(kid)',
    ],
    [
      ["mcp__a__b(x)"],
      { tool: "mcp__a__b", effect: "none" },
      "this use of mcp__a__b; for mcp__a__b there is mcp__a__b(x)",
    ],
  ] as const)("%j: %j", (allow, use, words) => {
    expect(refused([...allow], use)).toEqual({ verdict: "deny", rule: `user: no rule covers ${words}` });
  });

  it("is told with so many rules as can be read", () => {
    const allow = Array.from({ length: 200 }, (_, at) => `Bash(${"x".repeat(500)}${at} *)`);
    const { rule } = refused(allow, { tool: "Bash", effect: "exec", commands: [`echo ${"y".repeat(9_000)}`] });
    expect(rule).toMatch(/ and 190 more$/);
    expect(rule.length).toBeLessThan(1_500);
  });
});
