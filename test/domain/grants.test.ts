import { posix } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideCall } from "../../src/domain/decide-call.ts";
import { grantsFor } from "../../src/domain/grants.ts";
import { spawnGrants } from "../../src/domain/policy.ts";
import { passedBy } from "../../src/domain/tool-rules.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { understand } from "../../src/tools/bash/shell-grammar.ts";
import { samplePolicy } from "./samples.ts";

const understood = (line: string) => ({ tool: "Bash", ...understand(line, "/srv/project") });

describe("what always stands for", () => {
  const cases = [
    { use: { tool: "Bash", commands: ["npm test"] }, rules: ["Bash(npm test)"] },
    { use: { tool: "Bash", commands: ["npm test", "git diff"] }, rules: ["Bash(npm test)", "Bash(git diff)"] },
    { use: { tool: "Bash", commands: ["ls", "ls"] }, rules: ["Bash(ls)"] },
    { use: { tool: "Bash", commands: ["node -e 'f(1)'"] }, rules: ["Bash(node -e 'f(1)')"] },
    { use: understood("grep 'a$' f | sort"), rules: ["Bash(grep 'a$' f)", "Bash(sort)"] },
    { use: understood("npm exec -- tsc"), rules: ["Bash(npm exec -- tsc)"] },
    { use: { tool: "Write", path: "app/$id.ts" }, rules: ["Write(app/$id.ts)"] },
    { use: { tool: "Write", path: "src/a.ts" }, rules: ["Write(src/a.ts)"] },
    { use: { tool: "WebFetch", host: "example.com" }, rules: ["WebFetch(domain:example.com)"] },
    { use: { tool: "Task", agent: "reviewer" }, rules: ["Task(reviewer)"] },
    { use: { tool: "WebSearch" }, rules: ["WebSearch"] },
    { use: { tool: "mcp__github__list" }, rules: ["mcp__github__list"] },
  ];
  test.each(cases)("$rules", ({ use, rules }) => {
    expect(grantsFor(use)).toEqual(rules);
  });

  const never = [
    { why: "it is not understood", use: { tool: "Bash", commands: null } },
    { why: "there is no command", use: { tool: "Bash", commands: [] } },
    { why: "it would be read as a pattern", use: { tool: "Bash", commands: ["rm *"] } },
    { why: "one of two would", use: { tool: "Bash", commands: ["ls", "rm [ab]"] } },
    { why: "a variable is in it", use: understood('for f in a.log b.log; do rm "$f"; done') },
    { why: "a substitution is in it", use: understood("rm `ls`") },
    { why: "the name of a file is not known", use: understood("ls > $x") },
    { why: "words are added to it", use: understood("cat list | xargs rm") },
    { why: "a line break", use: { tool: "Bash", commands: ["echo 'a\nb'"] } },
    { why: "a pattern of files", use: { tool: "Write", path: "src/{a,b}.ts" } },
    { why: "somebody's home", use: { tool: "Read", path: "~/x" } },
    { why: "it is a folder with all below it", use: { tool: "Write", path: "src/" } },
    { why: "it is a file called by a space, which a rule reads as that folder", use: { tool: "Write", path: "src/ " } },
    { why: "a rule reads it as another file", use: { tool: "Write", path: "src/a " } },
    { why: "it names no file", use: { tool: "Write" } },
  ];
  test.each(never)("nothing where $why", ({ use }) => {
    expect(grantsFor(use)).toEqual([]);
  });

  test("whatever it is, it lets through what was asked, and no other command, file or agent", () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9 ./*?[\]{}!~()'"-]{1,12}$/);
    fc.assert(
      fc.property(word, word, fc.constantFrom("commands", "path", "agent"), (asked, other, by) => {
        const use = (text: string) =>
          by === "commands"
            ? { tool: "Bash", commands: [text] }
            : by === "path"
              ? { tool: "Write", path: text }
              : { tool: "Task", agent: text };
        const rules = grantsFor(use(asked));
        fc.pre(rules.length > 0 && !isSame(asked, other, by));
        expect(passedBy(rules, use(asked)).kind).toBe("yes");
        expect(passedBy(rules, use(other)).kind).not.toBe("yes");
      }),
    );
  });
});

/** Spaces, dots and slashes that make no other command, file or agent of it. */
function isSame(a: string, b: string, by: string): boolean {
  if (by === "commands") return squeezed(a) === squeezed(b);
  if (by === "agent") return a.toLowerCase().trim() === b.toLowerCase().trim();
  return resolved(a) === resolved(b);
}
const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();
const resolved = (path: string): string => posix.resolve("/p/q/r/s/t", path.trim());

describe("an agent that starts another one", () => {
  const use = { tool: "Task", effect: "delegate", agent: "worker" } as const;
  const policy = samplePolicy({ modes: ["auto"], tools: [], spawn: "ask" });

  test("is asked about", () => {
    expect(decideCall(policy, use)).toEqual({ verdict: "ask", rule: "require_approval.subagents" });
    expect(decideCall({ ...policy, spawn: "allow" }, use).verdict).toBe("allow");
  });

  test("is let through by a rule that names it, and not by a wildcard", () => {
    expect(decideCall({ ...policy, grants: ["Task(worker)"] }, use)).toEqual({
      verdict: "allow",
      rule: "grant Task(worker)",
    });
    expect(decideCall({ ...policy, grants: ["Task(other)"] }, use).verdict).toBe("ask");
    expect(decideCall({ ...policy, grants: ["*"] }, use).verdict).toBe("ask");
  });

  test("is denied where nobody is asked", () => {
    expect(decideCall({ ...policy, modes: ["denyUnasked"] }, use).verdict).toBe("deny");
  });

  test("needs no question for agents that its definition names one by one", () => {
    const named = (tools: string[]) =>
      spawnGrants(AgentDefinition.parse({ name: "lead", description: "Leads.", prompt: "Lead.", tools }));
    expect(named(["Read", "Task(worker)", "agent:tester", "request_review"])).toEqual([
      "Task(worker)",
      "Task(tester)",
      "Task(reviewer)",
    ]);
    expect(named(["Task", "Task(*)", "Task(w*)", "delegate_to_agent"])).toEqual([]);
  });
});
