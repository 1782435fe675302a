import { describe, expect, it } from "vitest";
import { protectedBy } from "../../src/domain/protected-paths.ts";

describe("files that decide what runs later", () => {
  it.each([
    ".git/config",
    ".git/hooks/pre-commit",
    ".git",
    "sub/module/.git/config",
    ".GIT/Config",
    "git~1/config",
    ".g\u200cit/config",
    ".cadre/config.yml",
    ".cadre/agents/a.md",
    "sub/.Cadre/x",
    "/srv/.cadre/config.yml",
    ".claude/settings.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".opencode/x",
    ".cursor/rules",
    ".vscode/tasks.json",
    ".idea/x",
    ".github/workflows/ci.yml",
    ".husky/pre-commit",
    ".npmrc",
    "packages/a/.npmrc",
    ".envrc",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".bash_profile",
    ".gitconfig",
    ".gitmodules",
    ".mcp.json",
    ".ripgreprc",
    "a/../.git/config",
    "./.git//config",
  ])("%j is not opened by the whole project", (path) => {
    expect(protectedBy(path, [".", "/"])).toBeDefined();
  });

  it.each(["a.ts", "git/config", ".gitignore", ".github/README.md", "cadre/x", "src/.env", "docs/claude/a", "a.npmrc"])(
    "%j is none",
    (path) => {
      expect(protectedBy(path, ["."])).toBeUndefined();
    },
  );
});

describe("a scope that lies inside", () => {
  it.each([
    [".github/workflows/ci.yml", ".github/workflows"],
    [".github/workflows/ci.yml", ".github/workflows/ci.yml"],
    [".vscode/tasks.json", ".vscode"],
    [".cadre/workspace/a", ".cadre/workspace"],
    [".cadre/workspace/deep/a", ".cadre/workspace"],
    [".cadre/plans/task_x_plan.md", ".cadre/plans/task_x_plan.md"],
    ["/srv/.cadre/workspace/a", "/srv/.cadre/workspace"],
    [".gemini/agents/workspace/a", ".gemini/agents/workspace"],
    [".npmrc", ".npmrc"],
  ])("%j is opened by %j", (path, scope) => {
    expect(protectedBy(path, [".", scope])).toBeUndefined();
  });

  it.each([
    [".github/workflows/ci.yml", ".github"],
    [".vscode/tasks.json", ".idea"],
    [".cadre/agents/a.md", ".cadre/workspace"],
    [".cadre/agents/a.md", ".cadre/agents"],
    [".cadre/config.yml", ".cadre"],
    [".cadre/plans/task_y_plan.md", ".cadre/plans/task_x_plan.md"],
    [".cadre/plans/task_y_plan.md", ".cadre/plans"],
    [".cadre/workspace-evil/a", ".cadre/workspace"],
    [".cadre/workspace/../config.yml", ".cadre/workspace"],
    [".cadre/workspace/.git/config", ".cadre/workspace"],
    [".git/hooks/pre-commit", ".git/hooks"],
    [".git/config", ".git"],
    ["sub/.vscode/tasks.json", ".vscode"],
  ])("%j is not opened by %j", (path, scope) => {
    expect(protectedBy(path, [".", scope])).toBeDefined();
  });

  it("is needed for every protected folder on the way", () => {
    expect(protectedBy(".cadre/workspace/.vscode/x", [".cadre/workspace"])).toBe(".cadre/workspace/.vscode");
    expect(protectedBy(".cadre/workspace/.vscode/x", [".cadre/workspace/.vscode"])).toBeUndefined();
  });
});

describe("a home of another name", () => {
  it("is protected like one that is called .cadre", () => {
    const homes = ["state", "/srv/state"];
    expect(protectedBy("state/config.yml", ["."], homes)).toBe("state");
    expect(protectedBy("/srv/state/config.yml", ["/srv"], homes)).toBe("/srv/state");
    expect(protectedBy("state/workspace/a", [".", "state/workspace"], homes)).toBeUndefined();
    expect(protectedBy("state/agents/a.md", [".", "state/agents"], homes)).toBe("state");
    expect(protectedBy("statement.md", ["."], homes)).toBeUndefined();
  });
});
