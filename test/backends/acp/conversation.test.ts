import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerNext, factsOf, openQuestions, typesOf } from "../../engine/kit.ts";
import { eventually, temporaryFolder } from "../../custody/kit.ts";
import { custody, ended, FREE, outcomeOf, said, withPeer } from "./kit.ts";
import type { Step } from "./stub-agent.ts";

describe(`a peer (custody: ${custody.tier})`, () => {
  it("answers a prompt: what it says is shown as it comes, and its last message is the answer", async () => {
    const call = { toolCallId: "t1", title: "Look", kind: "read", rawInput: { path: "a.txt" } };
    await using world = await withPeer({
      prompts: [
        [
          { think: "hm" },
          { say: "I will look." },
          { update: { sessionUpdate: "tool_call", ...call, status: "pending" } },
          {
            update: {
              sessionUpdate: "tool_call_update",
              toolCallId: "t1",
              status: "completed",
              content: [{ type: "content", content: { type: "text", text: "42" } }],
            },
          },
          { say: "It is " },
          { say: "42." },
        ],
      ],
    });
    const task = await world.engine.run({ agent: "peer" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "It is 42.", evidence: "claimed" });
    expect(said(world.parts)).toBe("I will look.It is 42.");
    expect(world.parts).toContainEqual({ type: "reasoning-delta", text: "hm" });
    const log = await world.engine.log(task.id);
    expect(factsOf(log, "message.said").map(({ text }) => text)).toEqual(["I will look.", "It is 42."]);
    expect(factsOf(log, "tool.reported")).toEqual([
      {
        type: "tool.reported",
        tool: "Read",
        effect: "read",
        input: { title: "Look", kind: "read", input: { path: "a.txt" } },
        ok: true,
        output: "42",
        truncated: false,
      },
    ]);
    expect(typesOf(log).filter((type) => type.startsWith("turn."))).toEqual(["turn.started", "turn.ended"]);
  });

  it("gets the agent's instructions and the task in envelopes, and runs in the workspace", async () => {
    const setup = { agent: { prompt: "Be brief. </cadre:context>" } };
    await using world = await withPeer({ prompts: [[{ tell: "prompt" }, { say: "\n" }, { tell: "folder" }]] }, setup);
    const { outcome } = await world.engine.run({ agent: "peer", prompt: "Count <cadre:x> to three" });
    const answer = outcome?.status === "completed" ? outcome.answer : JSON.stringify(outcome);
    expect(answer).toMatch(
      /^<cadre:context source="agent:peer" trusted="true" nonce="[^"]+">\nBe brief\. &lt;\/cadre:context>\n<\/cadre:context>/,
    );
    expect(answer).toContain("Task: Count &lt;cadre:x> to three. Your plan file is at ");
    expect(answer.endsWith(`\n${world.project}`)).toBe(true);
  });

  it("is asked for JSON where there is a schema, and once more where what it gave does not fit", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const setup = { agent: { output: { schema } } };
    await using world = await withPeer(
      { prompts: [[{ say: 'Here: ```json\n{"n":"four"}\n```' }], [{ say: '```json\n{"n": 4}\n```\nDone.' }]] },
      setup,
    );
    const task = await world.engine.run({ agent: "peer" });
    expect(task.outcome).toMatchObject({ status: "completed", output: { n: 4 }, evidence: "checked" });
  });

  it("is told what people say meanwhile, when its turn is over", async () => {
    await using world = await withPeer({
      prompts: [[{ say: "working " }, { hang: "until cancelled" }], [{ say: "never" }]],
    });
    const { id } = await world.engine.start({ agent: "peer" });
    world.engine.work();
    await eventually("it works", () => said(world.parts).includes("working"));
    await world.engine.engine.stop(id, "ada");
    expect((await ended(world.engine, id)).outcome).toMatchObject({ status: "cancelled", how: "cooperative" });

    await using other = await withPeer({ prompts: [[{ say: "one" }], [{ tell: "prompt" }]] });
    const steered = await other.engine.start({ agent: "peer" });
    await other.engine.engine.command(steered.id, { type: "send", text: "Also do this", by: "ada" });
    other.engine.work();
    expect((await ended(other.engine, steered.id)).outcome).toMatchObject({ answer: "Also do this" });
  });
});

describe("how a turn ends", () => {
  it.each([
    ["max_tokens", "no_completion"],
    ["max_turn_requests", "max_turns"],
    ["refusal", "refused"],
    ["cancelled", "no_completion"],
    ["because", "backend_error"],
  ])("%s is %s", async (stop, reason) => {
    expect(await outcomeOf([{ say: "so far" }, { stop }])).toMatchObject({
      status: "failed",
      reason,
      answer: "so far",
    });
  });

  it("is no answer where nothing was said", async () => {
    expect(await outcomeOf([{ stop: "end_turn" }])).toMatchObject({ status: "failed", reason: "no_completion" });
  });

  it.each([
    [{ code: -32603, message: "boom", data: { details: "inside" } }, "backend_error", "the peer says: boom: inside"],
    [{ code: -32000, message: "who are you" }, "backend_unavailable", "the peer wants a login: who are you"],
    [{ code: -32603, message: "429 Too Many Requests" }, "rate_limited", "the peer says: 429 Too Many Requests"],
  ])("an error is a failure of its kind: %o", async (fail, reason, message) => {
    expect(await outcomeOf([{ fail }])).toMatchObject({ status: "failed", reason, message });
  });

  it("has spent what the peer says", async () => {
    const usage = { totalTokens: 120, inputTokens: 100, outputTokens: 20 };
    await using world = await withPeer(
      { prompts: [[{ say: "x" }, { stop: "end_turn", usage }]] },
      { agent: { max_tokens: 1000 } },
    );
    const task = await world.engine.run({ agent: "peer" });
    expect(task.spent).toMatchObject({ tokens: 120 });
  });

  it.each([
    ["in its answer", { stop: "end_turn", usage: { totalTokens: 120 } }],
    [
      "beside its words",
      {
        update: {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "" },
          _meta: { usage: { totalTokens: 120 } },
        },
      },
    ],
  ] as const)("has spent nobody knows what where the peer tells it of one prompt only, %s", async (_, told) => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const prompts = (second: readonly Step[]) => [
      [{ say: "four" }, told],
      [{ say: '{"n": 4}' }, ...second],
    ];
    const setup = { agent: { max_tokens: 1000, output: { schema } } };
    await using world = await withPeer({ prompts: prompts([]) }, setup);
    expect((await world.engine.run({ agent: "peer" })).spent).toMatchObject({ tokens: 1000 });
    await using other = await withPeer({ prompts: prompts([told]) }, setup);
    expect((await other.engine.run({ agent: "peer" })).spent).toMatchObject({ tokens: 240 });
  });

  it("has cost what the peer says of all of it, unless it is silent about the last prompt", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const tells = (amount: number, text: string): Step[] => [
      { say: text },
      { update: { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency: "USD" } } },
      { stop: "end_turn", usage: { totalTokens: 120 } },
    ];
    const silent: Step[] = [{ say: '{"n": 4}' }, { stop: "end_turn", usage: { totalTokens: 120 } }];
    const costs = async (second: readonly Step[]) => {
      await using world = await withPeer({ prompts: [tells(0.5, "four"), second] }, { agent: { output: { schema } } });
      const { spent, isCostKnown } = await world.engine.run({ agent: "peer" });
      return [spent.microUsd, isCostKnown];
    };
    expect(await costs(tells(0.75, '{"n": 4}'))).toEqual([750_000, true]);
    expect(await costs(silent)).toEqual([500_000, false]);
  });
});

describe("a session that goes on", () => {
  const script = (first: string) => ({ prompts: [[{ say: first }, { tell: "prompt" as const }]] });

  it("is loaded by the peer, and what it replays is not taken for news", async () => {
    const project = temporaryFolder();
    const record = join(project, "wire.jsonl");
    const replay = [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "OLD" } }];
    await using world = await withPeer({ ...script("first"), record, replay }, { project });
    const { spec } = await world.engine.run({ agent: "peer", prompt: "remember 7" });
    const { outcome } = await world.engine.run({ agent: "peer", prompt: "which?", session: spec.session });
    const answer = outcome?.status === "completed" ? outcome.answer : JSON.stringify(outcome);
    expect(answer).toContain("which?");
    expect(answer).not.toContain("OLD");
    expect(answer).not.toContain("remember 7"); // it knows
    expect(readFileSync(record, "utf8")).toContain('\\"method\\":\\"session/load\\"');
  });

  it("is told in words where the peer cannot go on with it", async () => {
    await using world = await withPeer({ ...script("seven"), initialize: { agentCapabilities: {} } });
    const { spec } = await world.engine.run({ agent: "peer", prompt: "remember 7" });
    const task = await world.engine.run({ agent: "peer", prompt: "which?", session: spec.session });
    const answer = task.outcome?.status === "completed" ? task.outcome.answer : JSON.stringify(task.outcome);
    expect(answer).toContain("<previous_conversation>");
    expect(answer).toContain("remember 7");
    const notes = factsOf(await world.engine.log(task.id), "note.taken").map(({ text }) => text);
    expect(notes).toContainEqual(expect.stringContaining("cannot go on with an earlier session"));
  });

  it("goes on in another attempt of the same task, which is told that it was interrupted", async () => {
    const project = temporaryFolder();
    const steps = [{ exit: 1, once: join(project, "died") }, { tell: "prompt" as const }];
    const retry = { attempts: 2, on: ["backend_error" as const] };
    await using world = await withPeer({ prompts: [steps] }, { project, agent: { retry } });
    const task = await world.engine.run({ agent: "peer", prompt: "count" });
    expect(task.attempts).toHaveLength(2);
    expect(task.outcome).toMatchObject({
      answer: expect.stringContaining("You were interrupted in this task.") as string,
    });
  });

  it("is begun anew where it is lost", async () => {
    const failAt = { "session/load": { code: -32002, message: "No previous sessions found" } };
    await using world = await withPeer({ ...script("seven"), failAt });
    const { spec } = await world.engine.run({ agent: "peer", prompt: "remember 7" });
    const { outcome } = await world.engine.run({ agent: "peer", prompt: "which?", session: spec.session });
    expect(outcome).toMatchObject({ status: "completed", answer: expect.stringContaining("remember 7") as string });
  });
});

describe("permission", () => {
  const edit = (path: string) => ({
    toolCallId: "e1",
    title: "Edit a.txt",
    kind: "edit",
    content: [{ type: "diff", path, oldText: "old", newText: "new" }],
  });

  it("is asked of a person where the policy asks, with the whole change, and allowed just once", async () => {
    const project = temporaryFolder();
    const path = join(project, "a.txt");
    writeFileSync(path, "old");
    const write = { call: "fs/write_text_file", params: { path, content: "new" } };
    const script = { prompts: [[{ ask: edit(path), allowed: [write] }, { tell: "last" as const }]] };
    await using world = await withPeer(script, { project, agent: { workspace: { allow_writes: true } } });
    const { id } = await world.engine.start({ agent: "peer" });
    world.engine.work();
    await eventually("it asks", async () => (await openQuestions(world.engine, id)).length === 1);
    const [question] = await openQuestions(world.engine, id);
    expect(JSON.parse(question?.body ?? "")).toEqual({
      title: "Edit a.txt",
      kind: "edit",
      changes: [{ path, from: "old", to: "new" }],
    });
    expect(readFileSync(path, "utf8")).toBe("old");
    await answerNext(world.engine, id, { verdict: "allow", scope: "once" });
    const task = await ended(world.engine, id);
    // The very bytes that were allowed are written for the peer without another question.
    expect(task.outcome).toMatchObject({ status: "completed", answer: "{}" });
    expect(task.approvals).toHaveLength(1);
    expect(readFileSync(path, "utf8")).toBe("new");
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called")).toHaveLength(1);
    expect(factsOf(log, "tool.returned")).toHaveLength(1);
  });

  it("for one change does not cover another", async () => {
    const project = temporaryFolder();
    const path = join(project, "a.txt");
    const other = { call: "fs/write_text_file", params: { path, content: "something else" } };
    const script = { prompts: [[{ ask: edit(path), allowed: [other] }, { tell: "last" as const }]] };
    await using world = await withPeer(script, { project, agent: { workspace: { allow_writes: true } } });
    const { id } = await world.engine.start({ agent: "peer" });
    world.engine.work();
    await eventually("it asks", async () => (await openQuestions(world.engine, id)).length === 1);
    await answerNext(world.engine, id, { verdict: "allow", scope: "once" });
    await eventually("it asks again", async () => (await openQuestions(world.engine, id)).length === 1);
    await answerNext(world.engine, id, { verdict: "deny" });
    expect((await ended(world.engine, id)).outcome).toMatchObject({
      answer: expect.stringContaining("not allowed") as string,
    });
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["a change outside of what may be written", edit("/etc/hosts"), "no"],
    [
      "a command, where nothing asks about it",
      { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "ls" } },
      "yes",
    ],
    ["reading", { toolCallId: "r", title: "Read", kind: "read", locations: [{ path: "a.txt" }] }, "yes"],
    ["another mode", { toolCallId: "m", title: "Leave plan", kind: "switch_mode" }, "no"],
    [
      "the web, without network",
      { toolCallId: "w", title: "Get", kind: "fetch", rawInput: { url: "http://x.test/" } },
      "no",
    ],
  ])("is answered by the policy: %s", async (_what, toolCall, optionId) => {
    const outcome = await outcomeOf([{ ask: toolCall }, { tell: "last" }], { agent: FREE });
    expect(outcome).toMatchObject({ answer: JSON.stringify({ outcome: { outcome: "selected", optionId } }) });
  });

  it("is decided by the tool's name where the peer says no kind, and names its tools as we know them", async () => {
    const lookup = (name: string) => ({ PATH: process.env["PATH"], GOOSE_PROVIDER: "x" })[name];
    const other = (title: string) => ({ ask: { toolCallId: title, title, kind: "other", rawInput: {} } });
    const setup = { agent: { backend: "goose", permission_mode: "plan" }, options: { lookup } } as const;
    const names = ["tree", "shell", "write", "something"];
    await using world = await withPeer({ prompts: [[...names.map(other), { say: "done" }]] }, setup);
    const { id } = await world.engine.run({ agent: "peer" });
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called").map(({ tool }) => tool)).toEqual(["List"]);
    expect(factsOf(log, "tool.refused").map(({ tool }) => tool)).toEqual(["Bash", "Write", "Unknown"]);
  });

  it.each([[{ stop: "cancelled" }], [{ stop: "end_turn" }]])("that is refused may be the end: %o", async (stop) => {
    const toolCall = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "rm x" } };
    const prompts = [[{ ask: toolCall }, stop], [{ stop: "end_turn" }]];
    const outcome = await outcomeOf([], { agent: { permission_mode: "denyUnasked" } }, { prompts });
    const message = "the peer gave up when it was refused: mode denyUnasked";
    expect(outcome).toMatchObject({ status: "failed", reason: "no_completion", message });
  });

  it.each([[{ stop: "cancelled" }], [{ stop: "end_turn" }]])("that is refused is told to go on: %o", async (stop) => {
    const toolCall = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "rm x" } };
    const again = { ...toolCall, toolCallId: "d" };
    const prompts = [[{ ask: toolCall }, stop], [{ ask: again }, stop], [{ tell: "prompt" as const }]];
    await using world = await withPeer({ prompts }, { agent: { permission_mode: "denyUnasked" } });
    const { id, outcome } = await world.engine.run({ agent: "peer" });
    expect(outcome?.answer).toContain("You stopped because something was not allowed (mode denyUnasked)");
    const told = factsOf(await world.engine.log(id), "instruction.added");
    expect(told).toMatchObject([{ because: "nudge" }, { because: "nudge" }]);
  });

  it("is charged for what it says of its calls beside its words, where it says it nowhere else", async () => {
    const chunk = (tokens: number): Step => ({
      update: {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: "" },
        _meta: { usage: { totalTokens: tokens } },
      },
    });
    await using world = await withPeer(
      { prompts: [[chunk(18), chunk(20), { say: "done" }]] },
      { agent: { max_tokens: 1_000 } },
    );
    const { id } = await world.engine.run({ agent: "peer" });
    expect(factsOf(await world.engine.log(id), "budget.settled").at(-1)?.spent.tokens).toBe(38);
  });

  it("that stops at every refusal is not told so for ever", async () => {
    const toolCall = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "rm x" } };
    const prompts = Array.from({ length: 50 }, (_, index) => [{ ask: { ...toolCall, toolCallId: `c${index}` } }]);
    await using world = await withPeer({ prompts }, { agent: { permission_mode: "denyUnasked", max_turns: 100 } });
    const { id, outcome } = await world.engine.run({ agent: "peer" });
    expect(outcome).toMatchObject({ status: "failed", reason: "no_completion" });
    expect(factsOf(await world.engine.log(id), "instruction.added")).toHaveLength(10);
  });

  it("that has words of its own for a refusal has not answered with them", async () => {
    const words = "Info: Operation cancelled by user";
    const toolCall = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "rm x" } };
    const lookup = (name: string) => (name === "PATH" ? process.env["PATH"] : name === "GH_TOKEN" ? "t" : undefined);
    const setup = { agent: { backend: "copilot", permission_mode: "denyUnasked" }, options: { lookup } } as const;
    const first = [{ ask: toolCall }, { say: words }];
    const silent = await outcomeOf([], setup, { prompts: [first, [{ stop: "end_turn" }]] });
    expect(silent).toMatchObject({ status: "failed", reason: "no_completion" });
    const goesOn = await outcomeOf([], setup, { prompts: [first, [{ say: "without it, then" }]] });
    expect(goesOn).toMatchObject({ status: "completed", answer: "without it, then" });
  });

  it("counts a command as one, whatever the peer calls it", async () => {
    const toolCall = {
      toolCallId: "c",
      title: "Read",
      kind: "read",
      rawInput: { command: ["bash", "-lc", "rm -rf x"] },
    };
    const setup = { agent: { permission_mode: "denyUnasked" } } as const;
    await using world = await withPeer({ prompts: [[{ ask: toolCall }, { tell: "last" }]] }, setup);
    const task = await world.engine.run({ agent: "peer" });
    expect(task.outcome).toMatchObject({ answer: expect.stringContaining('"no"') as string });
    expect(factsOf(await world.engine.log(task.id), "tool.refused")).toMatchObject([{ tool: "Bash", effect: "exec" }]);
  });

  it.each([
    [
      "only for ever",
      [
        { optionId: "a", name: "A", kind: "allow_always" },
        { optionId: "n", name: "N", kind: "reject_once" },
      ],
      "n",
    ],
    [
      "by an id that means two things",
      [
        { optionId: "n", name: "A", kind: "allow_once" },
        { optionId: "n", name: "N", kind: "allow_always" },
      ],
      null,
    ],
    ["by nothing", [], null],
    ["by kinds that nobody knows", [{ optionId: "z", name: "Z", kind: "maybe" }], null],
  ])("is not given where it could be given %s", async (_how, options, chosen) => {
    const toolCall = { toolCallId: "r", title: "Read", kind: "read" };
    const outcome = await outcomeOf([{ ask: toolCall, options }, { tell: "last" }], { agent: FREE });
    const expected = chosen === null ? { outcome: "cancelled" } : { outcome: "selected", optionId: chosen };
    expect(outcome).toMatchObject({ answer: JSON.stringify({ outcome: expected }) });
  });

  it("is asked for one thing at a time, however many the peer asks for at once", async () => {
    const toolCall = { toolCallId: "c", title: "x", kind: "execute", rawInput: { command: "date" } };
    const options = [{ optionId: "yes", name: "Y", kind: "allow_once" }];
    const parallel = { parallel: 3, method: "session/request_permission", params: { toolCall, options } };
    await using world = await withPeer({ prompts: [[parallel, { tell: "last" }]] });
    const { id } = await world.engine.start({ agent: "peer" });
    world.engine.work();
    for (const count of [1, 2, 3]) {
      await eventually("it asks", async () => (await world.engine.show(id)).approvals.length === count);
      expect(await openQuestions(world.engine, id)).toHaveLength(1);
      await answerNext(world.engine, id, { verdict: "allow", scope: "once" });
    }
    const { outcome } = await ended(world.engine, id);
    expect(outcome?.status === "completed" && outcome.answer.split("yes")).toHaveLength(4);
  });

  it("that waits is answered as cancelled when the task is stopped", async () => {
    const project = temporaryFolder();
    const record = join(project, "wire.jsonl");
    const toolCall = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "ls" } };
    await using world = await withPeer(
      { prompts: [[{ ask: toolCall }, { hang: "until cancelled" }]], record },
      { project },
    );
    const { id } = await world.engine.start({ agent: "peer" });
    world.engine.work();
    await eventually("it asks", async () => (await openQuestions(world.engine, id)).length === 1);
    await world.engine.engine.stop(id, "ada");
    expect((await ended(world.engine, id)).outcome).toMatchObject({ status: "cancelled", how: "cooperative" });
    expect(readFileSync(record, "utf8")).toContain('{\\"outcome\\":{\\"outcome\\":\\"cancelled\\"}}');
  });
});
