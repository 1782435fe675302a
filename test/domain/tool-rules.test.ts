import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alternatives, matchesSegments, matchesText } from "../../src/domain/globs.ts";
import { ANY_TEXT, couldMatch, MORE_OPERANDS, MORE_WORDS, OPERAND } from "../../src/domain/partly-known.ts";
import { isNamedIn, parseRule, passedBy, type RuledUse, stoppedBy, wholeStop } from "../../src/domain/tool-rules.ts";
import { processorMs } from "../processor-time.ts";

const passes = (rule: string, use: RuledUse): boolean => passedBy([rule], use).kind === "yes";
const stops = (rule: string, use: RuledUse): boolean => stoppedBy([rule], use).kind === "yes";
const bash = (...commands: readonly string[]): RuledUse => ({ tool: "Bash", commands });
const file = (tool: string, path?: string): RuledUse => ({ tool, path });

describe("a rule", () => {
  it.each([
    ["Bash", "Bash", null, true],
    [" Bash ", "Bash", null, true],
    ["Bash(git *)", "Bash", "git *", false],
    ["Bash( git * )", "Bash", "git *", false],
    ["Bash(echo (a))", "Bash", "echo (a)", false],
    ["Bash(*)", "Bash", null, false],
    ["Read(**)", "Read", null, false],
    ["Bash()", "Bash", undefined, false],
    ["Bash(git *", "Bash", undefined, false],
  ])("%j", (text, name, spec, isBare) => {
    expect(parseRule(text)).toEqual({ text, name, spec, isBare });
  });
});

describe("names", () => {
  it.each([
    ["Bash", "Bash", true],
    ["bash", "Bash", false],
    ["*", "Bash", true],
    ["mcp__srv__*", "mcp__srv__find", true],
    ["mcp__srv__*", "mcp__other__find", false],
    ["mcp__srv", "mcp__srv__find", true],
    ["mcp__srv", "mcp__srv2__find", false],
    ["mcp__*__find", "mcp__srv__find", true],
    ["Web*", "WebFetch", true],
    ["Read", "Glob", false],
  ])("%j is about %j: %j", (rule, tool, expected) => {
    expect([passes(rule, { tool }), stops(rule, { tool })]).toEqual([expected, expected]);
  });

  it("never give the right to delegate by a wildcard, and take it by one", () => {
    for (const rule of ["*", "Task*", "T*"]) {
      expect(passes(rule, { tool: "Task", agent: "a" })).toBe(false);
      expect(stops(rule, { tool: "Task", agent: "a" })).toBe(true);
    }
    expect(isNamedIn(["*", "T*"], "Task")).toBe(false);
    expect(isNamedIn(["Task(a)"], "Task")).toBe(true);
  });
});

describe("commands", () => {
  it.each([
    ["git diff *", "git diff", true],
    ["git diff *", "git diff --stat", true],
    ["git diff *", "git difftool", false],
    ["git diff:*", "git diff", true],
    ["git diff:*", "git diff a b", true],
    ["git diff:*", "git difftool", false],
    ["git diff", "git diff", true],
    ["git diff", "git diff a", false],
    ["git  diff", "git diff", true],
    ["npm run *:ci", "npm run test:ci", true],
    ["npm run *:ci", "npm run test", false],
    ["git diff *", "A=1 git diff", false],
    ["git diff *", "> git diff", false],
    ["ls *", "lsof", false],
    ["ls", "/tmp/ls", false],
  ])("to let through, %j fits %j: %j", (spec, command, expected) => {
    expect(passes(`Bash(${spec})`, bash(command))).toBe(expected);
  });

  it.each([
    ["rm *", "rm -rf /", true],
    ["rm *", "rm", true],
    ["rm:*", "rm x", true],
    ["rm *", "/bin/rm x", true],
    ["rm *", "../../bin/rm x", true],
    ["rm *", "RM x", true],
    ["rm *", "'rm' x", true],
    ["rm *", "rmdir x", false],
    ["git push *", 'git push "$x"', true],
    ["echo 'a b'", 'echo "a b"', true],
  ])("to stop, %j fits %j: %j", (spec, command, expected) => {
    expect(stops(`Bash(${spec})`, bash(command))).toBe(expected);
  });

  /** `‹›` for text that is not known, `‹…›` for words that may be there or not. */
  const marked = (text: string): string => text.replaceAll("‹…›", MORE_WORDS).replaceAll("‹›", ANY_TEXT);

  it.each([
    ["npm publish:*", "npm‹…›", "unsure"],
    ["npm publish:*", "npm‹…› --dry-run", "unsure"],
    ["npm publish:*", "npm ‹›", "unsure"],
    ["npm publish:*", "npm p‹›blish", "unsure"],
    ["npm publish:*", "npm publish x", "yes"],
    ["npm publish:*", "npm publish‹…›", "unsure"], // as it is typed it is sure
    ["npm publish:*", "npm x‹›", "no"],
    ["npm publish:*", "npm run‹…›", "no"],
    ["npm publish:*", "npm unpublish ‹›", "no"],
    ["npm", "npm‹…›", "unsure"],
    ["npm", "npm ‹›", "no"],
    ["npm *:ci", "npm run ‹›", "unsure"],
    ["npm *:ci", "npm run ‹›:cd", "no"],
    ["rm:*", "echo‹…›", "no"],
    ["rm:*", "echo ‹› rm", "no"],
    ["rm:*", "/bin/rm‹…›", "unsure"],
    ["git push --force:*", "git push‹…›", "unsure"],
    ["git push --force:*", "git push ‹› --force", "unsure"],
    ["> /etc/*", "> ‹›", "unsure"],
    ["> /etc/*", ">> ‹›", "no"],
    ["a?c", "A‹›C", "unsure"],
  ] as const)("to stop, %j fits what may be %j: %s", (spec, command, expected) => {
    const use = { tool: "Bash", commands: ["zz"], mayRun: [marked(command)] };
    expect(stoppedBy([`Bash(${spec})`], use).kind).toBe(expected);
    expect(passes(`Bash(${spec})`, use)).toBe(false);
  });

  it.each([
    ["git push:*", "git -P push", "yes"],
    ["git push:*", "git --no-pager push origin", "yes"],
    ["git push:*", "/usr/bin/git --bare push", "yes"],
    ["git push:*", "git -C x --no-pager -c a=b push", "yes"],
    ["git push:*", "git -C 'a b' push", "yes"],
    ["git push:*", "git --git-dir=x push", "yes"],
    ["git push:*", "git --git-dir x push", "yes"],
    ["git push:*", "git --new-option push", "unsure"],
    ["git push:*", "git --new-option x push", "unsure"],
    ["git push:*", "git --no-pager log push", "no"],
    ["git push:*", "git -C push log", "no"],
    ["git push:*", "git log --no-pager push", "no"],
    ["npm publish:*", "npm --prefix x publish", "yes"],
    ["npm publish:*", "npm -w x --silent publish --tag a", "yes"],
    ["npm publish:*", "npm --registry=x publish", "yes"],
    ["npm publish:*", "npm --silent run publish", "no"],
    ["npm publish:*", "npm --prefix publish ci", "no"],
    ["npm publish:*", `npm${" -x".repeat(30)} publish`, "unsure"],
    ["npm publish:*", `npm run${" -x".repeat(30)} publish`, "no"],
    ["kubectl delete:*", "kubectl -n a delete pod b", "yes"],
    ["docker push:*", "docker --context a push b", "yes"],
    ["terraform destroy:*", "terraform -chdir=a destroy", "yes"],
    ["rm:*", "ls -l rm", "no"],
  ] as const)("to stop, %j fits %j, options before the subcommand aside: %s", (spec, command, expected) => {
    expect(stoppedBy([`Bash(${spec})`], bash(command)).kind).toBe(expected);
  });

  it("are let through with just the options that a rule has", () => {
    expect(passes("Bash(git log:*)", bash("git --no-pager log"))).toBe(false);
  });

  it("must all be let through, be it by several rules, and one is enough to stop them", () => {
    const rules = ["Bash(git *)", "Bash(ls *)"];
    expect(passedBy(rules, bash("git diff", "ls"))).toEqual({ kind: "yes", rules });
    expect(passedBy(rules, bash("git diff", "rm x")).kind).toBe("no");
    expect(passedBy(rules, bash("git diff", "> x")).kind).toBe("no");
    expect(stoppedBy(["Bash(rm *)"], bash("git diff", "rm x"))).toEqual({ kind: "yes", rule: "Bash(rm *)" });
  });

  it.each([null, undefined])(
    "that are not understood (%j) are neither let through nor stopped for sure",
    (commands) => {
      const use = { tool: "Bash", commands };
      expect(passedBy(["Bash(git *)"], use).kind).toBe("unsure");
      expect(stoppedBy(["Bash(rm *)"], use).kind).toBe("unsure");
      expect(passedBy(["Bash"], use).kind).toBe("yes");
      expect(stoppedBy(["Bash"], use).kind).toBe("yes");
      expect(passedBy(["Read"], use).kind).toBe("no");
      expect(stoppedBy(["Read(a)"], use).kind).toBe("no");
    },
  );

  it("that are none are not let through by a rule about some", () => {
    expect(passedBy(["Bash(git *)"], bash()).kind).toBe("unsure");
  });
});

describe("files", () => {
  it.each([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src", true],
    ["src/**", "src2/a.ts", false],
    ["src/*", "src/a.ts", true],
    ["src/*", "src/a/b.ts", false],
    ["src/", "src/a/b.ts", true],
    ["./src/**", "src/a.ts", true],
    ["**/*.ts", "a/b/c.ts", true],
    ["**/*.ts", "c.ts", true],
    ["**/*.ts", "/abs/c.ts", false],
    ["**/*.ts", "../c.ts", false],
    ["*.{ts,tsx}", "a.tsx", true],
    ["*.{ts,tsx}", "a.js", false],
    ["a?c", "abc", true],
    ["src", "src/a.ts", false],
    [".env", "sub/.env", false],
    ["src/**", "src/../x", false],
    ["SRC/**", "src/a", false],
    ["/abs/**", "/abs/a", true],
    ["//abs/**", "/abs/a", true],
    ["/abs/**", "abs/a", false],
    ["src/[ab]", "src/a", false],
    ["~/x", "x", false],
    ["!src/**", "a", false],
    ["src/{a,{b,c}}", "src/a", false],
  ])("to let through, %j fits %j: %j", (spec, path, expected) => {
    expect(passes(`Edit(${spec})`, file("Edit", path))).toBe(expected);
  });

  it.each([
    [".env", ".env", true],
    [".env", "sub/.env", true],
    [".env", "sub/.ENV", true],
    [".env", "/etc/.env", true],
    [".env", ".envelope", false],
    ["secrets/**", "secrets/a/b", true],
    ["secrets", "secrets/a", true],
    ["a/secrets", "a/secrets/b", true],
    ["a/secrets", "b/a/secrets", false],
    ["**/*.pem", "/etc/x.pem", true],
    ["**/*.pem", "../x.pem", true],
    ["*.pem", "a/b/x.pem/y", true],
    ["secrets/**", "./x/../secrets/a", true],
    ["caf\u00e9", "cafe\u0301", true],
    ["src/[ab]", "anything", true],
    ["~/x", "anything", true],
    ["src/{a,{b,c}}", "anything", true],
    ["/etc/**", "/etc/passwd", true],
    ["/etc/**", "etc/passwd", false],
  ])("to stop, %j fits %j: %j", (spec, path, expected) => {
    expect(stops(`Edit(${spec})`, file("Edit", path))).toBe(expected);
  });

  it("that may not be read are not found by searching either; letting through is for one tool", () => {
    for (const tool of ["Read", "Glob", "Grep", "List"]) expect(stops("Read(.env)", file(tool, ".env"))).toBe(true);
    for (const tool of ["Edit", "Write"]) expect(stops("Edit(.env)", file(tool, ".env"))).toBe(true);
    expect(stops("Write(.env)", file("Edit", ".env"))).toBe(false);
    expect(stops("Read(.env)", file("Write", ".env"))).toBe(false);
    expect(passes("Read(src/**)", file("Grep", "src/a"))).toBe(false);
    expect(passes("Edit(src/**)", file("Write", "src/a"))).toBe(false);
  });

  it("that are all of them are closed to searches as single ones are; a tool's name alone is about that tool", () => {
    for (const tool of ["Read", "Glob", "Grep", "List"])
      for (const spec of ["*", "**", " ** "]) expect(stops(`Read(${spec})`, file(tool, "a/b"))).toBe(true);
    for (const tool of ["Glob", "Grep", "List"]) {
      expect(stops("Read", file(tool, "a/b"))).toBe(false);
      expect(wholeStop(["Read(*)"], tool)).toBe("Read(*)");
      expect(passes("Read(*)", file(tool, "a/b"))).toBe(false);
    }
    expect(stops("Edit(*)", file("Write", "a"))).toBe(true);
    expect(stops("Edit", file("Write", "a"))).toBe(false);
  });

  it("that are not named may be any", () => {
    expect(passes("Read(src/**)", file("Read"))).toBe(false);
    expect(stops("Read(src/**)", file("Read"))).toBe(true);
  });
});

describe("hosts and agents", () => {
  it.each([
    ["domain:example.com", "example.com", true, true],
    ["domain:example.com", "Example.COM.", true, true],
    ["domain:example.com", "api.example.com", false, true],
    ["domain:*.example.com", "api.example.com", true, true],
    ["domain:*.example.com", "example.com", false, true],
    ["domain:example.com", "badexample.com", false, false],
    ["domain:example.com", "example.com.evil.test", false, false],
    ["domain:example.com", undefined, false, true],
    ["https://example.com/*", "example.com", false, true],
    ["domain:*", "example.com", false, true],
  ])("%j and %j: let through %j, stopped %j", (spec, host, passed, stopped) => {
    for (const tool of ["WebFetch", "HttpRequest"]) {
      expect(passes(`${tool}(${spec})`, { tool, host })).toBe(passed);
      expect(stops(`${tool}(${spec})`, { tool, host })).toBe(stopped);
    }
  });

  it.each([
    ["oracle", "oracle", true],
    ["oracle", "Oracle", true],
    ["code_reviewer", "code-reviewer", true],
    ["review*", "reviewer", true],
    ["oracle", "oracle2", false],
  ])("Task(%s) and %j: %j", (spec, agent, expected) => {
    expect(passes(`Task(${spec})`, { tool: "Task", agent })).toBe(expected);
    expect(stops(`Task(${spec})`, { tool: "Task", agent })).toBe(expected);
  });

  it("that nobody named are not let through", () => {
    expect(passes("Task(oracle)", { tool: "Task" })).toBe(false);
    expect(stops("Task(oracle)", { tool: "Task" })).toBe(true);
  });
});

describe("a spec that we cannot read", () => {
  it.each(["Bash()", "Bash(git *", "WebSearch(cats)", "mcp__srv__find(x)", "WebFetch(x)", "TodoWrite(a)"])(
    "lets nothing through and stops everything: %j",
    (rule) => {
      const use = { tool: parseRule(rule).name, host: "x", path: "x", commands: ["x"] };
      expect([passes(rule, use), stops(rule, use)]).toEqual([false, true]);
      expect(wholeStop([rule], use.tool)).toBe(rule);
    },
  );

  it("is not one that we can: that stops some uses only", () => {
    expect(wholeStop(["Bash(rm *)", "Read(.env)", "Task(a)", "WebFetch(domain:a.b)"], "Bash")).toBeUndefined();
    expect(wholeStop(["WebFetch(domain:a.b)"], "WebFetch")).toBeUndefined();
    expect(wholeStop(["Read(.env)"], "Grep")).toBeUndefined();
  });
});

describe("patterns", () => {
  const anySmall = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 6 });

  it("mean what the same regular expression means", () => {
    fc.assert(
      fc.property(anySmall, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }), (pattern, text) => {
        const source = pattern.replaceAll("*", ".*").replaceAll("?", ".");
        expect(matchesText(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });

  it("of folders mean what the same regular expression means", () => {
    const anyParts = (parts: readonly string[]) => fc.array(fc.constantFrom(...parts), { maxLength: 5 });
    fc.assert(
      fc.property(anyParts(["a", "b", "**", "*", "?b"]), anyParts(["a", "b", "ab"]), (pattern, path) => {
        const source = pattern
          .map((part) => (part === "**" ? "(?:[^/]+/)*" : `${part.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}/`))
          .join("");
        expect(matchesSegments(pattern, path)).toBe(new RegExp(`^${source}$`).test(path.map((p) => `${p}/`).join("")));
      }),
    );
  });

  it("that would hold up a regular expression do not hold up these", () => {
    expect(matchesText("*a".repeat(40) + "b", "a".repeat(5_000))).toBe(false);
    expect(
      matchesSegments(
        [..."**/a/".repeat(40).split("/"), "b"],
        Array.from({ length: 1_000 }, () => "a"),
      ),
    ).toBe(false);
  });

  it.each([
    ["a", ["a"]],
    ["{a,b}", ["a", "b"]],
    ["x{a,b}y{c,}", ["xayc", "xay", "xbyc", "xby"]],
    ["{a", undefined],
    ["a}", undefined],
    ["{a,{b,c}}", undefined],
    ["{a,b,c,d}".repeat(4), undefined],
  ])("%j has the alternatives %j", (pattern, expected) => {
    expect(alternatives(pattern)).toEqual(expected);
  });
});

describe("what is known in part", () => {
  const signs = fc.array(fc.constantFrom(..."ab *?".split("")), { maxLength: 6 }).map((all) => all.join(""));
  const known = fc.array(fc.constantFrom(..."ab ".split("")), { maxLength: 4 }).map((all) => all.join(""));

  it("could be what a pattern means whenever one of the texts that it can be is", () => {
    fc.assert(
      fc.property(signs, known, known, known, (pattern, before, middle, behind) => {
        const isMeant = (words: string): boolean => matchesText(pattern, before + words + behind);
        expect(couldMatch(pattern, before + ANY_TEXT + behind) || !isMeant(middle)).toBe(true);
        const isMissed = ["", ` ${middle}`].some(isMeant) && !couldMatch(pattern, before + MORE_WORDS + behind);
        expect(isMissed).toBe(false);
        const word = middle.replaceAll(" ", "");
        expect(couldMatch(pattern, before + OPERAND + behind) || !isMeant(word)).toBe(true);
        const isFileMissed = ["", ` ${middle}`].some(isMeant) && !couldMatch(pattern, before + MORE_OPERANDS + behind);
        expect(isFileMissed).toBe(false);
        expect(couldMatch(pattern, before)).toBe(matchesText(pattern, before));
      }),
    );
  });

  it("is looked at in part where it is long, and then is unsure rather than missed", () => {
    const long = "a".repeat(2_000);
    const use = (...mayRun: string[]): RuledUse => ({ tool: "Bash", commands: null, mayRun });
    expect(stoppedBy(["Bash(npm publish)"], use(`npm ${long}${ANY_TEXT}`)).kind).toBe("no");
    expect(stoppedBy(["Bash(npm *b)"], use(`npm ${ANY_TEXT}${long}b`)).kind).toBe("unsure");
    expect(stoppedBy(["Bash(*--force*)"], use(`npm ${ANY_TEXT}${long} --force`)).kind).toBe("unsure");
    expect(stoppedBy(["Bash(*--force*)"], use(`npm ${ANY_TEXT}${long}`)).kind).toBe("no");
  });

  it("takes little time with many rules", () => {
    const use: RuledUse = { tool: "Bash", commands: null, mayRun: [`npm${` -a${ANY_TEXT}`.repeat(1_998)}`] };
    const rules = Array.from({ length: 20 }, (_, at) => `Bash(npm * a${at} * b * c * d * e${at})`);
    expect(processorMs(() => void stoppedBy(rules, use))).toBeLessThan(3_000);
  });

  it("takes little time, whatever the pattern", () => {
    const took = processorMs(() => {
      expect(couldMatch(`${"*a".repeat(100)}b`, `${"a".repeat(5_000)}${ANY_TEXT}${"a".repeat(5_000)}`)).toBe(false);
    });
    expect(took).toBeLessThan(5_000);
  });
});
