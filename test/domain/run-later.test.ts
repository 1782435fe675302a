import { describe, expect, it } from "vitest";
import { isRunLaterFolder, mayRunLater, runsLater } from "../../src/domain/run-later.ts";

describe("what is run later", () => {
  it.each([
    ["package.json", "package.json"],
    ["packages/a/package.json", "packages/a/package.json"],
    ["PACKAGE.JSON", "package.json"],
    ["./a/../Makefile", "makefile"],
    ["vitest.config.ts", "vitest.config.ts"],
    ["app/eslint.config.mjs", "app/eslint.config.mjs"],
    [".eslintrc.cjs", ".eslintrc.cjs"],
    ["node_modules/a/index.js", "node_modules"],
    ["packages/a/node_modules/.bin/tsc", "packages/a/node_modules"],
    [".venv/bin/activate", ".venv"],
    ["test/conftest.py", "test/conftest.py"],
    ["AGENTS.md", "agents.md"],
    ["packages/a/Agents.MD", "packages/a/agents.md"],
    ["AGENTS\u200c.md", "agents.md"],
    ["CLAUDE.md", "claude.md"],
    [".github/copilot-instructions.md", ".github/copilot-instructions.md"],
  ])("%s is, by its name", (path, found) => {
    expect(runsLater(path, [])).toBe(found);
    expect(runsLater(path, [".", "src", "packages"])).toBe(found);
    expect(mayRunLater(found.split("/").at(-1) ?? "")).toBe(true);
  });

  it.each([
    "src/index.ts",
    "package.json.md",
    "my-package.json",
    "docs/makefile/x.md",
    "config.ts",
    "a.config.json",
    "modules/x",
    "docs/agents.md.txt",
    "my-agents.md",
    "agents/README.md",
  ])("%s is not", (path) => expect(runsLater(path, [])).toBeUndefined());

  it("is open where a scope names it, and just there", () => {
    expect(runsLater("package.json", [".", "package.json"])).toBeUndefined();
    expect(runsLater("a/package.json", [".", "package.json"])).toBe("a/package.json");
    expect(runsLater("node_modules/a/x.js", [".", "node_modules"])).toBeUndefined();
    expect(runsLater("node_modules/a/x.js", ["node_modules/a"])).toBeUndefined();
    expect(runsLater("a/node_modules/x.js", ["node_modules"])).toBe("a/node_modules");
    expect(isRunLaterFolder("Node_Modules")).toBe(true);
  });
});
