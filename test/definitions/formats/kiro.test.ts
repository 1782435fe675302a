import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kiro } from "../../../src/definitions/formats/kiro/kiro.ts";
import { PermissionMode } from "../../../src/schema/index.ts";
import { agentIn, backFrom, define, problemsOf } from "./foreign.ts";
import { isWider, show, USES, verdictOf } from "./uses.ts";

const md = (settings: string) => agentIn(kiro, `---\ndescription: d\n${settings}\n---\nLook.\n`, "a.md");
const json = (fields: object) =>
  agentIn(kiro, JSON.stringify({ name: "a", description: "d", prompt: "p", ...fields }), "a.json");

describe("a Markdown file of Kiro", () => {
  it("is read field by field", () => {
    const { definition, said } = md(
      "model: claude-sonnet-5\ntools: [read, shell, subagent, knowledge]\nresources: ['file://README.md']\nwelcomeMessage: Hi",
    );
    expect(definition).toMatchObject({
      name: "a",
      description: "d",
      prompt: "Look.",
      model: "claude-sonnet-5",
      permission_mode: "default",
      tools: ["Read", "Glob", "Grep", "List", "Bash"],
      x: { kiro: { resources: ["file://README.md"], welcomeMessage: "Hi" } },
    });
    expect(said.filter((one) => one === "narrowed tools")).toHaveLength(2);
    expect(backFrom(kiro, definition).definition).toEqual(definition);
  });

  it.each([
    ["no list of tools", "x: 1", { permission_mode: "denyUnasked", tools: ["Read", "Glob", "Grep", "List"] }],
    ["every tool", "tools: '*'", { permission_mode: "default", workspace: { allow_writes: true } }],
    ["reading", "tools: [read]", { permission_mode: "denyUnasked", workspace: { allow_writes: false } }],
    ["reading and the web", "tools: [read, web]", { permission_mode: "plan" }],
    [
      "a command that is denied",
      "tools: ['*']\npermissions: [{capability: shell, effect: deny, match: ['rm *']}]",
      { tools: { mode: "denylist", deny: ["Bash(rm *)"] } },
    ],
    [
      "rules in a map, as some write them",
      "tools: ['*']\npermissions: {rules: [{capability: fs_write, effect: deny, match: ['**/*.pem']}]}",
      { tools: { deny: ["Write(**/*.pem)", "Edit(**/*.pem)"] } },
    ],
    [
      "everything denied but some commands",
      "tools: [shell]\npermissions: [{capability: shell, effect: deny, exclude: ['git *']}]",
      { tools: ["Bash(git *)"], permission_mode: "default" },
    ],
    [
      "everything that is allowed",
      "tools: ['*']\npermissions: [{capability: all, effect: allow}]",
      { permission_mode: "auto", workspace: { allow_writes: true } },
    ],
    [
      "a rule that nobody can read",
      "tools: ['*']\npermissions: [{capability: shell, effect: maybe}]",
      { tools: { deny: ["Bash"] } },
    ],
    ["one server", "tools: [read, '@gh']", { tools: ["Read", "Glob", "Grep", "List", "mcp__gh__*"] }],
    [
      "one server but for a tool",
      "tools: ['@gh']\npermissions: [{capability: mcp, effect: deny, match: [gh/delete]}]",
      { tools: { mode: "allowlist", allow: ["mcp__gh__*"], deny: ["mcp__gh__delete"] } },
    ],
  ])("with %s", (_, settings, expected) => {
    expect(md(settings).definition).toMatchObject(expected);
  });

  it("says where what is allowed there is asked here", () => {
    const { said, definition } = md(
      "tools: [shell]\npermissions: [{capability: shell, effect: allow, match: ['npm *']}]",
    );
    expect(said).toContain("narrowed permissions");
    expect(verdictOf(definition, { tool: "Bash", effect: "exec", commands: ["npm test"] })).toBe("ask");
  });
});

describe("a JSON file of Kiro", () => {
  it("is read field by field, and goes back into JSON", () => {
    const { definition } = json({
      tools: ["fs_read", "fs_write", "execute_bash", "@git/status"],
      allowedTools: ["fs_*"],
      toolsSettings: { execute_bash: { deniedCommands: ["rm -rf .*"], allowedCommands: ["git status"] } },
      mcpServers: { git: { command: "git-mcp" } },
    });
    expect(definition).toMatchObject({
      prompt: "p",
      permission_mode: "acceptEdits",
      tools: {
        mode: "allowlist",
        allow: ["Read", "Write", "Edit", "List", "Bash", "mcp__git__status"],
        deny: ["Bash(*rm -rf *)"],
      },
      x: { kiro: { mcpServers: { git: { command: "git-mcp" } } } },
    });
    const back = backFrom(kiro, definition);
    expect(back.file).toBe("a.json");
    expect(back.definition).toEqual(definition);
  });

  it.each([
    ["no tools", {}, { tools: [] }],
    [
      "commands that are not named denied",
      { tools: ["shell"], toolsSettings: { shell: { denyByDefault: true, allowedCommands: ["git .*"] } } },
      { tools: ["Bash(git *)"] },
    ],
    [
      "a command that cannot be said here denied",
      { tools: ["read", "shell"], toolsSettings: { shell: { deniedCommands: ["(a|b)"] } } },
      { tools: ["Read", "List"] },
    ],
    [
      "addresses that are blocked",
      { tools: ["read", "web_fetch"], toolsSettings: { web_fetch: { blocked: ["x"] } } },
      { tools: ["Read", "List"] },
    ],
  ])("with %s", (_, fields, expected) => {
    expect(json(fields).definition).toMatchObject(expected);
  });

  it("with a prompt in another file is a problem", () => {
    const text = JSON.stringify({ name: "a", prompt: "file://./a.md" });
    expect(problemsOf(kiro, text, "a.json")).toEqual([
      "a: its prompt is in another file, file://./a.md, which is not read",
    ]);
  });
});

const rules = fc.constantFrom(
  "Read",
  "Edit",
  "Write",
  "Bash",
  "Bash(git diff *)",
  "Bash(rm *)",
  "Edit(src/**)",
  "WebFetch",
  "mcp__github__*",
  "mcp__github__delete",
  "List",
  "Grep",
  "Glob",
);
const lists = fc.uniqueArray(rules, { maxLength: 5 });
const definitions = fc.record({
  tools: fc.oneof(
    fc.constant(undefined),
    lists,
    fc.record({ mode: fc.constantFrom("allowlist", "denylist"), allow: lists, ask: lists, deny: lists }),
  ),
  permission_mode: fc.constantFrom(...PermissionMode.options),
  workspace: fc.record({ allow_writes: fc.boolean() }),
});

describe.each([
  ["Markdown", {}],
  ["JSON", { kiro: { _json: true } }],
])("a definition, written for Kiro in %s", (_, x) => {
  it("comes back with no more rights to write, run or call, and then stays as it is", () => {
    fc.assert(
      fc.property(definitions, (fields) => {
        const definition = define({ ...fields, x });
        const once = backFrom(kiro, definition);
        // Reading is one thing there.
        const uses = USES.filter(({ effect }) => effect !== "read" && effect !== "none");
        const wider = uses.filter((use) => isWider(verdictOf(once.definition, use), verdictOf(definition, use)));
        expect(wider.map(show)).toEqual([]);
        const twice = backFrom(kiro, once.definition);
        expect(twice.definition).toEqual(once.definition);
      }),
      { numRuns: 200 },
    );
  });
});
