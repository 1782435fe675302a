import { describe, expect, it } from "vitest";
import { cursor } from "../../../src/definitions/formats/cursor.ts";
import { agentIn, backFrom, define } from "./foreign.ts";

const read = (settings: string) => agentIn(cursor, `---\n${settings}\n---\nLook.\n`, "Code Reviewer.md");

describe("a file of Cursor", () => {
  it("is read field by field", () => {
    const { definition } = read("description: d\nmodel: gpt-5[effort=high,fast]\nis_background: true\ncolor: red");
    expect(definition).toEqual(
      define({
        name: "code-reviewer",
        display_name: "Code Reviewer",
        prompt: "Look.",
        model: "gpt-5",
        effort: "high",
        background: true,
        workspace: { allow_writes: true },
        x: { cursor: { name: "Code Reviewer", model: "gpt-5[effort=high,fast]", color: "red" } },
      }),
    );
    expect(backFrom(cursor, definition).definition).toEqual(definition);
    expect(cursor.write?.(definition).text).toContain("gpt-5[effort=high,fast]");
  });

  it.each([
    ["true", "plan", false],
    ["'yes'", "plan", false],
    ["[nobody, knows]", "plan", false],
    ["false", "default", true],
  ])("with readonly: %s has the permission mode %s", (readonly, permission_mode, allow_writes) => {
    const { definition } = read(`description: d\nreadonly: ${readonly}`);
    expect(definition).toMatchObject({ permission_mode, workspace: { allow_writes } });
  });

  it("is held to lists that Cursor passes over, and never given them back", () => {
    const { definition, said } = read("description: d\ntools: Read, Edit, Task\ndisallowedTools: Edit\nmodel: sonnet");
    expect(definition).toMatchObject({ tools: { allow: ["Read", "Edit"], deny: ["Edit"] }, model: "sonnet" });
    expect(said).toContain("narrowed tools");
    expect(cursor.write?.(definition).text).not.toMatch(/tools/i);
    expect(cursor.write?.(definition).text).toContain("model: sonnet");
  });

  it.each([
    [{ permission_mode: "plan" }, true],
    [{ permission_mode: "denyUnasked", workspace: { allow_writes: true } }, true],
    [{ workspace: { allow_writes: false } }, true],
    [{ tools: ["Read", "Bash"], workspace: { allow_writes: true } }, true],
    [{ tools: ["Read", "Edit"], workspace: { allow_writes: true } }, false],
    [{ workspace: { allow_writes: true } }, false],
  ])("is read-only for an agent that may write nothing: %j", (fields, isReadOnly) => {
    expect(cursor.write?.(define(fields)).text.includes("readonly: true")).toBe(isReadOnly);
  });
});
