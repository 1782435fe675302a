// The same delegation under the names of other programs.
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/schema/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { type AgentWish, factsOf, startLoop, toolTexts } from "../../loop/kit.ts";

const scout: AgentWish = { name: "scout", description: "looks around" };
const typed: AgentWish = {
  name: "typed",
  description: "has inputs",
  query: "Look at ${target}, ${depth} deep.",
  inputs: [
    { name: "target", required: true, description: "What to look at" },
    { name: "depth", type: "integer" },
  ],
};
const reviewer: AgentWish = { name: "reviewer", description: "reviews" };

async function delegateBy(tool: string, input: Json, tools: string[] = [tool]) {
  const lead = scriptedModel([{ calls: [{ tool, input }] }, { text: "ok" }, { text: "ok" }]);
  const other = () => scriptedModel([{ text: "found" }, { text: "found" }]);
  const models = { lead, scout: other(), typed: other(), reviewer: other() };
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools },
    scout,
    typed,
    reviewer,
    { name: "hidden", description: "only watches", capabilities: ["watcher"] },
  ];
  await using engine = await startLoop({ models, agents, delegation: true });
  const task = await engine.run({ agent: "lead" });
  const children = await engine.children(task);
  return {
    schema: lead.requests[0]?.tools.find(({ name }) => name === tool)?.inputSchema as JsonObject | undefined,
    offered: lead.requests[0]?.tools.map(({ name }) => name) ?? [],
    result: toolTexts(lead.requests[1])[0] ?? "",
    children,
    lead,
    models,
    log: await engine.log(task.id),
  };
}

describe("delegate_to_agent", () => {
  test("is one tool for all agents, each with its own inputs, as an object that every provider takes", async () => {
    const { schema, children, models } = await delegateBy("delegate_to_agent", {
      agent_name: "typed",
      target: "the door",
      depth: 2,
    });
    expect(schema).toMatchObject({
      type: "object",
      required: ["agent_name"],
      additionalProperties: false,
      properties: {
        agent_name: { enum: ["scout", "typed", "reviewer"] },
        prompt: { type: "string" },
        target: { type: "string", description: "What to look at" },
        depth: { type: "integer" },
      },
    });
    for (const key of ["anyOf", "oneOf", "allOf"]) expect(schema).not.toHaveProperty(key);
    expect(children[0]?.spec).toMatchObject({ inputs: { target: "the door", depth: 2 } });
    expect(models.typed.requests[0]?.messages[1]?.text).toContain("Look at the door, 2 deep.");
  });

  test("takes a prompt for an agent without inputs", async () => {
    const { children, result } = await delegateBy("delegate_to_agent", { agent_name: "scout", prompt: "look" });
    expect(children[0]?.spec).toMatchObject({ prompt: "look", definition: { name: "scout" } });
    expect(result).toBe("found");
  });

  test.each([
    [{ agent_name: "typed", depth: 1 }, "`target` is missing: it must be a text"],
    [{ agent_name: "typed", target: "x", depth: "two" }, '`depth` must be a whole number, got "two"'],
    [{ agent_name: "typed", target: "x", prompt: "y" }, "`prompt` is not a field of typed: it takes target, depth"],
    [{ agent_name: "typed", target: 7 }, "`target` must be a text, got 7"],
    [{ agent_name: "hidden", prompt: "y" }, "`agent_name`"],
    [{ prompt: "y" }, "`agent_name`"],
  ] as const)("refuses %j, names the field, and starts nothing", async (input, field) => {
    const { children, result } = await delegateBy("delegate_to_agent", input);
    expect(children).toEqual([]);
    expect(result).toContain(field);
  });
});

test("spawn_subagent runs an agent, or starts it in the background", async () => {
  const waited = await delegateBy("spawn_subagent", { agent: "scout", prompt: "look" });
  expect(waited.result).toBe("found");
  const { children, result } = await delegateBy("spawn_subagent", { agent: "scout", prompt: "look", background: true });
  expect(children[0]?.spec).toMatchObject({ background: true });
  expect(result).toContain("Started in the background.");
});

test("glee_task goes on with a session by the id of its task", async () => {
  const { children, result } = await delegateBy("glee_task", { agent_name: "scout", prompt: "look", description: "d" });
  expect(children).toHaveLength(1);
  expect(result).toBe(`found\n\nTask ID: ${children[0]?.id}`);
  const none = await delegateBy("glee_task", { agent_name: "scout", prompt: "look", session_id: "task_none" });
  expect(none.result).toContain('You have no task "task_none"');
  expect(none.children).toEqual([]);
});

test("agent:<name> is a tool of that agent's name, agent:* one for each", async () => {
  const one = await delegateBy("scout", { prompt: "look" }, ["agent:scout"]);
  expect(one.result).toBe("found");
  expect(one.offered).not.toContain("typed");
  const all = await delegateBy("typed", { prompt: "look", inputs: { target: "x" } }, ["agent:*"]);
  expect(all.offered).toEqual(expect.arrayContaining(["scout", "typed", "reviewer"]));
  expect(all.offered).not.toContain("hidden");
  expect(all.children[0]?.spec.inputs).toEqual({ target: "x" });
});

test("to the policy and in the log, all of them are Task", async () => {
  const { log } = await delegateBy("spawn_subagent", { agent: "scout", prompt: "look" });
  expect(factsOf(log, "tool.called")).toMatchObject([{ tool: "Task", effect: "delegate" }]);
});

test("a rule about Task holds for them too", async () => {
  const model = scriptedModel([
    { calls: [{ tool: "spawn_subagent", input: { agent: "scout", prompt: "x" } }] },
    {},
    {},
  ]);
  const agents: AgentWish[] = [
    {
      name: "lead",
      description: "leads",
      tools: { mode: "allowlist", allow: ["spawn_subagent"], deny: ["Task(scout)"] },
    },
    scout,
    reviewer,
  ];
  await using engine = await startLoop({ models: model, agents, delegation: true });
  const task = await engine.run({ agent: "lead" });
  expect(await engine.children(task)).toEqual([]);
  expect(toolTexts(model.requests[1])[0]).toMatch(/^Refused /);
});

describe("an agent that would call itself", () => {
  const ways: [string, Json][] = [
    ["Task", { subagent_type: "Lead", prompt: "go on" }],
    ["glee_task", { agent_name: "lead", prompt: "go on" }],
    ["spawn_subagent", { agent: "lead", prompt: "go on" }],
    ["delegate_to_agent", { agent_name: "lead", prompt: "go on" }],
  ];

  test.each(ways)("is refused where its definition does not name it: %s", async (tool, input) => {
    const { children, result, models } = await delegateBy(tool, input, [tool, "agent:*"]);
    expect(children).toEqual([]);
    expect(result).toMatch(/"lead" may not call itself|must be one of "scout", "typed", "reviewer", got "lead"/);
    const { offered } = await delegateBy("agent:*", {}, ["agent:*"]);
    expect(offered).not.toContain("lead");
    expect(models.scout.requests).toEqual([]);
  });

  test.each(ways)("may where its definition names it, and is told of itself: %s", async (tool, input) => {
    for (const own of ["Task(lead)", "agent:LEAD"]) {
      const { children, lead } = await delegateBy(tool, input, [tool, own]);
      expect(children.map(({ spec }) => spec.definition.name)).toEqual(["lead"]);
      expect(lead.requests[0]?.messages[0]?.text).toMatch(/lead.*leads/);
    }
  });
});
