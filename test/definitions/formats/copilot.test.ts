import { describe, expect, it } from "vitest";
import { copilot } from "../../../src/definitions/formats/copilot.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";

const read = (text: string, below = "a.agent.md") => copilot.read({ path: `.github/agents/${below}`, below, text });
const agent = (settings: string, body = "Body") => {
  const [reading] = read(`---\ndescription: d\n${settings}\n---\n${body}\n`);
  if (reading?.ok !== true) throw new Error(reading?.problem ?? "no reading");
  return { definition: reading.definition, said: reading.remarks.map(({ kind, field }) => `${kind} ${field}`) };
};
const written = (fields: object): string =>
  copilot.write?.(AgentDefinition.parse({ name: "a", description: "d", ...fields })).text ?? "";

describe("a file of Copilot", () => {
  it("is read field by field", () => {
    const { definition, said } = agent(
      "name: Docs Writer\ntools: ['read', 'search', 'edit', 'github/*']\nmodel: gpt-5\nreasoningEffort: high\ntarget: vscode",
    );
    expect(definition).toMatchObject({
      name: "docs-writer",
      display_name: "Docs Writer",
      prompt: "Body",
      tools: ["Read", "List", "Grep", "Glob", "Edit", "Write", "mcp__github__*"],
      model: "gpt-5",
      effort: "high",
      permission_mode: "default",
      workspace: { mode: "shared", allow_writes: true },
      x: { copilot: { name: "Docs Writer", target: "vscode" } },
    });
    expect(said).toEqual(["mapped name", "mapped tools", "kept target"]);
  });

  it.each([
    ["api.agent.md", "api"],
    ["api.md", "api"],
    ["API Helper.agent.md", "api-helper"],
  ])("in %s without a name is called %s", (below, name) => {
    expect(read("---\ndescription: d\n---\nBody", below)).toMatchObject([{ ok: true, definition: { name } }]);
  });

  it.each([
    ["", undefined],
    ["tools: ['*']", undefined],
    ["tools: []", []],
    ["tools: read, execute", ["Read", "List", "Bash"]],
    ["tools: [agent, web]", ["WebFetch", "WebSearch"]],
    ["tools: [search/codebase, vscode/extensions, com.example/thing]", ["Grep", "Glob"]],
  ])("with %j has the tools %j", (settings, tools) => {
    expect(agent(settings).definition.tools).toEqual(tools);
  });

  it.each([
    ["disable-model-invocation: true", ["primary"]],
    ["disable-model-invocation: false", ["subtask"]],
    ["infer: false", ["primary"]],
    ["infer: true", ["subtask"]],
    ["", ["subtask"]],
  ])("with %j is for %j", (settings, capabilities) => {
    const { definition } = agent(settings);
    expect(definition.capabilities).toEqual(capabilities);
    expect(read(copilot.write?.(definition).text ?? "")).toMatchObject([{ definition: { capabilities } }]);
  });

  it("uses the first of several models, and writes them all", () => {
    const { definition } = agent("model: [gpt-5, claude-x]");
    expect(definition.model).toBe("gpt-5");
    expect(copilot.write?.(definition).text).toContain("model:\n  - gpt-5\n  - claude-x");
    expect(copilot.write?.({ ...definition, model: "gpt-6" }).text).toContain("model: gpt-6");
  });

  it("says that a prompt is too long for Copilot", () => {
    expect(agent("", "x".repeat(30_000)).said).toEqual([]);
    const { definition, said } = agent("", "x".repeat(30_001));
    expect([said, definition.prompt.length]).toEqual([["repaired prompt"], 30_001]);
  });

  it("keeps what has no meaning here", () => {
    const settings =
      "mcp-servers: {a: {type: local}}\nhandoffs: [{label: x, agent: y}]\nargument-hint: h\nuser-invocable: false";
    const { definition, said } = agent(settings);
    expect(Object.keys(definition.x["copilot"] ?? {})).toEqual([
      "mcp-servers",
      "handoffs",
      "argument-hint",
      "user-invocable",
    ]);
    expect(said).toHaveLength(4);
  });

  it("without a description or front matter is a problem; a README is nothing", () => {
    expect(read("---\nname: a\n---\n")).toMatchObject([{ ok: false }]);
    expect(read("# Title")).toMatchObject([{ ok: false }]);
    expect(read("# Agents", "README.md")).toEqual([]);
  });
});

describe("writing for Copilot", () => {
  it("uses the broad names only where they give no more", () => {
    expect(written({ tools: ["Read", "List", "Edit", "Write", "Grep"] })).toContain(
      "tools:\n  - read\n  - edit\n  - Grep\n",
    );
    expect(written({ tools: ["WebFetch"] })).not.toContain("- web\n");
    expect(copilot.write?.(AgentDefinition.parse({ name: "a", description: "d" })).file).toBe("a.agent.md");
  });
  it("can say a deny list only as what is left", () => {
    const text = written({ tools: { mode: "denylist", deny: ["Bash", "Edit", "Write", "WebFetch", "HttpRequest"] } });
    const [reading] = read(text);
    const tools = reading?.ok === true ? reading.definition.tools : undefined;
    expect(tools).toEqual(["Read", "List", "Grep", "Glob", "WebSearch", "TodoWrite"]);
  });
});
