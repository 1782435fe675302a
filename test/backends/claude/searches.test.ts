import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { wantedTool } from "../../../src/backends/claude/claude-tools.ts";

const root = mkdtempSync(join(tmpdir(), "cadre-searches-"));
writeFileSync(join(root, "notes"), "");
afterAll(() => rmSync(root, { recursive: true }));

it.each([
  ["Grep", { pattern: "x" }, true],
  ["Grep", { pattern: "x", path: "a" }, true],
  ["Grep", { pattern: "x", path: "a.ts" }, true], // nothing says yet that it is no folder
  ["Grep", { pattern: "x", path: "notes" }, undefined],
  ["Glob", { pattern: "**" }, true],
  ["Glob", { pattern: "*", path: "notes" }, undefined],
  ["Glob", { pattern: "/etc/*", path: "notes" }, true],
  ["Read", { file_path: "a" }, undefined],
])("%s %j shows whatever it finds: %s", (name, input, shows) => {
  const { use, problem } = wantedTool(name, input, root, () => ({ commands: null, isReadOnly: false }));
  expect(problem).toBeUndefined();
  expect(use.showsAllBelow).toBe(shows);
});
