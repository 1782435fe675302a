// What people write: agent definitions and tapes. Strict, so that a misspelt key is found at once.
import { describe, expect, it } from "vitest";
import { AgentDefinition, NOT_YET, PermissionMode, Tape, TapeStep } from "../../src/schema/index.ts";

const minimal = { name: "Explore", description: "Looks around." };
const accepts = (fields: object): boolean => AgentDefinition.safeParse({ ...minimal, ...fields }).success;

describe("an agent definition", () => {
  it("needs a name and a description, and fills in the rest", () => {
    expect(AgentDefinition.parse(minimal)).toEqual({
      name: "Explore",
      description: "Looks around.",
      kind: "local",
      capabilities: ["subtask"],
      model: "inherit",
      prompt: "",
      inputs: [],
      permission_mode: "default",
      policy: {},
      workspace: { mode: "shared", allow_writes: false },
      completion: { gates: [], nudges: 3 },
      background: false,
      memory: "project",
      x: {},
    });
  });

  it("that is read again stays as it is, defaults and all", () => {
    const once = AgentDefinition.parse({
      ...minimal,
      display_name: "Explorer",
      capabilities: ["primary", "orchestrator"],
      backend: ["claude", "tape"],
      tape: [{ say: "Hello." }],
      prompt: "Look at ${where}.",
      inputs: [{ name: "where" }, { name: "depth", type: "integer", default: 2, required: false }],
      output: { schema: { type: "object" } },
      tools: { mode: "denylist", deny: ["Bash"] },
      permission_mode: "plan",
      policy: { fs: { read: ["src"] }, network: ["example.com"], env: { allow: ["CI"] } },
      workspace: { allow_writes: true },
      max_turns: 5,
      timeout_mins: 0.5,
      max_output_kb: 10,
      max_tokens: 1_000,
      budget_usd: 0.25,
      retry: { attempts: 3, on: ["timeout"] },
    });
    expect(AgentDefinition.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
    expect(once.inputs[0]).toEqual({ name: "where", type: "string" });
    expect(once.tools).toEqual({ mode: "denylist", allow: [], ask: [], deny: ["Bash"] });
    expect(once.workspace).toEqual({ mode: "shared", allow_writes: true });
  });

  it.each(["name", "description"] as const)("without a %s is refused", (key) => {
    const { [key]: _, ...rest } = minimal;
    expect(AgentDefinition.safeParse(rest).success).toBe(false);
  });

  it.each([
    ["a misspelt key", { max_turn: 3 }],
    ["a misspelt key of a tool list", { tools: { mode: "allowlist", alow: [] } }],
    ["a misspelt key of an input", { inputs: [{ name: "a", requird: true }] }],
    ["a misspelt key of the policy", { policy: { netwrk: true } }],
    ["a misspelt key of the file scopes", { policy: { fs: { reed: ["."] } } }],
    ["a misspelt key of the workspace", { workspace: { allow_write: true } }],
    ["a misspelt key of the output", { output: { schema: {}, shema: {} } }],
    ["a misspelt key of the retry", { retry: { attempts: 2, on: [], of: [] } }],
    ["a misspelt key in its tape", { tape: [{ say: "a", sai: "b" }] }],
  ])("with %s is refused", (_, fields) => {
    expect(accepts(fields)).toBe(false);
  });

  it.each(NOT_YET)("with %s, which is still to come, is refused and not ignored", (key) => {
    expect(accepts({ [key]: "x" })).toBe(false);
    expect(Object.keys(AgentDefinition.shape)).not.toContain(key);
  });

  it.each([
    ["name", "a", true],
    ["name", "Code_Review-2", true],
    ["name", "a".repeat(64), true],
    ["name", "a".repeat(65), false],
    ["name", "", false],
    ["name", "a b", false],
    ["name", "../a", false],
    ["name", "a#1", false],
    ["name", "a\n", false],
    ["description", "", false],
    ["backend", "tape", true],
    ["backend", ["claude", "tape"], true],
    ["backend", [], false],
    ["backend", "Tape", false],
    ["backend", "9lives", false],
    ["backend", "../tape", false],
    ["command", ["agent", "--quiet"], true],
    ["command", [], false],
    ["command", ["agent", ""], false],
    ["command", "agent --quiet", false],
    ["capabilities", [], false],
    ["capabilities", ["subtask", "watcher"], true],
    ["capabilities", ["boss"], false],
    ["inputs", [{ name: "a_1" }], true],
    ["inputs", [{ name: "1a" }], false],
    ["inputs", [{ name: "a-b" }], false],
    ["inputs", [{ name: "a", type: "date" }], false],
    ["inputs", [{ name: "a", default: null }], false],
    ["permission_mode", "everything", false],
    ["workspace", { mode: "elsewhere" }, false],
    ["max_turns", 1, true],
    ["max_turns", 0, false],
    ["max_turns", 1.5, false],
    ["timeout_mins", 0.1, true],
    ["timeout_mins", 0, false],
    ["timeout_mins", Infinity, false],
    ["max_output_kb", 0, false],
    ["max_tokens", -1, false],
    ["budget_usd", 0.01, true],
    ["budget_usd", 0, false],
    ["retry", { attempts: 1, on: [] }, true],
    ["retry", { attempts: 0, on: [] }, false],
    ["retry", { attempts: 11, on: [] }, false],
    ["retry", { attempts: 2, on: ["refused"] }, false],
    ["retry", { attempts: 2, on: ["refused", "budget"] }, false],
    ["output", { schema: { type: "object" } }, true],
    ["output", { schema: "object" }, false],
    ["output", {}, false],
  ])("with %s of %j: %s", (key, value, ok) => {
    expect(accepts({ [key]: value })).toBe(ok);
  });

  it("knows the permission modes from the narrowest to the widest", () => {
    expect(PermissionMode.options).toEqual(["plan", "denyUnasked", "default", "acceptEdits", "auto"]);
  });
});

describe("a tape", () => {
  const steps = [
    { say: "Let me look." },
    { read: "package.json" },
    { read: "package.json", expect: "cadre" },
    { write: "notes.md", content: "# Notes" },
    { call: "Grep", input: { pattern: "x" }, expect: "y" },
    { ask: "Which one?" },
    { delegate: "oracle", prompt: "Why?" },
    { delegate: "oracle", prompt: "Why?", inputs: { depth: 2 }, background: true },
    { together: [{ read: "a" }, { write: "b", content: "c" }, { ask: "d" }, { delegate: "e", prompt: "f" }] },
    { spend: { microUsd: 500, tokens: 20 } },
    { pause_ms: 50 },
    { hear: "Look in test." },
    { hang: true },
    { crash: "out of memory" },
    { fail: "rate_limited", message: "slow down" },
    { answer: "There are three." },
    { answer: "There are three.", output: { tests: 3 } },
    { feedback: "no number" },
  ];
  const rows = steps.map((step) => ({ step, text: JSON.stringify(step) }));

  it.each(rows)("takes $text as a step", ({ step }) => {
    expect(TapeStep.parse(step)).toEqual(step);
  });

  it.each(rows)("refuses $text with a key that it does not know", ({ step }) => {
    expect(TapeStep.safeParse({ ...step, extra: 1 }).success).toBe(false);
  });

  it("has an example of each kind of step here", () => {
    const kinds = TapeStep.options.map((option) => Object.keys(option.shape)[0]);
    expect(new Set(steps.map((step) => Object.keys(step)[0]))).toEqual(new Set(kinds));
  });

  it.each([
    ["two steps in one", { say: "a", read: "b" }],
    ["a step of no kind", {}],
    ["a write without content", { write: "a" }],
    ["a delegation without a prompt", { delegate: "oracle" }],
    ["an empty bundle of calls", { together: [] }],
    ["words among calls", { together: [{ say: "a" }] }],
    ["a bundle within a bundle", { together: [{ together: [{ read: "a" }] }] }],
    ["a negative cost", { spend: { microUsd: -1, tokens: 0 } }],
    ["a cost of one unit only", { spend: { microUsd: 1 } }],
    ["a pause of more than an hour", { pause_ms: 3_600_001 }],
    ["a negative pause", { pause_ms: -1 }],
    ["no hanging", { hang: false }],
    ["an unknown failure", { fail: "tired", message: "a" }],
    ["a failure without a message", { fail: "refused" }],
    ["plain text", "say hello"],
  ])("refuses %s", (_, step) => {
    expect(TapeStep.safeParse(step).success).toBe(false);
  });

  it("is a list of steps, and may be empty", () => {
    expect(Tape.parse(steps)).toEqual(steps);
    expect(Tape.parse([])).toEqual([]);
    expect(Tape.safeParse([...steps, { sai: "a" }]).success).toBe(false);
    expect(Tape.safeParse({ steps }).success).toBe(false);
  });
});
