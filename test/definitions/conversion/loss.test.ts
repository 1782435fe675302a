import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportAgent, restrictionsLost } from "../../../src/definitions/conversion/export-agent.ts";
import { isRestriction, lossOf } from "../../../src/definitions/conversion/loss.ts";
import { FORMATS } from "../../../src/definitions/formats/format.ts";
import { loadFormat } from "../../../src/definitions/formats/index.ts";
import { anyDefinition } from "../any-definition.ts";
import { define } from "../formats/foreign.ts";
import { isWider, USES, verdictOf } from "../formats/uses.ts";

const said = (one: object, other: object): string[] =>
  lossOf(define(one), define(other)).map(
    (remark) => `${isRestriction(remark) ? "RESTRICTION" : remark.kind} ${remark.field}`,
  );

test("nothing is lost between an agent and itself", () => {
  fc.assert(fc.property(anyDefinition, (definition) => lossOf(definition, structuredClone(definition)).length === 0));
});

describe("rights are compared by what they let happen:", () => {
  test.each<[string, object, object, string[]]>([
    ["another way to write the same", { tools: ["Bash(git diff:*)"] }, { tools: ["Bash(git diff *)"] }, []],
    ["a list or a map", { tools: ["Read"] }, { tools: { mode: "allowlist", allow: ["Read"] } }, []],
    ["the same tools in another order", { tools: ["Read", "Grep"] }, { tools: ["Grep", "Read"] }, []],
    ["a tool less", { tools: ["Read", "Grep"] }, { tools: ["Read"] }, ["narrowed tools"]],
    ["a tool more", { tools: ["Read"] }, { tools: ["Read", "Grep"] }, ["RESTRICTION tools"]],
    ["every tool", { tools: ["Read"] }, {}, ["RESTRICTION tools"]],
    ["a wider pattern", { tools: ["Bash(git diff *)"] }, { tools: ["Bash(git *)"] }, ["RESTRICTION tools"]],
    ["a pattern without its blank", { tools: ["Bash(git *)"] }, { tools: ["Bash(git*)"] }, ["RESTRICTION tools"]],
    ["a pattern that nobody understands", { tools: ["Read([a]*)"] }, { tools: ["Read([ab]*)"] }, ["RESTRICTION tools"]],
    ["a deny that is gone", { tools: { mode: "denylist", deny: ["Read(secrets/**)"] } }, {}, ["RESTRICTION tools"]],
    [
      "an ask that is gone",
      { permission_mode: "auto", tools: { mode: "denylist", ask: ["Bash(git push *)"] } },
      { permission_mode: "auto" },
      ["RESTRICTION tools"],
    ],
    ["delegation", { tools: ["Read", "Task(reviewer)"] }, { tools: ["Read", "Task"] }, ["RESTRICTION tools"]],
    [
      "a role that delegates",
      {},
      { capabilities: ["orchestrator"] },
      ["RESTRICTION capabilities", "narrowed capabilities"],
    ],
    ["a freer mode", { permission_mode: "default" }, { permission_mode: "auto" }, ["RESTRICTION permission_mode"]],
    [
      "modes of which each is freer in something",
      { permission_mode: "plan" },
      { permission_mode: "denyUnasked" },
      ["narrowed permission_mode"],
    ],
    ["a mode that makes no difference", { tools: ["Read"], permission_mode: "plan" }, { tools: ["Read"] }, []],
    ["a scope that is gone", { policy: { fs: { read: ["src"] } } }, {}, ["RESTRICTION policy.fs"]],
    [
      "a deeper scope",
      { policy: { fs: { read: ["src"] } } },
      { policy: { fs: { read: ["src/a"] } } },
      ["narrowed policy.fs"],
    ],
    ["hosts", { policy: { network: ["a.org"] } }, { policy: { network: ["*.org"] } }, ["RESTRICTION policy.network"]],
    ["variables", { policy: { env: { allow: [] } } }, {}, ["RESTRICTION policy.env"]],
    [
      "writing, where only a command could",
      { tools: ["Bash"] },
      { tools: ["Bash"], workspace: { allow_writes: true } },
      ["RESTRICTION workspace.allow_writes"],
    ],
    ["writing, where nothing can", { tools: ["Read"] }, { tools: ["Read"], workspace: { allow_writes: true } }, []],
  ])("%s", (_, one, other, expected) => {
    expect(said(one, other)).toEqual(expected);
  });

  test("more rules than can be compared have to be the same", () => {
    const rules = Array.from({ length: 400 }, (_, index) => `Bash(run-${index})`);
    expect(said({ tools: rules }, { tools: rules })).toEqual([]);
    expect(said({ tools: rules }, { tools: rules.slice(1) })).toEqual(["RESTRICTION tools"]);
    expect(said({ tools: rules }, { tools: rules, permission_mode: "auto" })).toEqual(["RESTRICTION permission_mode"]);
    const many = `{${Array.from({ length: 60 }, (_, index) => `a${index}`).join(",")}}`;
    const patterns = Array.from({ length: 100 }, (_, index) => `Read(${index}/${many}/**)`);
    expect(said({ tools: patterns }, { tools: patterns })).toEqual([]);
    expect(said({ tools: patterns }, { tools: patterns.slice(1) })).toEqual(["RESTRICTION tools"]);
  });
});

describe("limits, endings and the rest:", () => {
  test.each<[string, object, object, string[]]>([
    ["a limit that is gone", { max_turns: 5 }, {}, ["RESTRICTION max_turns"]],
    ["a higher limit", { budget_usd: 1 }, { budget_usd: 2 }, ["RESTRICTION budget_usd"]],
    ["a lower limit", { timeout_mins: 5 }, { timeout_mins: 1 }, ["narrowed timeout_mins"]],
    ["a limit that was not there", {}, { max_tokens: 5 }, ["narrowed max_tokens"]],
    ["a gate", { completion: { gates: [{ agent: "reviewer" }] } }, {}, ["RESTRICTION completion.gates"]],
    ["an exit", { completion: { exits: ["complete_task"] } }, {}, ["RESTRICTION completion.exits"]],
    ["nudges", { completion: { nudges: 1 } }, {}, ["narrowed completion.nudges"]],
    ["a role more", {}, { capabilities: ["subtask", "primary"] }, ["RESTRICTION capabilities"]],
    ["its own tree", { workspace: { mode: "worktree" } }, {}, ["RESTRICTION workspace.mode"]],
    ["a tree of its own at last", {}, { workspace: { mode: "worktree" } }, ["narrowed workspace.mode"]],
    ["memories", { memory: "none" }, {}, ["RESTRICTION memory"]],
    ["fewer memories", { memory: "user" }, {}, ["narrowed memory"]],
    ["the prompt", { prompt: "a" }, { prompt: "b" }, ["RESTRICTION prompt"]],
    ["blanks around the prompt", { prompt: " a\r\nb" }, { prompt: "a\nb\n" }, []],
    ["the program", { command: ["true"] }, {}, ["RESTRICTION command"]],
    ["a typed result", { output: { schema: {} } }, {}, ["lost output"]],
    ["the provider's name", { model: "anthropic/sonnet" }, { model: "sonnet" }, []],
    ["the model", { model: "opus" }, { model: "sonnet" }, ["lost model"]],
    ["what was kept aside", { x: { claude: { color: "red" } } }, {}, ["lost x-claude"]],
  ])("%s", (_, one, other, expected) => {
    expect(said(one, other)).toEqual(expected);
  });
});

const RULES = [
  "Read",
  "Grep",
  "Glob",
  "List",
  "Edit",
  "Write",
  "Bash",
  "WebFetch",
  "WebSearch",
  "Bash(git diff *)",
  "Bash(rm *)",
  "Edit(src/**)",
  "Read(secrets/**)",
  "mcp__github__search",
  "mcp__github",
  "*",
];
const rules = fc.subarray(RULES);
const PERMISSION_MODES = ["plan", "denyUnasked", "default", "acceptEdits", "auto"] as const;

/** What people write: known tools, in any list, under any mode. */
const likely = fc
  .record({
    tools: fc.option(
      fc.oneof(
        rules,
        fc.record({ mode: fc.constantFrom("allowlist", "denylist"), allow: rules, ask: rules, deny: rules }),
      ),
      { nil: undefined },
    ),
    permission_mode: fc.constantFrom(...PERMISSION_MODES),
    workspace: fc.record({ allow_writes: fc.boolean() }),
  })
  .map((fields) => define(fields));

describe("what is exported without a word may do no more there than here:", async () => {
  const formats = await Promise.all(FORMATS.map((id) => loadFormat(id)));

  test.each(formats.filter((format) => format.write !== undefined))("$id", (format) => {
    fc.assert(
      fc.property(fc.oneof(likely, anyDefinition), (definition) => {
        const exported = exportAgent(definition, format, undefined);
        if (!exported.ok || restrictionsLost(exported.remarks).length > 0) return;
        const [back] = format.read({ path: exported.file, below: exported.file, text: exported.text });
        if (back?.ok !== true) throw new Error("it was read before, and now it is not");
        const wider = USES.filter((use) => isWider(verdictOf(back.definition, use), verdictOf(definition, use)));
        expect(wider).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
