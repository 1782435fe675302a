// An agent that hands work to others, on our own loop: one scripted model per agent.
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/schema/index.ts";
import { registryOf, type ReplyScript, scriptedModel } from "../../src/testing/index.ts";
import { delegationTools } from "../../src/tools/delegation/delegation-tools.ts";
import { type AgentWish, factsOf, fakeTool, NO_SHELLS, startLoop, toolTexts } from "./kit.ts";

const lead: AgentWish = { name: "lead", description: "leads", tools: ["Task", "Read"] };
const child: AgentWish = { name: "child", description: "digs" };
const task = (prompt: string, more: Record<string, Json> = {}) => ({
  tool: "Task",
  input: { subagent_type: "child", prompt, ...more },
});
const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
const background = (prompt: string) => task(prompt, { run_in_background: true });

describe("Task", () => {
  test("an agent is told of those that it may call, and they are looked for once", async () => {
    const registry = registryOf(lead, child);
    let looks = 0;
    const counted = {
      ...registry,
      list: () => {
        looks++;
        return registry.list();
      },
    };
    const model = scriptedModel([{ text: "I need nobody." }]);
    await using engine = await startLoop({
      models: model,
      agents: [lead, child],
      loop: {
        registry: counted,
        toolbox: (attempt, scope) => delegationTools(counted, NO_SHELLS, attempt, scope),
      },
    });
    await engine.run({ agent: "lead" });
    expect(model.requests[0]?.messages[0]?.text).toMatch(/child.*digs/);
    expect(looks).toBe(1);
  });

  test("in the foreground waits, and gives back the answer, with the id to go on with it", async () => {
    const models = {
      lead: scriptedModel([{ text: "I ask.", calls: [task("dig here")] }, { text: "Gold, they say." }]),
      child: scriptedModel([{ text: "thinking", calls: [{ tool: "Read", input: {} }] }, { text: "gold" }]),
    };
    await using engine = await startLoop({
      models,
      agents: [lead, child],
      delegation: true,
      tools: [fakeTool("Read")],
    });
    const done = await engine.run({ agent: "lead", prompt: "Find something of worth." });
    expect(done.outcome).toMatchObject({ status: "completed", answer: "Gold, they say." });
    const [dug] = await engine.children(done);
    expect(toolTexts(models.lead.requests[1])).toEqual([`gold\n\nTask ID: ${dug?.id}`]);
    expect(dug).toMatchObject({ status: "completed", spec: { parent: done.id, background: false, depth: 1 } });
    // The child sees its prompt, and nothing of its parent's conversation.
    const seen = JSON.stringify(models.child.requests);
    expect(seen).toContain("dig here");
    expect(seen).not.toMatch(/Find something of worth|I ask\./);
    // And the parent nothing of its child's.
    expect(JSON.stringify(models.lead.requests)).not.toContain("thinking");
  });

  test("several in one turn run at the same time", async () => {
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const slow: ReplyScript = async ({ messages }) => {
      if (++begun === 3) both.resolve();
      await both.promise;
      return { text: `found ${/dig \w/.exec(messages.at(-1)?.text ?? "")?.[0]}` };
    };
    const models = {
      lead: scriptedModel([{ calls: [task("dig a"), task("dig b"), task("dig c")] }, { text: "done" }]),
      child: scriptedModel([slow, slow, slow]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const done = await engine.run({ agent: "lead" });
    expect(done.status).toBe("completed");
    const found = toolTexts(models.lead.requests[1]).map((text) => text.split("\n")[0]);
    expect(found).toEqual(["found dig a", "found dig b", "found dig c"]);
  });

  test("a result that comes while others are waited for takes no slot, and is in the log in a moment", async () => {
    const gates = ["a", "b", "c"].map((name) => ({ name, open: Promise.withResolvers<void>() }));
    const slow: ReplyScript = async ({ messages }) => {
      const name = /dig (\w)/.exec(messages.at(-1)?.text ?? "")?.[1];
      await gates.find((gate) => gate.name === name)?.open.promise;
      return { text: `found ${name}` };
    };
    const models = {
      lead: scriptedModel([{ calls: [task("dig a"), task("dig b"), task("dig c")] }, { text: "done" }]),
      child: scriptedModel([slow, slow, slow]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const started = await engine.start({ agent: "lead" });
    engine.work();
    const seen: number[] = [];
    for (const { open } of gates) {
      await engine.world.clock.advance(10);
      seen.push(factsOf(await engine.log(started.id), "tool.returned").length);
      open.resolve();
    }
    const done = await engine.until(started.id, "completed");
    expect(seen).toEqual([0, 1, 2]);
    const log = await engine.log(started.id);
    expect(factsOf(log, "attempt.suspended")).toHaveLength(1);
    expect(factsOf(log, "attempt.resumed")).toHaveLength(1);
    expect(factsOf(log, "child.ended")).toHaveLength(3);
    expect(done.outcome).toMatchObject({ status: "completed", answer: "done" });
  });

  test("a child that fails is an error to its parent, with the reason and what it said last", async () => {
    const models = {
      lead: scriptedModel([{ calls: [task("dig")] }, { text: "They refused." }]),
      child: scriptedModel([{ text: "I will not.", stop: "refused" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    await engine.run({ agent: "lead" });
    const [result] = models.lead.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toMatch(/Status: failed[\s\S]*Error: refused: I will not\./);
  });

  test("a child that only its grace turn saved does not look like a clean success to its parent", async () => {
    const models = {
      lead: scriptedModel([{ calls: [task("dig", { max_turns: 1 })] }, { text: "ok" }]),
      child: scriptedModel([{ calls: [{ tool: "Read", input: {} }] }, { text: "half of it" }]),
    };
    await using engine = await startLoop({
      models,
      agents: [lead, child],
      delegation: true,
      tools: [fakeTool("Read")],
    });
    const done = await engine.run({ agent: "lead" });
    expect(toolTexts(models.lead.requests[1])[0]).toMatch(/Recovered: .*max_turns[\s\S]*half of it/);
    expect((await engine.children(done))[0]?.spec.limits.maxTurns).toBe(1);
  });

  test("takes a model and a number of turns instead of the agent's own; else the child inherits", async () => {
    const models = {
      lead: scriptedModel([{ calls: [task("a", { model: "haiku", max_turns: 7 }), task("b")] }, { text: "ok" }]),
      child: scriptedModel([{ text: "x" }, { text: "y" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const done = await engine.run({ agent: "lead", model: "test/lead" });
    const specs = (await engine.children(done)).map(({ spec }) => [spec.prompt, spec.model, spec.limits.maxTurns]);
    expect(specs.toSorted(byText)).toEqual([
      ["a", "haiku", 7],
      ["b", "test/lead", 30],
    ]);
  });

  test("with resume goes on in the session of an earlier task", async () => {
    const models = {
      lead: scriptedModel([
        { calls: [task("dig")] },
        ({ messages }) => {
          const id = /Task ID: (\S+)$/.exec(messages.at(-1)?.text ?? "")?.[1];
          return { calls: [task("deeper", { resume: id ?? "" })] };
        },
        { text: "ok" },
      ]),
      child: scriptedModel([{ text: "stones" }, { text: "more stones" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const done = await engine.run({ agent: "lead" });
    const [first, second] = await engine.children(done);
    expect(second?.spec.session).toBe(first?.spec.session);
    const said = models.child.requests[1]?.messages[1]?.text ?? "";
    expect(said).toMatch(/<previous_conversation>\nUser: dig\nAssistant: stones\n<\/previous_conversation>/);
    expect(said).toContain("deeper");
  });

  test("resume takes no task of another agent, none of somebody else's and none that is not there", async () => {
    const models = {
      lead: scriptedModel([
        { calls: [task("dig")] },
        async () => {
          const ids = (await engine.all()).map(({ id }) => id);
          const [own = "", mine = ""] = ids.filter((id) => id !== other).toSorted();
          const resume = (of: string) => ({ resume: of });
          return {
            calls: [
              { tool: "Task", input: { subagent_type: "other", prompt: "x", resume: mine } },
              task("x", resume(own)),
              task("x", resume(other)),
              task("x", resume("task_none")),
            ],
          };
        },
        { text: "ok" },
      ]),
      child: scriptedModel([{ text: "stones" }]),
      other: scriptedModel([{ text: "not yours" }]),
    };
    const agents = [lead, child, { name: "other", description: "else" }];
    await using engine = await startLoop({ models, agents, delegation: true });
    const other = (await engine.run({ agent: "other" })).id;
    const done = await engine.run({ agent: "lead" });
    expect(await engine.children(done)).toHaveLength(1);
    expect(toolTexts(models.lead.requests[2])).toEqual([
      expect.stringContaining('is of the agent "child", not of "other"'),
      expect.stringContaining("You have no task"),
      expect.stringContaining("You have no task"),
      expect.stringContaining("You have no task"),
    ]);
  });

  test.each([
    ["an unknown agent", { subagent_type: "chidl" }, /no agent.*chidl/],
    ["an agent for another role", { subagent_type: "watcher" }, /watcher only/],
  ])("%s is refused, with the reason", async (_what, input, reason) => {
    const lead2 = scriptedModel([{ calls: [{ tool: "Task", input: { prompt: "x", ...input } }] }, { text: "alone" }]);
    const agents = [lead, child, { name: "watcher", description: "w", capabilities: ["watcher" as const] }];
    await using engine = await startLoop({ models: { lead: lead2 }, agents, delegation: true });
    const done = await engine.run({ agent: "lead" });
    expect(done.outcome).toMatchObject({ status: "completed", answer: "alone" });
    const [text] = toolTexts(lead2.requests[1]);
    expect(text).toMatch(/^Nothing was started: /);
    expect(text).toMatch(reason);
  });

  test.each([
    ["in the foreground", false, /Status: killed/],
    ["by TaskOutput", true, /Status: still running/],
  ])(
    "a child that is waited for %s when the time is up does not cost its parent its last words",
    async (_, ...more) => {
      const [isBackground, told] = more;
      const never = new Promise(() => undefined);
      const step = { tool: "Read", input: {} };
      const hold = fakeTool("Read", () => new Promise(() => undefined)); // keeps the time going
      const dig = task("dig", { run_in_background: isBackground });
      const look = async ({ messages }: { messages: readonly { text: string }[] }) => {
        const id = /Task ID: (\S+)/.exec(messages.at(-1)?.text ?? "")?.[1] ?? "";
        return { calls: [{ tool: "TaskOutput", input: { task_id: id, timeout: 600_000 } }, step] };
      };
      const waits = isBackground ? [{ calls: [dig] }, look] : [{ calls: [dig, step] }];
      const models = {
        lead: scriptedModel([...waits, { text: "last words" }]),
        child: scriptedModel([{ after: never }]),
      };
      await using engine = await startLoop({ models, agents: [lead, child], delegation: true, tools: [hold] });
      const { id } = await engine.start({ agent: "lead", limits: { timeoutMs: 60_000 } });
      engine.work();
      await engine.untilAll("child", "running");
      for (let round = 0; round < 500 && hold.ran.length === 0; round++) await engine.world.clock.settle();
      await engine.world.clock.advance(60_000);
      const done = await engine.until(id, "completed");
      expect(done.outcome).toMatchObject({ answer: "last words", recovered: { limit: "timeout" } });
      expect(toolTexts(models.lead.requests.at(-1))[0]).toMatch(told);
    },
  );

  test("goes no deeper than the limit", async () => {
    const deeper = (prompt: string) => ({ calls: [{ tool: "Task", input: { subagent_type: "again", prompt } }] });
    const again = { name: "again", description: "goes deeper", tools: ["Task"] };
    const twin = { ...again, name: "twin" };
    const to = (agent: string) => ({ calls: [{ tool: "Task", input: { subagent_type: agent, prompt: "deeper" } }] });
    const models = {
      lead: scriptedModel([deeper("1"), { text: "up 0" }]),
      again: scriptedModel([to("twin"), to("twin"), { text: "up 3" }, { text: "up 1" }]),
      twin: scriptedModel([to("again"), { text: "up 2" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, again, twin], delegation: true });
    const done = await engine.run({ agent: "lead" });
    expect(done.outcome).toMatchObject({ answer: "up 0" });
    expect((await engine.all()).map(({ spec }) => spec.depth).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    expect(toolTexts(models.again.requests[2])[0]).toContain("agents may nest 3 deep, and this would be 4");
  });

  test("starts no more in one tree than the limit", async () => {
    const models = {
      lead: scriptedModel([{ calls: [task("a"), task("b"), task("c")] }, { text: "ok" }]),
      child: scriptedModel([{ text: "x" }, { text: "y" }]),
    };
    await using engine = await startLoop({
      models,
      agents: [lead, child],
      delegation: true,
      settings: { maxPerRoot: 3 },
    });
    const done = await engine.run({ agent: "lead" });
    expect(await engine.children(done)).toHaveLength(2);
    expect(toolTexts(models.lead.requests[1]).filter((text) => text.includes("has its 3 tasks already"))).toHaveLength(
      1,
    );
  });

  test("a child can never do what its parent may not", async () => {
    const write = fakeTool("Write", undefined, "write");
    const models = {
      lead: scriptedModel([{ calls: [task("write it")] }, { text: "ok" }]),
      child: scriptedModel([{ calls: [{ tool: "Write", input: {} }] }, { text: "could not" }]),
    };
    const agents: AgentWish[] = [
      { ...lead, permission_mode: "plan" },
      { ...child, permission_mode: "auto", workspace: { mode: "shared", allow_writes: true } },
    ];
    await using engine = await startLoop({ models, agents, delegation: true, tools: [write] });
    const done = await engine.run({ agent: "lead" });
    expect(done.status).toBe("completed");
    expect(write.ran).toEqual([]);
    expect(models.child.requests[0]?.tools.map(({ name }) => name)).not.toContain("Write");
    const [narrowed] = await engine.children(done);
    expect(narrowed?.spec.policy.modes).toContain("plan");
  });

  test("leaves a breadcrumb in the parent's session, and its own session has the parent's as its parent", async () => {
    const models = {
      lead: scriptedModel([{ calls: [task("dig")] }, { text: "ok" }]),
      child: scriptedModel([{ text: "gold" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const done = await engine.run({ agent: "lead" });
    const [dug] = await engine.children(done);
    const session = await engine.world.store.session(done.spec.session);
    expect(session?.breadcrumbs).toEqual([
      { task: dug?.id, session: dug?.spec.session, agent: "child", status: "completed", summary: "gold" },
    ]);
    expect(session?.messages.map(({ content }) => content)).not.toContain("gold");
    expect(await engine.world.store.session(dug?.spec.session ?? done.spec.session)).toMatchObject({
      parent: done.spec.session,
    });
  });

  test("what a child spends counts against its parent's budget, and a child that does not fit is not run", async () => {
    const usage = {
      inputTokens: 1_000,
      outputTokens: 500,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    };
    const models = {
      lead: scriptedModel([
        { calls: [task("a")], usage },
        { calls: [task("b")], usage },
        { text: "ok", usage },
      ]),
      child: scriptedModel(Array.from({ length: 9 }, () => ({ calls: [{ tool: "Read", input: {} }], usage }))),
    };
    await using engine = await startLoop({
      models,
      agents: [lead, child],
      delegation: true,
      tools: [fakeTool("Read")],
    });
    const done = await engine.run({ agent: "lead", limits: { maxTokens: 22_000 } });
    const spent = (await engine.all()).reduce((sum, one) => sum + one.spent.tokens, 0);
    expect(spent).toBeLessThanOrEqual(22_000);
    expect(done.outcome).not.toBeNull();
    const outcomes = (await engine.children(done)).map(({ outcome }) => outcome);
    expect(JSON.stringify(outcomes)).toContain("budget");
  });
});

describe("who may delegate", () => {
  const offered = async (agent: Partial<AgentWish>) => {
    const model = scriptedModel([{ text: "ok" }]);
    const agents = [{ ...lead, tools: undefined, ...agent }, child, { name: "zoe", description: "helps\n  a lot" }];
    await using engine = await startLoop({ models: model, agents, delegation: true, tools: [fakeTool("Read")] });
    await engine.run({ agent: "lead" });
    const [request] = model.requests;
    return { tools: request?.tools.map(({ name }) => name), system: request?.messages[0]?.text ?? "" };
  };

  test.each([
    ["that says nothing about tools", {}],
    ["with a wildcard", { tools: ["*"] }],
    ["with a list that does not name it", { tools: ["Read"] }],
    ["with a denylist", { tools: { mode: "denylist" as const, deny: ["Bash"] } }],
  ])("no agent %s", async (_what, agent) => {
    const { tools, system } = await offered(agent);
    expect(tools).toEqual(["Read"]);
    expect(system).not.toContain("## Agents");
  });

  test("one that names it, which is told whom it may call", async () => {
    const { tools, system } = await offered({ tools: ["Task", "Read"] });
    expect(tools?.toSorted()).toEqual(["Read", "Task", "TaskOutput", "TaskStop"]);
    expect(system).toContain("## Agents\nYou may delegate to these agents:\n- child: digs\n- zoe: helps a lot");
  });

  test("an orchestrator", async () => {
    const { tools } = await offered({ capabilities: ["orchestrator", "subtask"] });
    expect(tools).toContain("Task");
  });

  test("one that names some agents is told of those, and held to them", async () => {
    const { system } = await offered({ tools: ["Task(zoe)"] });
    expect(system).toContain("- zoe");
    expect(system).not.toContain("- child");
    const model = scriptedModel([{ calls: [task("dig")] }, { text: "ok" }]);
    const agents = [{ ...lead, tools: ["Task(zoe)"] }, child, { name: "zoe", description: "helps" }];
    await using engine = await startLoop({ models: model, agents, delegation: true });
    const done = await engine.run({ agent: "lead" });
    expect(await engine.children(done)).toEqual([]);
    expect(toolTexts(model.requests[1])[0]).toMatch(
      /^Refused \(agent lead: no rule covers the agent "child"; for Task there is Task\(zoe\)\)/,
    );
  });

  test("a child of one that may not gets no right to delegate by its own definition", async () => {
    const models = {
      lead: scriptedModel([{ calls: [task("dig")] }, { text: "ok" }]),
      child: scriptedModel([{ text: "alone" }]),
    };
    const agents = [
      { ...lead, tools: ["Task(child)"] },
      { ...child, tools: ["Task"] },
      { name: "zoe", description: "z" },
    ];
    await using engine = await startLoop({ models, agents, delegation: true });
    await engine.run({ agent: "lead" });
    // It has the tool, for agents that its parent may call; it is told of no other.
    expect(models.child.requests[0]?.messages[0]?.text).not.toContain("- zoe");
  });
});

describe("in the background", () => {
  test("an agent that answers meanwhile is told of the result before its answer counts", async () => {
    const models = {
      lead: scriptedModel([{ calls: [background("dig")] }, { text: "I am done." }, { text: "Done, with gold." }]),
      child: scriptedModel([async () => (await engine.world.clock.settle(), { text: "gold" })]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const done = await engine.run({ agent: "lead" });
    expect(done.outcome).toMatchObject({ answer: "Done, with gold.", recovered: null });
    const [started] = toolTexts(models.lead.requests[1]);
    const [dug] = await engine.children(done);
    expect(started).toContain(`Task ID: ${dug?.id}`);
    expect(models.lead.requests[2]?.messages.at(-1)?.text).toContain(`child (${dug?.id}): completed. gold`);
    const news = factsOf(await engine.log(done.id), "instruction.added").filter(({ because }) => because === "news");
    expect(news).toHaveLength(1);
  });

  test("news comes at the next turn, once", async () => {
    const slow = Promise.withResolvers<void>();
    const read = fakeTool("Read", async () => {
      await slow.promise;
      return { ok: true, text: "ok" };
    });
    const models = {
      lead: scriptedModel([
        { calls: [background("dig"), { tool: "Read", input: {} }] },
        { calls: [{ tool: "Read", input: {} }] },
        { text: "done" },
      ]),
      child: scriptedModel([{ text: "gold" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true, tools: [read] });
    const started = await engine.start({ agent: "lead" });
    engine.work();
    await engine.untilAll("child", "completed");
    slow.resolve();
    const done = await engine.until(started.id, "completed");
    expect(done.turns).toBe(3);
    const told = models.lead.requests.map(
      ({ messages }) => messages.filter(({ text }) => text.includes("gold")).length,
    );
    expect(told).toEqual([0, 1, 1]);
  });

  const step = { calls: [{ tool: "Read", input: {} }] };
  const gold = async () => (await new Promise((resolve) => setTimeout(resolve, 20)), { text: "gold" });

  test("an agent that has used its turns has the results before its last words", async () => {
    const models = {
      lead: scriptedModel([{ calls: [background("dig")] }, step, { text: "last words" }]),
      child: scriptedModel([gold]),
    };
    const options = { models, agents: [lead, child], delegation: true, tools: [fakeTool("Read")] };
    await using engine = await startLoop(options);
    const done = await engine.run({ agent: "lead", limits: { maxTurns: 2 } });
    expect(done.outcome).toMatchObject({ answer: "last words", recovered: { limit: "max_turns" } });
    const told = models.lead.requests[2]?.messages.slice(-2).map(({ text }) => text);
    expect(told).toEqual([expect.stringContaining("completed. gold"), expect.stringContaining("This is your last")]);
  });

  test("one whose time is up does not wait, and is told what it goes without", async () => {
    const never = new Promise(() => undefined);
    const models = {
      lead: scriptedModel([{ calls: [background("dig")] }, { after: never }, { text: "last words" }]),
      child: scriptedModel([{ after: never }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const { id } = await engine.start({ agent: "lead", limits: { timeoutMs: 1_000 } });
    engine.work();
    await engine.untilAll("child", "running");
    await engine.world.clock.advance(1_000);
    const done = await engine.until(id, "completed");
    expect(done.outcome).toMatchObject({ answer: "last words", recovered: { limit: "timeout" } });
    const told = models.lead.requests[2]?.messages.at(-1)?.text;
    expect(told).toContain(`Still running, and not waited for: child (${done.children[0]}).`);
  });

  test("one whose time is up is told of what has ended while it spoke", async () => {
    const dug = Promise.withResolvers<void>();
    const never = new Promise(() => undefined);
    const models = {
      lead: scriptedModel([{ calls: [background("dig")] }, { after: never }, { text: "last words" }]),
      child: scriptedModel([{ after: dug.promise, text: "gold" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const { id } = await engine.start({ agent: "lead", limits: { timeoutMs: 1_000 } });
    engine.work();
    await expect.poll(() => models.lead.requests.length).toBe(2);
    dug.resolve();
    await engine.untilAll("child", "completed");
    await engine.world.clock.advance(1_000);
    await engine.until(id, "completed");
    const told = models.lead.requests[2]?.messages.slice(-2).map(({ text }) => text);
    expect(told).toEqual([expect.stringContaining("completed. gold"), expect.stringContaining("This is your last")]);
  });

  test("an answer that is there when the time is up is not waited away, and is no clean success", async () => {
    const hold = fakeTool("Read", () => new Promise(() => undefined));
    const exit = { tool: "complete_task", input: { result: "without gold" } };
    const models = {
      lead: scriptedModel([{ calls: [background("dig")] }, { calls: [{ tool: "Read", input: {} }, exit] }]),
      child: scriptedModel([{ after: new Promise(() => undefined) }]),
    };
    const agents = [{ ...lead, completion: { exits: ["complete_task" as const], nudges: 0 } }, child];
    await using engine = await startLoop({ models, agents, delegation: true, tools: [hold] });
    const { id } = await engine.start({ agent: "lead", limits: { timeoutMs: 60_000 } });
    engine.work();
    await engine.untilAll("child", "running");
    await expect.poll(() => hold.ran.length).toBe(1);
    await engine.world.clock.advance(60_000);
    const { outcome } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: "without gold", recovered: { limit: "timeout" } });
  });

  test("one that has to call an exit may wait for a result with a reply, which is no end of its", async () => {
    const exit = { calls: [{ tool: "complete_task", input: { result: "with gold" } }] };
    const models = {
      lead: scriptedModel([{ calls: [background("dig")] }, { text: "I wait for it." }, exit]),
      child: scriptedModel([gold]),
    };
    const agents = [{ ...lead, completion: { exits: ["complete_task" as const], nudges: 0 } }, child];
    await using engine = await startLoop({ models, agents, delegation: true });
    const done = await engine.run({ agent: "lead" });
    expect(done.outcome).toMatchObject({ answer: "with gold", recovered: null });
    expect(models.lead.requests[2]?.messages.at(-1)?.text).toContain("completed. gold");
  });

  test("an agent whose definition says so runs there, unless the call says otherwise", async () => {
    const models = {
      lead: scriptedModel([
        { calls: [task("a"), task("b", { run_in_background: false }), task("c", { subagent_type: "CHILD" })] },
        { text: "x" },
        { text: "y" },
        { text: "z" },
      ]),
      child: scriptedModel([{ text: "1" }, { text: "2" }, { text: "3" }]),
    };
    await using engine = await startLoop({ models, agents: [lead, { ...child, background: true }], delegation: true });
    const done = await engine.run({ agent: "lead" });
    const kinds = (await engine.children(done)).map(({ spec }) => [spec.prompt, spec.background]);
    expect(kinds.toSorted(byText)).toEqual([
      ["a", true],
      ["b", false],
      ["c", true],
    ]);
  });

  test("a parent that is stopped takes its children with it", async () => {
    const never = new Promise(() => undefined);
    const models = {
      lead: scriptedModel([{ calls: [background("dig")] }, { after: never }]),
      child: scriptedModel([{ after: never }]),
    };
    await using engine = await startLoop({ models, agents: [lead, child], delegation: true });
    const started = await engine.start({ agent: "lead" });
    engine.work();
    await engine.untilAll("child", "running");
    await engine.engine.stop(started.id, "ada");
    const stopped = await engine.until(started.id, "cancelled");
    await engine.untilAll("child", "cancelled");
    expect(stopped.outcome).toMatchObject({ by: "ada", how: "cooperative" });
  });
});
