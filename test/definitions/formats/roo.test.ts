import { describe, expect, it } from "vitest";
import { roo } from "../../../src/definitions/formats/roo.ts";
import { agentIn, backFrom, define, problemsOf } from "./foreign.ts";

const mode = (groups: string) =>
  agentIn(
    roo,
    `customModes:\n  - slug: docs\n    name: Docs\n    roleDefinition: You write.\n    groups: ${groups}\n`,
    ".roomodes",
  );

describe("the modes of Roo Code", () => {
  it("are read field by field", () => {
    const text = JSON.stringify({
      customModes: [
        {
          slug: "docs",
          name: "📝 Docs",
          roleDefinition: "You write.",
          whenToUse: "For texts",
          description: "Short",
          customInstructions: "Be brief.",
          groups: ["read", "edit", "mcp", "modes", "browser"],
          source: "project",
        },
      ],
    });
    const { definition, said } = agentIn(roo, text, ".roomodes");
    expect(definition).toMatchObject({
      name: "docs",
      display_name: "📝 Docs",
      description: "For texts",
      prompt: "You write.\n\nBe brief.",
      tools: ["Read", "Glob", "Grep", "List", "Edit", "Write", "mcp__*__*", "TodoWrite", "AskUser"],
      workspace: { allow_writes: true },
      x: { roo: { source: "project" } },
    });
    expect(said).toContain("narrowed groups");
    expect(backFrom(roo, definition).definition).toEqual(definition);
  });

  it("do not edit at all where they may edit some files only", () => {
    const { definition, said } = mode('[read, [edit, { fileRegex: "\\\\.md$" }]]');
    expect(definition).toMatchObject({
      tools: expect.not.arrayContaining(["Edit"]),
      workspace: { allow_writes: false },
    });
    expect(said).toContain("narrowed groups");
    expect(roo.write?.(definition).text).toContain("fileRegex");
    expect(roo.write?.({ ...definition, tools: ["Read"] }).text).not.toContain("fileRegex");
  });

  it.each([
    ["command", ["Bash"]],
    ["[]", []],
    ["[5, {a: b}, [edit]]", ["Edit", "Write"]],
    ["everything", []],
  ])("with the groups %s have %j", (groups, tools) => {
    const list = groups === "command" ? "[command]" : groups;
    expect(mode(list).definition.tools).toEqual([...tools, "TodoWrite", "AskUser"]);
  });

  it("are several in one file; one that cannot be read hides none of the others", () => {
    const text =
      "customModes:\n  - slug: a\n    roleDefinition: x\n  - 5\n  - slug: b\n  - slug: c\n    roleDefinition: x\n";
    expect(problemsOf(roo, text, ".roomodes")).toEqual([
      null,
      "mode 2: it is not a map",
      "b: it has no roleDefinition, so Roo Code does not take it",
      null,
    ]);
  });

  it.each([
    [{ tools: ["Read", "Grep"] }, ["read"]],
    [{ tools: ["Read", "Edit"], workspace: { allow_writes: true } }, ["read"]],
    [{ tools: ["Edit", "Write", "Bash"], workspace: { allow_writes: true } }, ["edit", "command"]],
    [{ permission_mode: "plan", workspace: { allow_writes: true } }, ["read"]],
    [{ workspace: { allow_writes: true } }, ["read", "edit", "command", "mcp"]],
  ])("get only groups whose tools an agent has: %j", (fields, groups) => {
    expect(backFrom(roo, define(fields)).definition.x["roo"]?.["groups"]).toEqual(groups);
  });
});
