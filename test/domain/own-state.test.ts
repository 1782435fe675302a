import { describe, expect, it } from "vitest";
import { isHomeOf, ownState } from "../../src/domain/own-state.ts";

describe("what Cadre keeps of tasks", () => {
  it.each([
    [".cadre/tasks", ".cadre/tasks"],
    [".cadre/tasks/task_1.json", ".cadre/tasks"],
    [".cadre/plans/task_1_plan.md", ".cadre/plans"],
    [".cadre/logs/worker.log", ".cadre/logs"],
    [".cadre/sessions/a.home/claude/x", ".cadre/sessions"],
    [".cadre/worktrees/a/src/b.ts", ".cadre/worktrees"],
    [".cadre/memory/memory.db", ".cadre/memory"],
    [".cadre/quarantine/t/.git", ".cadre/quarantine"],
    [".cadre/hatches/t/socket", ".cadre/hatches"],
    [".cadre/cadre.db", ".cadre/cadre.db"],
    [".cadre/cadre.db-wal", ".cadre/cadre.db-wal"],
    [".cadre/cadre.db-bells/1", ".cadre/cadre.db-bells"],
    [".cadre/serve-token", ".cadre/serve-token"],
    [".cadre/.serve-token.abc.tmp", ".cadre/.serve-token.abc.tmp"],
    [".cadre/mcp-auth.json", ".cadre/mcp-auth.json"],
    [".cadre/trust.json", ".cadre/trust.json"],
    [".Cadre/LOGS/a", ".cadre/logs"],
    ["sub/.cadre/logs/a", "sub/.cadre/logs"],
    ["./a/../.cadre//logs/a", ".cadre/logs"],
    ["/srv/ada/.cadre/logs/a", "/srv/ada/.cadre/logs"],
    ["kept/here/logs/a", "kept/here/logs"],
    ["/var/cadre/sessions/a", "/var/cadre/sessions"],
    [".cadre/workspace/.cadre/logs/a", ".cadre/workspace/.cadre/logs"],
  ])("is %s", (path, found) => {
    expect(ownState(["."], ["kept/here", "/var/cadre"]).at(path)).toBe(found);
  });

  it.each([
    ".",
    "logs/a",
    ".cadre",
    ".cadre/config.yml",
    ".cadre/agents/logs/a.md",
    ".cadre/tools/tasks/tool.yml",
    ".cadre/export/claude/a.md",
    ".cadre/workspace/logs/a",
    ".cadre/notes.md",
    ".cadre-old/logs/a",
    "kept/logs/a",
    "kept/here",
    "/other/sessions/a",
  ])("is not %s", (path) => {
    expect(ownState(["."], ["kept/here", "/var/cadre"]).at(path)).toBeUndefined();
  });

  it.each([
    ["test/fixtures/.cadre/tasks/t.json", undefined],
    ["test/fixtures/.cadre/agents/x.md", undefined],
    ["Packages/A/.cadre/tasks/t.json", "packages/a/.cadre/tasks"],
    ["packages/a/.cadre/tasks/t.json", undefined], // another folder, where case counts
    ["test/\u200b/.cadre/tasks/t.json", "test/.cadre/tasks"], // not sure which folder that is
    ["Packages/A/.cadre/workspace/.cadre/logs/l", undefined],
    [".cadre/tasks/t.json", ".cadre/tasks"],
    ["../.cadre/tasks/t.json", "../.cadre/tasks"],
    ["/srv/other/.cadre/tasks/t.json", "/srv/other/.cadre/tasks"],
  ])("is in a folder deeper in the project where Cadre works there: %s is %s", (path, found) => {
    const state = ownState(["."], [], (home) => home === "Packages/A/.cadre");
    expect(state.at(path)).toBe(found);
    expect(state.isHome("test/fixtures/.cadre")).toBe(false);
    expect(state.isHome("Packages/A/.cadre")).toBe(true);
  });

  it("is in every such folder where a task works elsewhere than in the project: its names are others there", () => {
    const none = () => false;
    const at = (mode: "shared" | "worktree" | "sandbox" | "custom") =>
      ownState(["."], [], isHomeOf({ mode }, none)).at("packages/a/.cadre/tasks/t.json");
    expect(at("custom")).toBe("packages/a/.cadre/tasks");
    for (const mode of ["shared", "worktree", "sandbox"] as const) expect(at(mode)).toBeUndefined();
  });

  it("is opened by a scope that names a single plan, and by no other", () => {
    const plan = ".cadre/plans/task_1_plan.md";
    expect(ownState([".", plan]).at(plan)).toBeUndefined();
    expect(ownState([".", plan]).at(`${plan}/any-file`)).toBeUndefined(); // for who asks about all of a scope
    expect(ownState([".", plan]).at(`${plan}.bak`)).toBe(".cadre/plans");
    for (const scopes of [[".cadre/plans"], [".cadre"], ["."], [".cadre/plans/task_2_plan.md"], []])
      expect(ownState(scopes).at(plan)).toBe(".cadre/plans");
    expect(ownState([".cadre/logs", ".cadre/logs/a"]).at(".cadre/logs/a")).toBe(".cadre/logs");
  });
});
