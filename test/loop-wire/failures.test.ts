// What goes wrong between our loop and a provider, in every wire format.
import { describe, test } from "vitest";
import { KEY } from "../models/lines.ts";
import { callTool, say, type WireScript } from "../models/wire/index.ts";
import { factsIn, FORMATS, listedMicroUsd, openWired } from "./kit.ts";

const agents = [{ name: "agent", description: "does what it is told" }];
const usage = { input: 1_000, output: 1_000 };
const BROKEN_OFF = {
  anthropic: "whatever_comes_next",
  responses: "whatever_comes_next",
  chat: "insufficient_system_resource",
  google: "OTHER",
} as const;

/** In a word of the provider's own: it stopped for a call, and none came; or it is not whole, and nobody knows why. */
const WITHOUT_CALL = { anthropic: "tool_use", responses: null, chat: "tool_calls", google: null } as const;

describe.concurrent.each(FORMATS)("$format", (line) => {
  test("401: the task fails at once, and no key is in the log or on disk", async ({ expect }) => {
    const script = [{ failure: "auth" as const, message: `Incorrect API key provided: ${KEY}` }];
    await using wired = await openWired(line, script, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Hello." });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "backend_unavailable" });
    expect(wired.server.requests).toHaveLength(1);
    expect(task.spent).toEqual({ microUsd: 0, tokens: 0 });
    expect(JSON.stringify(await wired.log(task))).not.toContain(KEY);
    expect(wired.onDisk()).not.toContain(KEY);
  });

  test("429: waits as long as it is told, and tries again", async ({ expect }) => {
    // Not the second that it would wait by itself.
    const script = [{ failure: "rate-limited" as const, retryAfter: "2" }, say("at last", usage)];
    await using wired = await openWired(line, script, { agents });
    const before = performance.now();
    const task = await wired.cadre.run({ agent: "agent", prompt: "Hello." });
    expect(performance.now() - before).toBeGreaterThanOrEqual(2_000);
    expect(task).toMatchObject({ turns: 1, outcome: { answer: "at last" } });
    expect(task.spent).toEqual({ microUsd: listedMicroUsd(line, 1_000, 1_000), tokens: 2_000 });
    expect(factsIn(await wired.log(task), "model.failed")).toMatchObject([{ kind: "rate_limited", retryInMs: 2_000 }]);
  });

  test("429 with a wait that is too long: the model is unreachable, and that is said", async ({ expect }) => {
    const script = [{ failure: "rate-limited" as const, retryAfter: "7200" }];
    await using wired = await openWired(line, script, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Hello." });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "rate_limited" });
    expect(JSON.stringify(task.outcome)).toContain("llm_unreachable");
    const [told] = factsIn(await wired.log(task), "note.taken").flatMap(({ text }) => text.split(" until ").slice(1));
    expect(Date.parse(told ?? "") - task.createdAt).toBeGreaterThanOrEqual(7_200_000);
  });

  test("500, and a stream that is cut: tried again; half a reply is no answer", async ({ expect }) => {
    const cut = { parts: [{ text: "It is in the attic, or" }], cut: "socket" as const };
    const script = [{ failure: "server-error" as const, retryAfter: "0" }, cut, say("It is in the cellar.", usage)];
    await using wired = await openWired(line, script, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Hello." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "It is in the cellar." });
    const log = await wired.log(task);
    expect(factsIn(log, "model.failed").map(({ kind }) => kind)).toEqual(["unavailable", "unavailable"]);
    expect(factsIn(log, "message.said").map(({ text }) => text)).toEqual(["It is in the cellar."]);
    // Nobody knows what the cut one cost: it counts as it was reserved.
    expect(task.spent.tokens).toBeGreaterThan(2_000);
    const last = wired.server.requests.at(-1);
    expect(JSON.stringify(last?.said.texts)).not.toContain("attic");
  });

  test("a reply that the provider broke off: tried again, and paid for; half a reply is no answer", async ({
    expect,
  }) => {
    const because = BROKEN_OFF[line.format];
    const script = [
      { parts: [{ text: "It is in the attic, or" }], usage, because },
      say("It is in the cellar.", usage),
    ];
    await using wired = await openWired(line, script, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Hello." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "It is in the cellar." });
    expect(task.spent).toEqual({ microUsd: 2 * listedMicroUsd(line, 1_000, 1_000), tokens: 4_000 });
    const log = await wired.log(task);
    expect(factsIn(log, "model.failed")).toMatchObject([
      { kind: "unavailable", message: `the model gave up: ${because}`, retryInMs: 1_000 },
    ]);
    expect(factsIn(log, "message.said").map(({ text }) => text)).toEqual(["It is in the cellar."]);
  });

  test("a reply that stops for a call and has none, or is not whole and does not say why, is no answer", async ({
    expect,
  }) => {
    const script = [
      { parts: [{ text: "I look in the attic." }], usage, because: WITHOUT_CALL[line.format] },
      say("It is in the cellar.", usage),
    ];
    await using wired = await openWired(line, script, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Hello." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "It is in the cellar.", recovered: null });
    const log = await wired.log(task);
    expect(factsIn(log, "model.failed")).toMatchObject([{ kind: "unavailable", retryInMs: 1_000 }]);
    expect(factsIn(log, "message.said").map(({ text }) => text)).toEqual(["It is in the cellar."]);
  });

  test("a stop while it speaks ends it, and closes the connection", async ({ expect }) => {
    const never = new Promise(() => undefined);
    const stopping = new AbortController();
    const live = { write: (_task: unknown, part: { type: string }) => part.type === "text-delta" && stopping.abort() };
    const script = [{ parts: [{ text: "It is, let me think, in the" }], hold: never }];
    await using wired = await openWired(line, script, { agents, live });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Hello." }, stopping.signal);
    expect(task.outcome).toMatchObject({ status: "cancelled", how: "cooperative" });
    await expect.poll(() => wired.server.abandoned).toBe(1);
    expect(wired.server.requests).toHaveLength(1);
  });
});

test("a model whose key is not there is refused when the task is started, with the name of the variable", async ({
  expect,
}) => {
  const [line] = FORMATS;
  if (line === undefined) throw new Error("there are formats");
  await using wired = await openWired(line, [], { agents, env: {} });
  await expect(wired.cadre.start({ agent: "agent", prompt: "Hello." })).rejects.toMatchObject({
    hint: expect.stringContaining("ANTHROPIC_API_KEY") as string,
  });
  expect(wired.server.requests).toEqual([]);
});

test("money is not promised for a model whose price nobody knows, neither here nor below", async ({ expect }) => {
  const [line] = FORMATS;
  if (line === undefined) throw new Error("there are formats");
  const script: WireScript = ({ said }) =>
    said.results.length === 0
      ? { parts: [callTool("Task", { subagent_type: "child", prompt: "x", model: "anthropic/claude-nobody-9" })] }
      : say("alone");
  const both = [
    { name: "lead", description: "leads", tools: ["Task(child)"] },
    { name: "child", description: "digs" },
  ];
  await using wired = await openWired(line, script, { agents: both });
  const limits = { budgetUsd: 1 };
  await expect(
    wired.cadre.start({ agent: "child", prompt: "x", model: "anthropic/claude-nobody-9", limits }),
  ).rejects.toMatchObject({ hint: expect.stringContaining("models.prices") as string });
  const task = await wired.cadre.run({ agent: "lead", prompt: "x", limits });
  expect(task.outcome).toMatchObject({ status: "completed", answer: "alone" });
  expect(task.children).toEqual([]);
  const [refused] = factsIn(await wired.log(task), "tool.returned");
  expect(refused?.output).toMatch(/^Nothing was started: nobody knows what anthropic\/claude-nobody-9 costs/);
});
