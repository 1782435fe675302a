import { describe, expect, it } from "vitest";
import { factory } from "../../../src/definitions/formats/factory.ts";
import { agentIn, backFrom, define } from "./foreign.ts";

const read = (settings: string) => agentIn(factory, `---\n${settings}\n---\nLook.\n`, "reviewer.md");

describe("a droid of Factory", () => {
  it("is read field by field", () => {
    const { definition, said } = read(
      "name: reviewer\ndescription: d\nmodel: custom:glm\nreasoningEffort: low\ntools: [Read, Execute, Task, mcp__gh__x]\nmcpServers: [gh]",
    );
    expect(definition).toEqual(
      define({
        name: "reviewer",
        prompt: "Look.",
        model: "custom:glm",
        effort: "low",
        tools: ["Read", "Bash", "mcp__gh__x"],
        workspace: { allow_writes: true },
        mcp_servers: ["gh"],
        x: { factory: { tools: ["Task"], mcpServers: ["gh"] } },
      }),
    );
    expect(said).toContain("narrowed tools");
    expect(backFrom(factory, definition).definition).toEqual(definition);
  });

  it.each([
    ["read-only", ["Read", "List", "Grep", "Glob"]],
    ["edit", ["Write", "Edit"]],
    ["execute", ["Bash"]],
    ["web", ["WebSearch", "WebFetch"]],
    ["mcp", ["mcp__*__*"]],
    ["[read-only, execute]", ["Read", "List", "Grep", "Glob", "Bash"]],
    ["[]", []],
    ["5", []],
  ])("with tools: %s has %j", (tools, expected) => {
    expect(read(`name: a\ndescription: d\ntools: ${tools}`).definition.tools).toEqual(expected);
  });

  it("without a list has every tool, and is written back without one", () => {
    const { definition } = read("name: a\ndescription: d");
    expect(definition.tools).toBeUndefined();
    expect(factory.write?.(definition).text).not.toContain("tools");
  });

  it.each([
    ["plan", ["Read", "Glob", "Grep", "LS", "FetchUrl", "WebSearch", "TodoWrite"]],
    ["denyUnasked", ["Read", "Glob", "Grep", "LS", "TodoWrite"]],
  ])("leaves out what the permission mode %s denies", (permission_mode, tools) => {
    const { definition } = backFrom(factory, define({ permission_mode, workspace: { allow_writes: true } }));
    const given = agentIn(factory, `---\nname: a\ndescription: d\ntools: [${tools.join(", ")}]\n---\n`, "a.md");
    expect(new Set(definition.tools as string[])).toEqual(new Set(given.definition.tools as string[]));
  });
});
