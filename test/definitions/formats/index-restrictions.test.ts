// What becomes of each kind of restriction on its way through each format: written, and read again.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormatId } from "../../../src/definitions/formats/format.ts";
import { loadFormat } from "../../../src/definitions/formats/index.ts";
import { type AgentDefinition, PermissionMode } from "../../../src/schema/index.ts";
import { backFrom, define } from "./foreign.ts";
import { isWider, USES, type Verdict, verdictOf } from "./uses.ts";

const FREE = { permission_mode: "auto", workspace: { allow_writes: true } };

const RESTRICTIONS = {
  "allow list": { ...FREE, tools: ["Read", "Grep", "Glob", "List"] },
  "deny list": { ...FREE, tools: { mode: "denylist", deny: ["Bash"] } },
  ask: { ...FREE, tools: { mode: "denylist", ask: ["Bash"] } },
  "allowed commands": { ...FREE, tools: ["Read", "Grep", "Glob", "List", "Bash(git diff *)"] },
  "denied commands": { ...FREE, tools: { mode: "denylist", deny: ["Bash(rm *)"] } },
  plan: { ...FREE, permission_mode: "plan" },
  denyUnasked: { ...FREE, permission_mode: "denyUnasked" },
  default: { ...FREE, permission_mode: "default" },
  acceptEdits: { ...FREE, permission_mode: "acceptEdits" },
  "no writes": { ...FREE, workspace: { allow_writes: false } },
} as const;
type Restriction = keyof typeof RESTRICTIONS;

const WRITTEN = ["opencode", "kiro", "factory", "roo", "goose", "cursor", "codex", "glee"] as const;

/** What becomes wider, for whoever compares to find. Roo Code gives every mode its list of things to do. */
const WIDER: Readonly<Record<(typeof WRITTEN)[number], Partial<Record<Restriction, string>>>> = {
  // Permissions per tool: everything can be said, also of the modes.
  opencode: {},
  kiro: {},
  // Lists: what is asked cannot be said, and reads back as asked, since there the session decides.
  factory: { "denied commands": "Bash" },
  roo: { "allow list": "TodoWrite", "allowed commands": "TodoWrite", "denied commands": "Bash" },
  // Goose has nothing to search or fetch with but the shell, and so less than is allowed.
  goose: { "denied commands": "Bash" },
  // `readonly` or everything.
  cursor: {
    "allow list": "TodoWrite WebFetch WebSearch",
    "allowed commands": "TodoWrite WebFetch WebSearch",
    "deny list": "Bash",
    "denied commands": "Bash",
    denyUnasked: "WebFetch WebSearch",
  },
  // Nothing but whether there is a shell.
  codex: {
    "allow list": "Bash Edit TodoWrite WebFetch WebSearch Write",
    "allowed commands": "Bash Edit TodoWrite WebFetch WebSearch Write",
    "denied commands": "Bash",
    plan: "Bash Edit Write",
    denyUnasked: "Bash Edit WebFetch WebSearch Write",
    "no writes": "Edit Write",
  },
  // Its agents write nothing; which tools they have can be said.
  glee: { "denied commands": "Bash", plan: "Bash", denyUnasked: "Bash WebFetch WebSearch" },
};

/** The tools of which some use became wider. Tools of servers are looked at where a format has rules for them. */
function widened(before: AgentDefinition, after: AgentDefinition): string {
  const wider = USES.filter(({ tool }) => !tool.startsWith("mcp__")).filter((use) =>
    isWider(verdictOf(after, use), verdictOf(before, use)),
  );
  return [...new Set(wider.map(({ tool }) => tool))].toSorted().join(" ");
}

const cases = WRITTEN.flatMap((id) =>
  Object.entries(RESTRICTIONS).map(([kind, fields]) => [id, kind as Restriction, fields] as const),
);

describe("a restriction, written for another program and read again", () => {
  it.each(cases)("%s: %s", async (id, kind, fields) => {
    const definition = define(fields);
    const back = backFrom(await loadFormat(id), definition);
    expect(widened(definition, back.definition)).toBe(WIDER[id][kind] ?? "");
  });

  it.each<[FormatId, number | undefined]>([
    ["opencode", 7],
    ["goose", 7],
    ["kiro", undefined],
    ["factory", undefined],
    ["roo", undefined],
    ["cursor", undefined],
    ["codex", undefined],
    ["glee", undefined],
  ])("%s: at most seven turns are %s", async (id, turns) => {
    expect(backFrom(await loadFormat(id), define({ max_turns: 7 })).definition.max_turns).toBe(turns);
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
  "mcp__gh__*",
  "mcp__gh__x",
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
    max_turns: fc.constantFrom(undefined, 3),
  })
  .map((fields) => define(fields));

describe.each(WRITTEN)("what is written for %s", (id) => {
  it("is read again without being narrowed, and then stays as it is", async () => {
    const format = await loadFormat(id);
    fc.assert(
      fc.property(definitions, (definition) => {
        const once = backFrom(format, definition);
        expect(once.remarks.filter(({ kind }) => kind === "narrowed")).toEqual([]);
        const twice = backFrom(format, once.definition);
        expect(twice.definition).toEqual(once.definition);
        expect(twice.text).toBe(once.text);
      }),
      { numRuns: 100 },
    );
  });
});

const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ,.'"#:{}[\]&*!|>%@`$\\/-]{0,40}$/).map((text) => text.trim());
const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}[a-z0-9]$/);

describe.each(WRITTEN)("what %s can say", (id) => {
  it("comes back as it was: name, description and prompt", async () => {
    const format = await loadFormat(id);
    fc.assert(
      fc.property(names, word, fc.array(word, { minLength: 1, maxLength: 4 }), (name, description, lines) => {
        const prompt = lines.join("\n");
        fc.pre(!prompt.includes("{{"));
        const { definition } = backFrom(format, define({ name, description, prompt, ...FREE }));
        expect({ ...definition, description: definition.description.trim() }).toMatchObject({
          name,
          description,
          prompt,
        });
      }),
      { numRuns: 60 },
    );
  });
});

const VERDICTS: readonly Verdict[] = ["deny", "ask", "allow"];

it("has a judge that tells verdicts apart", () => {
  const found = new Set(
    USES.flatMap((use) => Object.values(RESTRICTIONS).map((fields) => verdictOf(define(fields), use))),
  );
  expect([...found].toSorted()).toEqual(VERDICTS.toSorted());
});
