import { describe, expect, it } from "vitest";
import { readYeetFiles, yeet } from "../../../src/definitions/formats/yeet.ts";
import { agentIn, define, problemsOf } from "./foreign.ts";

const read = (profile: object) =>
  agentIn(yeet, JSON.stringify({ description: "d", prompt: "p", ...profile }), "a.json");
const file = (below: string, value: unknown) => ({ path: below, below, text: JSON.stringify(value) });

describe("a profile of Yeet", () => {
  it("is read field by field", () => {
    const { definition } = read({
      model: "anthropic/claude-sonnet-5",
      temperature: 0.1,
      maxTurns: 7,
      capabilities: ["subtask", "watcher"],
      tools: ["read", "grep", "bash", "spawn_subagent"],
      workspace: { mode: "sandbox", cwd: "pkg", allowWrites: true },
      slash: "/oracle",
    });
    expect(definition).toEqual(
      define({
        model: "anthropic/claude-sonnet-5",
        temperature: 0.1,
        max_turns: 7,
        capabilities: ["subtask", "watcher"],
        tools: ["Read", "Grep", "Bash"],
        workspace: { mode: "sandbox", path: "pkg", allow_writes: true },
        x: { yeet: { slash: "/oracle" } },
      }),
    );
  });

  it.each([
    ["nothing", undefined, { mode: "shared", allow_writes: false }],
    ["a mode only", { mode: "custom" }, { mode: "custom", allow_writes: false }],
    ["a mode that nobody knows", { mode: "wild", allowWrites: true }, { mode: "shared", allow_writes: false }],
    ["writing", { allowWrites: true }, { mode: "shared", allow_writes: true }],
  ])("whose workspace says %s", (_, workspace, expected) => {
    expect(read({ workspace }).definition.workspace).toEqual(expected);
  });

  it.each([
    [{ tools: { bash: false, read: true } }, { mode: "denylist", allow: [], ask: [], deny: ["Bash"] }],
    [
      { tools: ["read"], permissions: { bash: "deny" } },
      { mode: "allowlist", allow: ["Read"], ask: [], deny: ["Bash"] },
    ],
    [
      { tools: { allow: ["read", "bash"], ask: ["bash"] } },
      { mode: "allowlist", allow: ["Read", "Bash"], ask: ["Bash"], deny: [] },
    ],
    // It has only what it is given, whatever else it would be asked about.
    [
      { tools: ["read"], permissions: { bash: "ask", read: "ask" } },
      { mode: "allowlist", allow: ["Read"], ask: ["Read"], deny: [] },
    ],
    [
      { tools: { allow: ["read", "bash"], ask: ["*"] } },
      { mode: "allowlist", allow: ["Read", "Bash"], ask: ["Read", "Bash"], deny: [] },
    ],
    [{ toolPermissions: { write: "whatever" } }, { mode: "denylist", allow: [], ask: [], deny: ["Write"] }],
    [{ tools: 5 }, []],
  ])("whose tools say %j", (profile, tools) => {
    expect(read(profile).definition.tools).toEqual(tools);
  });

  it.each([
    ["oracle", ["subtask"]],
    [{ primary: true, subtask: false }, ["primary"]],
    ["orchestrator", ["orchestrator"]],
  ])("with the capabilities %j", (capabilities, expected) => {
    expect(read({ capabilities }).definition.capabilities).toEqual(expected);
  });
});

describe("profiles in Yeet's config", () => {
  const config = file("config.json", {
    activeProvider: "openai",
    agents: {
      oracle: { model: "openai/gpt-5", workspace: { allowWrites: false } },
      pair: { description: "Watches", prompt: "Watch." },
      bad: 1,
    },
  });
  const oracle = file("oracle.json", {
    description: "Helps",
    prompt: "Think.",
    model: "x/y",
    workspace: { mode: "sandbox", allowWrites: true },
  });

  it("go before the files, field by field", () => {
    const readings = readYeetFiles([oracle, config]);
    expect(readings.map((one) => (one.ok ? one.definition.name : one.problem))).toEqual([
      "bad: it is not a map",
      "oracle",
      "pair",
    ]);
    expect(readings[1]).toMatchObject({
      definition: { prompt: "Think.", model: "openai/gpt-5", workspace: { mode: "sandbox", allow_writes: false } },
    });
  });

  it("that only complete a file are no agents by themselves", () => {
    expect(problemsOf(yeet, config.text, config.below)).toEqual(["bad: it is not a map", null]);
  });

  it("cannot be written", () => {
    expect("write" in yeet).toBe(false);
  });
});
