import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { opencode } from "../../../src/definitions/formats/opencode/opencode.ts";
import { readPermission } from "../../../src/definitions/formats/opencode/read-permission.ts";
import { type AgentDefinition, type Json, PermissionMode } from "../../../src/schema/index.ts";
import { agentIn, backFrom, define } from "./foreign.ts";
import { isWider, show, type Use, USES, type Verdict, verdictOf } from "./uses.ts";

const KEYS: Readonly<Record<string, string>> = {
  Read: "read",
  Edit: "edit",
  Write: "edit",
  Grep: "grep",
  Glob: "glob",
  List: "list",
  Bash: "bash",
  WebFetch: "webfetch",
  WebSearch: "websearch",
  TodoWrite: "todowrite",
  mcp__github__search: "github_search",
  mcp__github__delete: "github_delete",
  mcp__other__thing: "other_thing",
};

const matches = (pattern: string, text: string): boolean => {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source.replace(/ \.\*$/, "( .*)?")}$`, "s").test(text);
};

/** opencode's own way to decide, written down again: everything is allowed, and the last rule that fits decides. */
function opencodeDecides(permission: Json, { tool, path, commands }: Use): Verdict {
  const entries = typeof permission === "string" ? [["*", permission] as const] : Object.entries(permission as object);
  const rules = entries.flatMap(([key, value]) =>
    (typeof value === "string" ? [["*", value]] : Object.entries(value as object)).map(([pattern, action]) => ({
      key,
      pattern,
      action: action as Verdict,
    })),
  );
  const key = KEYS[tool] ?? tool;
  const input = path ?? commands?.[0] ?? "*";
  return rules.findLast((rule) => matches(rule.key, key) && matches(rule.pattern, input))?.action ?? "allow";
}

const isRead = (permission: Json): AgentDefinition =>
  agentIn(opencode, `---\ndescription: d\npermission: ${JSON.stringify(permission)}\n---\np\n`, "a.md").definition;

const action = fc.constantFrom("allow", "ask", "deny");
const patterns = fc.constantFrom(
  "*",
  "git *",
  "git diff*",
  "git push",
  "rm *",
  "n?m test",
  "src/*",
  "*.md",
  "docs/x.md",
  "s*t*",
);
const value = fc.oneof(
  action,
  fc
    .uniqueArray(fc.tuple(patterns, action), { selector: ([pattern]) => pattern, maxLength: 4 })
    .map(Object.fromEntries),
);
const keys = fc.constantFrom(
  "*",
  "edit",
  "read",
  "bash",
  "grep",
  "webfetch",
  "web*",
  "github_*",
  "github_delete",
  "g*",
  "*_*",
  "task",
);
const permissions = fc.oneof(
  action,
  fc.uniqueArray(fc.tuple(keys, value), { selector: ([key]) => key, maxLength: 6 }).map(Object.fromEntries),
);

describe("permissions of opencode", () => {
  it("never become wider than opencode itself takes them", () => {
    fc.assert(
      fc.property(permissions, (permission) => {
        const definition = isRead(permission);
        const wider = USES.filter((use) => isWider(verdictOf(definition, use), opencodeDecides(permission, use)));
        expect(wider.map(show)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, Json, object]>([
    ["nothing", {}, { permission_mode: "default", tools: undefined }],
    ["everything", "allow", { permission_mode: "auto", tools: undefined }],
    [
      "every question",
      "ask",
      { permission_mode: "default", tools: { ask: ["Read", "Glob", "Grep", "List", "TodoWrite", "AskUser"] } },
    ],
    [
      "no edits",
      { edit: "deny" },
      { permission_mode: "default", tools: { mode: "denylist", deny: ["Edit", "Write"] } },
    ],
    ["edits only", { edit: "allow" }, { permission_mode: "acceptEdits", tools: undefined }],
    ["edits and commands", { edit: "allow", bash: "allow" }, { permission_mode: "acceptEdits" }],
    ["reading", { edit: "deny", bash: "deny" }, { permission_mode: "plan", workspace: { allow_writes: false } }],
    [
      "an allow list",
      { "*": "deny", read: "allow", grep: "allow" },
      { permission_mode: "denyUnasked", tools: ["Read", "Grep"] },
    ],
    [
      "some commands",
      { "*": "deny", read: "allow", bash: { "*": "deny", "git diff*": "allow" } },
      { permission_mode: "auto", tools: ["Read", "Bash(git diff*)"] },
    ],
    [
      "some commands, asked",
      { "*": "deny", bash: { "git push*": "ask" } },
      { permission_mode: "default", tools: ["Bash(git push*)"] },
    ],
    [
      "all commands but some",
      { bash: { "*": "allow", "rm *": "deny" } },
      { tools: { mode: "denylist", deny: ["Bash(rm *)"], ask: [] } },
    ],
    [
      "some folders",
      { edit: { "*": "deny", "src/*": "allow" } },
      { tools: expect.arrayContaining(["Edit(src/**)", "Write(src/**)"]) },
    ],
    ["a server", { "github_*": "deny" }, { tools: { deny: ["mcp__github__*"] } }],
    ["a server whose name has a sign", { my_srv_x: "deny" }, { tools: { deny: ["mcp__my__srv_x", "mcp__my_srv__x"] } }],
  ])("that say %s", (_, permission, expected) => {
    const { permission_mode, tools, workspace } = isRead(permission);
    expect({ permission_mode, tools, workspace }).toMatchObject(expected);
  });

  it("in the older form are read in their order, writing and patching as editing", () => {
    const { tools, permission_mode } = readPermission(undefined, { write: true, bash: false, patch: false });
    expect({ tools, permission_mode }).toEqual({
      permission_mode: "plan",
      tools: { mode: "denylist", allow: [], ask: [], deny: ["Edit", "Write", "Bash"] },
    });
  });

  it.each<[string, Json]>([
    ["a later rule that loosens an earlier one", { bash: { "*": "allow", "git *": "deny", "git diff": "allow" } }],
    ["a pattern that we do not have", { edit: { "*": "allow", "a*b/c": "deny" } }],
    ["commands that run unasked beside something that is left open", { bash: "allow" }],
    ["delegation", { task: { "*": "allow" } }],
  ])("say it where they are narrowed: %s", (_, permission) => {
    const text = `---\ndescription: d\npermission: ${JSON.stringify(permission)}\n---\np\n`;
    expect(agentIn(opencode, text, "a.md").said).toContain("narrowed permission");
  });

  it("restrict under a name that opencode passes over", () => {
    const { definition, said } = agentIn(
      opencode,
      "---\ndescription: d\npermissions: { bash: deny }\n---\np\n",
      "a.md",
    );
    expect(definition.tools).toMatchObject({ deny: ["Bash"] });
    expect(said).toContain("repaired permissions");
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
  "Grep",
);
const lists = fc.uniqueArray(rules, { maxLength: 4 });
const definitions = fc
  .record({
    tools: fc.oneof(
      fc.constant(undefined),
      lists,
      fc.record({ mode: fc.constantFrom("allowlist", "denylist"), allow: lists, ask: lists, deny: lists }),
    ),
    permission_mode: fc.constantFrom(...PermissionMode.options),
    workspace: fc.record({ allow_writes: fc.boolean() }),
  })
  .map((fields) => define(fields));

describe("a definition, written for opencode", () => {
  it("gives nothing there that it does not give here", () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const text = opencode.write?.(definition).text ?? "";
        const permission = agentIn(opencode, text, "a.md").definition.x["opencode"]?.["permission"] ?? "allow";
        const wider = USES.filter((use) => isWider(opencodeDecides(permission, use), verdictOf(definition, use)));
        expect(wider.map(show)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it("comes back with the same rights, and then stays as it is", () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const once = backFrom(opencode, definition);
        const wider = USES.filter((use) => isWider(verdictOf(once.definition, use), verdictOf(definition, use)));
        expect(wider.map(show)).toEqual([]);
        const twice = backFrom(opencode, once.definition);
        expect(twice.text).toBe(once.text);
        expect(twice.definition).toEqual(once.definition);
      }),
      { numRuns: 200 },
    );
  });
});
