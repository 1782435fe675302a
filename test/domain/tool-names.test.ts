import { describe, expect, it } from "vitest";
import {
  DELEGATION_TOOLS,
  nameIn,
  namesWithin,
  readMcpName,
  TOOLS,
  type ToolDialect,
  toolsCalled,
  writeMcpName,
} from "../../src/domain/tool-names.ts";

const DIALECTS: readonly ToolDialect[] = [
  "cadre",
  "claude",
  "gencode",
  "gemini",
  "glee",
  "codex",
  "opencode",
  "qwen",
  "copilot",
  "cursor",
  "factory",
  "kiro",
  "goose",
  "roo",
  "yeet",
];

describe("names of tools", () => {
  it.each<[ToolDialect, string, string[] | undefined]>([
    ["claude", "Read", ["Read"]],
    ["claude", "multiedit", ["Edit"]],
    ["claude", "Agent", ["Task"]],
    ["claude", "NotebookEdit", undefined],
    ["gemini", "search_file_content", ["Grep"]],
    ["gemini", "constructor", undefined],
    ["qwen", "Shell", ["Bash"]],
    ["copilot", "READ", ["Read", "List"]],
    ["copilot", "search", ["Grep", "Glob"]],
    ["copilot", "edit/editFiles", ["Edit"]],
    ["cursor", "anything", undefined],
  ])("%s: %s", (dialect, name, tools) => {
    expect(toolsCalled(dialect, name)).toEqual(tools);
  });

  it.each(DIALECTS)("of %s that are written are read as no more than they stand for", (dialect) => {
    for (const tool of TOOLS) {
      const written = [...namesWithin(dialect, [tool]).values()];
      expect(written.flatMap((name) => toolsCalled(dialect, name))).toEqual(written.length === 0 ? [] : [tool]);
      const narrowest = [nameIn(dialect, tool) ?? []].flat();
      expect(narrowest.filter((name) => toolsCalled(dialect, name)?.includes(tool) !== true)).toEqual([]);
    }
  });

  it.each(DIALECTS)("of %s for every list give what the list has a name for, and nothing else", (dialect) => {
    const all = [...namesWithin(dialect, TOOLS).values()];
    const given = new Set(all.flatMap((name) => toolsCalled(dialect, name) ?? []));
    expect([...given].toSorted()).toEqual(TOOLS.filter((tool) => nameIn(dialect, tool) !== undefined).toSorted());
  });

  it("are broad where the list is, and narrow where it is not", () => {
    expect([...namesWithin("copilot", ["Edit", "Write", "Grep", "Glob"]).values()]).toEqual([
      "edit",
      "edit",
      "search",
      "search",
    ]);
    expect(namesWithin("copilot", ["Grep"]).get("Grep")).toBe("Grep");
    expect(namesWithin("kiro", ["Edit"]).size).toBe(0);
  });

  it("that delegate are among ours", () => {
    for (const tool of DELEGATION_TOOLS) expect(TOOLS).toContain(tool);
  });
});

describe("names of MCP tools", () => {
  it.each<[ToolDialect, string, string, string]>([
    ["claude", "mcp__git_hub__search", "git_hub", "search"],
    ["claude", "mcp__github", "github", "*"],
    ["claude", "mcp__github__*", "github", "*"],
    ["gemini", "mcp_github_search_code", "github", "search_code"],
    ["gemini", "mcp_*", "*", "*"],
    ["copilot", "github/*", "github", "*"],
    ["kiro", "@github/search", "github", "search"],
    ["opencode", "github_search", "github", "search"],
    ["goose", "github__search", "github", "search"],
  ])("%s: %s", (dialect, name, server, tool) => {
    expect(readMcpName(dialect, name)).toEqual({ server, tool });
  });

  it.each<[ToolDialect, string | undefined]>([
    ["claude", "mcp__a__b"],
    ["gemini", "mcp_a_b"],
    ["copilot", "a/b"],
    ["roo", undefined],
  ])("are written for %s", (dialect, name) => {
    expect(writeMcpName(dialect, { server: "a", tool: "b" })).toBe(name);
  });

  it("are not written where they would give more", () => {
    expect(writeMcpName("gemini", { server: "*", tool: "*" })).toBe("mcp_*");
    expect(writeMcpName("gemini", { server: "*", tool: "search" })).toBeUndefined();
  });

  it("are not seen in tools that a program has itself", () => {
    expect(readMcpName("copilot", "search/codebase")).toBeUndefined();
    expect(readMcpName("claude", "mcp_github_search")).toBeUndefined();
  });
});
