import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

const toolsOf = (args: readonly string[] = []): string => args[args.indexOf("--tools") + 1] ?? "absent";

describe("claude is given", () => {
  it.each([
    ["silent", "Read,Glob,Grep,Write,Edit,Bash"],
    ["reader", "Read,Glob,Grep"],
    ["editor", "Read,Glob,Grep,Write,Edit,Bash"],
    ["online", "Read,Glob,Grep,Write,Edit,Bash,WebFetch,WebSearch"],
    ["rule on commands", "Read,Glob,Grep,Bash"],
    ["no secrets", "Read,Glob,Grep,Write,Edit,Bash"],
    ["docs only", "Read,Glob,Grep,Write,Edit,Bash"],
    ["no tools", ""],
  ] as const)("%s: the tools %s, and each use of them is asked about", async (name, tools) => {
    const { refused, started } = await compiled(claude, AGENTS[name]);
    expect(refused).toBeUndefined();
    expect(toolsOf(started?.args)).toBe(tools);
    expect(started?.heard[0]).toContain('"PreToolUse"');
    for (const flag of ["--restricted", "--safe-mode", "--strict-mcp-config", "dontAsk"])
      expect(started?.args).toContain(flag);
  });

  it("its turns, its model, its effort and its instructions, in a file", async () => {
    const { started, file } = await compiled(claude, {
      model: "anthropic/claude-x",
      effort: "high",
      max_turns: 7,
      prompt: "Count MARMOTS.",
    });
    expect(started?.args.join(" ")).toMatch(/--max-turns 7 .*--model claude-x --effort high/);
    expect(file("instructions.md")).toContain("Count MARMOTS.");
    expect(started?.args.join(" ")).not.toContain("MARMOTS");
  });

  it("no tool that it does not have, and that is said", async () => {
    const { narrowed } = await compiled(claude, { tools: ["Read", "MemorySearch"], temperature: 1 });
    expect(narrowed).toEqual([
      "claude is not given what it has no tool of its own for: MemorySearch",
      "claude takes no temperature",
    ]);
  });
});
