import { describe, expect, test } from "vitest";
import { detectFormat, formatByPlace } from "../../../src/definitions/conversion/detect-format.ts";
import { FORMATS } from "../../../src/definitions/formats/format.ts";
import { PLACES } from "../../../src/definitions/formats/index.ts";

describe("by where a file lies:", () => {
  const places = FORMATS.flatMap((id) => PLACES[id].map((place) => [id, place] as const));

  test.each(places)("%s, %j", (id, { path, isFile, endings }) => {
    const below = isFile === true ? "" : `/reviewer${endings[0]}`;
    expect(formatByPlace(`/some/where/${path}${below}`)?.id).toBe(id);
  });

  test("the folder that it looks into is told apart from what lies below", () => {
    expect(formatByPlace("/p/.claude/agents/review/api.md")).toEqual({ id: "claude", below: "review/api.md" });
    expect(formatByPlace("/p/.roomodes")).toEqual({ id: "roo", below: ".roomodes" });
  });

  test("the innermost place counts", () => {
    expect(formatByPlace("/p/.claude/agents/x/.gemini/agents/a.md")?.id).toBe("gemini");
  });

  test.each(["/p/agents/reviewer.md", "/p/my.claude/agents/a.md", "/p/.claude/agents/a.txt", "/p/.cadre/agents/a.md"])(
    "%s is nobody's",
    (path) => {
      expect(formatByPlace(path)).toBeUndefined();
    },
  );
});

const settings = (text: string): string =>
  `---\nname: a\ndescription: b\n${text}\n---\nThe prompt: permission: approvalMode:\n`;

describe("by what it says:", () => {
  test.each([
    ["plain.md", settings("tools: Read"), "claude"],
    ["a.md", settings("permissionMode: plan"), "claude"],
    ["a.md", settings("mode: subagent"), "opencode"],
    ["a.md", settings("permission:\n  bash: deny"), "opencode"],
    ["a.md", settings("approvalMode: plan"), "qwen"],
    ["a.md", settings("kind: local"), "gemini"],
    ["a.md", settings("permission-mode: plan"), "gencode"],
    ["a.md", settings("readonly: true"), "cursor"],
    ["a.md", settings("reasoningEffort: high"), "factory"],
    ["a.agent.md", settings("tools: [read]"), "copilot"],
    ["a.toml", 'name = "a"\ndeveloper_instructions = "x"', "codex"],
    ["a.toml", 'name = "a"\nsystem_prompt = "x"', "gemini"],
    ["a.json", '{\n  "name": "a",\n  "contextFileName": "A.md"\n}', "gemini"],
    ["a.json", '{\n  "name": "a",\n  "allowedTools": []\n}', "kiro"],
    ["modes.yaml", "customModes:\n  - slug: a\n", "roo"],
    ["a.yaml", "title: a\ninstructions: b\n", "goose"],
    ["a.yml", "name: a\nprompt: b\n", "glee"],
  ])("%s %j is %s", (path, text, id) => {
    expect(detectFormat(`/tmp/${path}`, text)).toBe(id);
  });

  test("a prompt says nothing about it", () => {
    expect(detectFormat("/tmp/a.md", "No settings.\npermissionMode: plan\n")).toBeUndefined();
  });

  test("where it lies goes before what it says", () => {
    expect(detectFormat("/p/.qwen/agents/a.md", settings("permissionMode: plan"))).toBe("qwen");
  });
});
