import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { wantedTool } from "../../../src/backends/claude/claude-tools.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "cadre-searches-")));
writeFileSync(join(root, "notes"), "");
mkdirSync(join(root, "folder"));
symlinkSync(join(root, "folder"), join(root, "link"));
const reader = { root, readCommand: () => ({ commands: null, isReadOnly: false }), leavesOut: () => false };
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
  const { use, problem } = wantedTool(name, input, reader);
  expect(problem).toBeUndefined();
  expect(use.showsAllBelow).toBe(shows);
});

it.each([
  ["Grep", { pattern: "x" }, undefined],
  ["Grep", { pattern: "x", path: "folder" }, undefined],
  ["Grep", { pattern: "x", path: join(root, "folder") }, undefined],
  ["Grep", { pattern: "x", path: "link" }, true], // the files have other names there
  ["Grep", { pattern: "x", path: tmpdir() }, true], // it was told of the project only
  ["Glob", { pattern: "**" }, true],
])("%s %j, where Grep leaves out what is closed: %s", (name, input, shows) => {
  const { use } = wantedTool(name, input, { ...reader, leavesOut: (tool) => tool === "Grep" });
  expect(use.showsAllBelow).toBe(shows);
});
