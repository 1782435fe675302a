import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { wantedTool } from "../../../src/backends/claude/claude-tools.ts";

it.each([
  ["Grep", { pattern: "x" }, true],
  ["Grep", { pattern: "x", path: "a" }, true],
  ["Glob", { pattern: "**" }, true],
  ["Read", { file_path: "a" }, undefined],
])("%s %j shows whatever it finds: %s", (name, input, shows) => {
  const { use, problem } = wantedTool(name, input, tmpdir(), () => ({ commands: null, isReadOnly: false }));
  expect(problem).toBeUndefined();
  expect(use.showsAllBelow).toBe(shows);
});
