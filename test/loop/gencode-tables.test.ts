// GenCode's tables, row by row: the tools, the built-in agents, the prompt, the permission modes. How TaskOutput and
// TaskStop behave is in test/tools/delegation/.
import { describe, expect, test } from "vitest";
import { builtInRegistry } from "../../src/definitions/index.ts";
import type { JsonObject, PermissionMode } from "../../src/schema/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { FORMATS, openWired } from "../loop-wire/kit.ts";
import { say } from "../models/wire/index.ts";
import { type AgentWish, factsOf, fakeTool, startLoop, toolTexts } from "./kit.ts";

const { agents: builtIn } = await builtInRegistry().list();
const definitionOf = (name: string) => {
  const found = builtIn.find(({ definition }) => definition.name === name)?.definition;
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

async function schemaOf(tool: string): Promise<JsonObject> {
  const model = scriptedModel([{ text: "ok" }]);
  const agents: AgentWish[] = [{ name: "lead", description: "leads", tools: ["Task"] }];
  await using engine = await startLoop({ models: model, agents, delegation: true });
  await engine.run({ agent: "lead" });
  return model.requests[0]?.tools.find(({ name }) => name === tool)?.inputSchema as JsonObject;
}

describe("schemas", () => {
  test("Task", async () => {
    expect(await schemaOf("Task")).toMatchObject({
      type: "object",
      required: ["subagent_type", "prompt"],
      properties: {
        subagent_type: { type: "string" },
        prompt: { type: "string" },
        description: { type: "string" },
        run_in_background: { type: "boolean" },
        model: { type: "string" },
        max_turns: { type: "integer" },
        resume: { type: "string" },
      },
    });
  });

  test("TaskOutput", async () => {
    expect(await schemaOf("TaskOutput")).toMatchObject({
      required: ["task_id"],
      properties: {
        task_id: { type: "string" },
        block: { type: "boolean", default: true },
        timeout: { default: 30_000, maximum: 600_000 },
      },
    });
  });

  test("TaskStop", async () => {
    expect(await schemaOf("TaskStop")).toMatchObject({
      required: ["task_id"],
      properties: { task_id: { type: "string" } },
    });
  });

  test.each(["sonnet", "opus", "haiku"])("Task takes the model %s", async (model) => {
    const lead = scriptedModel([
      { calls: [{ tool: "Task", input: { subagent_type: "child", prompt: "x", model } }] },
      { text: "ok" },
    ]);
    const agents: AgentWish[] = [
      { name: "lead", description: "leads", tools: ["Task"] },
      { name: "child", description: "digs" },
    ];
    const models = { lead, child: scriptedModel([{ text: "dug" }]) };
    await using engine = await startLoop({ models, agents, delegation: true });
    const task = await engine.run({ agent: "lead" });
    expect((await engine.children(task))[0]?.spec.model).toBe(model);
  });
});

describe("built-in agents", () => {
  const READING = ["Read", "Glob", "Grep", "WebFetch", "WebSearch"];
  test.each([
    ["Explore", "plan", READING, 30],
    ["Plan", "plan", READING, 50],
    ["Bash", "default", ["Bash", "Read", "Glob", "Grep"], 30],
    ["Review", "plan", ["Read", "Glob", "Grep", "Bash"], 30],
    ["general-purpose", "default", { mode: "denylist", allow: [], ask: [], deny: ["Task"] }, 50],
  ] as const)("%s", (name, mode, tools, maxTurns) => {
    const definition = definitionOf(name);
    expect(definition).toMatchObject({ permission_mode: mode, max_turns: maxTurns, model: "inherit" });
    expect(definition.tools).toEqual(tools);
  });

  const ALL = [
    fakeTool("Read"),
    fakeTool("Glob"),
    fakeTool("Grep"),
    fakeTool("Write", undefined, "write"),
    fakeTool("Edit", undefined, "write"),
    fakeTool("Bash", undefined, "exec"),
  ];
  test.each([
    ["Explore", ["Read", "Glob", "Grep"]],
    ["Plan", ["Read", "Glob", "Grep"]],
    ["Bash", ["Read", "Glob", "Grep", "Bash", "TaskOutput", "TaskStop"]],
    ["Review", ["Read", "Glob", "Grep", "Bash", "TaskOutput", "TaskStop"]],
    ["general-purpose", ["Read", "Glob", "Grep", "Write", "Edit", "Bash", "TaskOutput", "TaskStop"]],
  ])("%s is shown only its tools", async (name, tools) => {
    const model = scriptedModel([{ text: "ok" }]);
    await using engine = await startLoop({ models: model, agents: [definitionOf(name)], tools: ALL, delegation: true });
    await engine.run({ agent: name });
    expect(model.requests[0]?.tools.map((tool) => tool.name)).toEqual(tools);
  });
});

describe("permission modes", () => {
  const effects = ["read", "write", "exec"] as const;
  const verdicts = async (permission_mode: PermissionMode) => {
    const tools = effects.map((effect) => fakeTool(`Do-${effect}`, undefined, effect));
    const model = scriptedModel([{ calls: tools.map(({ name }) => ({ tool: name, input: {} })) }, { text: "ok" }]);
    const agent: AgentWish = {
      name: "agent",
      description: "x",
      permission_mode,
      workspace: { mode: "shared", allow_writes: true },
    };
    await using engine = await startLoop({ models: model, agents: [agent], tools });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    const asked: string[] = [];
    for (let round = 0; round < 200 && (await engine.show(task.id)).outcome === null; round++) {
      await engine.world.clock.settle();
      for (const { id, title, state } of (await engine.show(task.id)).approvals) {
        if (state !== "open") continue;
        asked.push(title);
        const answer = { verdict: "allow", scope: "once" } as const;
        await engine.engine.command(task.id, { type: "answer", approval: id, answer, by: "ada" });
      }
    }
    const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    return effects.map((effect, index) => {
      if (asked.some((title) => title.endsWith(`Do-${effect}`))) return "asked";
      if ((tools[index]?.ran.length ?? 0) > 0) return "allowed";
      return offered.includes(`Do-${effect}`) ? "denied" : "not there";
    });
  };

  test.each([
    ["plan", ["allowed", "not there", "not there"]],
    ["default", ["allowed", "asked", "asked"]],
    ["acceptEdits", ["allowed", "allowed", "asked"]],
    ["auto", ["allowed", "allowed", "allowed"]], // GenCode's dontAsk
    ["denyUnasked", ["allowed", "not there", "not there"]], // Claude Code's
  ] as const)("%s", async (mode, expected) => {
    expect(await verdicts(mode)).toEqual(expected);
  });
});

describe("mode plan, of all tools that there are, shows", () => {
  const [line] = FORMATS;
  if (line === undefined) throw new Error("there is no provider");
  test.each([
    ["five of them where the agent lists none", undefined, ["Glob", "Grep", "Read", "WebFetch", "WebSearch"]],
    ["the same where it wants all", ["*"], ["Glob", "Grep", "Read", "WebFetch", "WebSearch"]],
    [
      "what else it lists and may use",
      ["Read", "Write", "List", "TodoWrite", "AskUser", "HttpRequest"],
      ["AskUser", "HttpRequest", "List", "Read", "TodoWrite"],
    ],
  ])("%s", async (_name, tools, expected) => {
    const agent: AgentWish = { name: "planner", description: "plans", permission_mode: "plan", tools };
    const network = "security: { subagent_permissions: { network: true } }\n";
    const options = { agents: [agent], userFiles: { ".cadre/config.yml": network } };
    await using wired = await openWired(line, [say("ok")], options);
    await wired.cadre.run({ agent: "planner", prompt: "Plan it" });
    const shown = wired.server.requests[0]?.said.tools.map(({ name }) => name) ?? [];
    expect(shown.toSorted()).toEqual(expected);
  });
});

describe("a custom agent of .gen/agents", () => {
  const FILE = `---
name: ml-engineer
description: Machine Learning Engineering specialist
model: inherit
permission-mode: dontAsk
max-turns: 50
tools:
  mode: allowlist
  allow:
    - Read
    - Write
    - Bash
---

# ML Engineering Agent
`;

  test("has every field of the table, and runs", async () => {
    const [line] = FORMATS;
    if (line === undefined) throw new Error("there are formats");
    await using wired = await openWired(line, [say("trained")], { files: { ".gen/agents/ml.md": FILE } });
    const task = await wired.cadre.run({ agent: "ml-engineer", prompt: "Train it." });
    expect(task.spec.definition).toMatchObject({
      permission_mode: "auto",
      max_turns: 50,
      model: "inherit",
      tools: ["Read", "Write", "Bash"],
      prompt: "# ML Engineering Agent",
    });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "trained" });
    const said = wired.server.requests[0]?.said;
    expect(said?.tools.map(({ name }) => name)).toEqual(["Read", "Write", "Bash", "TaskOutput", "TaskStop"]);
    expect(said?.system).toContain("## Mode: Autonomous");
  });
});

describe("cancellation", () => {
  const never = new Promise(() => undefined);

  async function stopped(
    script: Parameters<typeof scriptedModel>[0],
    when: () => Promise<boolean> | boolean,
    tool = fakeTool("Read"),
  ) {
    const model = scriptedModel(script);
    const engine = await startLoop({ models: model, tools: [tool] });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    for (let round = 0; round < 500 && !(await when()); round++) await engine.world.clock.settle();
    await engine.engine.stop(task.id, "ada");
    const done = await engine.until(task.id, "cancelled");
    const log = await engine.log(task.id);
    await engine[Symbol.asyncDispose]();
    return { done, log, model };
  }

  test("1. at the start of a turn: no further model call is made", async () => {
    const gate = Promise.withResolvers<void>();
    const tool = fakeTool("Read", async () => (await gate.promise, { ok: true, text: "ok" }));
    const isIn = () => {
      if (tool.ran.length === 0) return false;
      queueMicrotask(() => setTimeout(gate.resolve, 0));
      return true;
    };
    const { model, done } = await stopped([{ calls: [{ tool: "Read", input: {} }] }, { text: "never" }], isIn, tool);
    expect(model.requests).toHaveLength(1);
    expect(done.outcome).toMatchObject({ status: "cancelled", how: "cooperative" });
  });

  test("2. between tool calls: those that have not begun never do", async () => {
    const gate = Promise.withResolvers<void>();
    const writes = fakeTool("Write", async () => (await gate.promise, { ok: true, text: "ok" }), "write");
    const model = scriptedModel([
      { calls: [1, 2, 3].map((n) => ({ tool: "Write", input: { n } })) }, // the same file: one after the other
      { text: "never" },
    ]);
    const agents: AgentWish[] = [
      { name: "agent", description: "x", permission_mode: "auto", workspace: { mode: "shared", allow_writes: true } },
    ];
    await using engine = await startLoop({ models: model, agents, tools: [writes] });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    for (let round = 0; round < 500 && writes.ran.length === 0; round++) await engine.world.clock.settle();
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.settle();
    gate.resolve();
    await engine.until(task.id, "cancelled");
    expect(writes.ran).toEqual([{ n: 1 }]);
  });

  test("3. while the model speaks: the call is broken off", async () => {
    const { model, done, log } = await stopped([{ after: never }], () => model0());
    expect(done.outcome).toMatchObject({ status: "cancelled", how: "cooperative" });
    expect(model.requests).toHaveLength(1);
    expect(factsOf(log, "model.replied")).toEqual([]);
  });
  let rounds = 0;
  const model0 = () => ++rounds > 5;

  test("a child in the foreground has no id to stop it by: it is stopped with its parent", async () => {
    const models = {
      lead: scriptedModel([{ calls: [{ tool: "Task", input: { subagent_type: "child", prompt: "x" } }] }]),
      child: scriptedModel([{ after: never }]),
    };
    const agents: AgentWish[] = [
      { name: "lead", description: "leads", tools: ["Task"] },
      { name: "child", description: "digs" },
    ];
    await using engine = await startLoop({ models, agents, delegation: true });
    const task = await engine.start({ agent: "lead" });
    engine.work();
    await engine.untilAll("child", "running");
    await engine.engine.stop(task.id, "ada");
    await engine.until(task.id, "cancelled");
    await engine.untilAll("child", "cancelled");
    expect(toolTexts(models.lead.requests[0])).toEqual([]);
  });
});
