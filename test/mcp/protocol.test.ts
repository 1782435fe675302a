// What the protocol has beside calls: the Tasks extension, and news of the tools.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { agentFile, place } from "../cli/command-line.ts";
import { ERAS, inProcess } from "./host.ts";

const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: Hello there."),
  ".cadre/agents/poor.md": agentFile("poor", "  - fail: backend_error\n    message: no luck"),
  ".cadre/agents/hanger.md": agentFile("hanger", "  - say: hanging\n  - hang: true"),
};

const Anything = z.looseObject({});

describe("the Tasks extension", () => {
  const follower = { era: "2026", followsTasks: true } as const;
  type Host = Awaited<ReturnType<typeof inProcess>>;

  /** Raw: the client library knows no tasks of this kind. */
  const ask = async ({ client }: Host, method: string, params: Record<string, unknown>) =>
    client.request({ method, params }, Anything);

  test("is declared, and gives a task to those who declare it", async () => {
    const host = await inProcess(await place(FILES), follower);
    expect(host.client.getServerCapabilities()).toMatchObject({ extensions: { "io.modelcontextprotocol/tasks": {} } });
    const sent = sendRaw(host);
    const created = await sent("tools/call", { name: "task", arguments: { agent_name: "hello", prompt: "x" } });
    expect(created).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^task_/),
      status: "working",
      ttlMs: null,
      pollIntervalMs: expect.any(Number),
      createdAt: expect.stringMatching(/Z$/),
      lastUpdatedAt: expect.stringMatching(/Z$/),
    });
    expect(created).not.toHaveProperty("content");
    const { taskId } = created as { taskId: string };
    const status = async () => (await ask(host, "tasks/get", { taskId }))["status"];
    await expect.poll(status, { timeout: 10_000, interval: 50 }).toBe("completed");
    expect(await ask(host, "tasks/get", { taskId })).toMatchObject({
      taskId,
      result: { structuredContent: { output: "Hello there.", task_id: taskId } },
    });
    expect((await host.call("task_output", { task_id: taskId })).data).toMatchObject({ output: "Hello there." });
  });

  test("work that fails is a result with an error in it; what is cancelled is cancelled", async () => {
    const host = await inProcess(await place(FILES), follower);
    const sent = sendRaw(host);
    const start = async (agent: string) => {
      const made = await sent("tools/call", { name: "task", arguments: { agent_name: agent, prompt: "x" } });
      return (made as { taskId: string }).taskId;
    };
    const poor = await start("poor");
    const state = (taskId: string) => async () => (await ask(host, "tasks/get", { taskId }))["status"];
    await expect.poll(state(poor), { timeout: 10_000, interval: 50 }).toBe("completed");
    expect(await ask(host, "tasks/get", { taskId: poor })).toMatchObject({ result: { isError: true } });

    const hanger = await start("hanger");
    expect(await ask(host, "tasks/update", { taskId: hanger, inputResponses: {} })).toBeDefined();
    expect(await ask(host, "tasks/cancel", { taskId: hanger })).toBeDefined();
    await expect.poll(state(hanger), { timeout: 10_000, interval: 50 }).toBe("cancelled");
    expect(await ask(host, "tasks/get", { taskId: hanger })).not.toHaveProperty("result");
  });

  test("a background call, and several tasks at once, are answered as they are", async () => {
    const host = await inProcess(await place(FILES), follower);
    const started = await host.call("task", { agent_name: "hello", prompt: "x", background: true });
    expect(started.data).toMatchObject({ task_id: expect.stringMatching(/^task_/) });
    const rows = await host.call("task", { tasks: [{ agent: "hello", prompt: "x" }] });
    expect(rows.data).toMatchObject({ tasks: [{ output: "Hello there." }] });
  });

  test("is not for those who do not declare it, nor for ids that are nobody's", async () => {
    const plain = await inProcess(await place(FILES), { era: "2026" });
    const { data } = await plain.call("task", { agent_name: "hello", prompt: "x" });
    expect(data).toMatchObject({ status: "completed" });
    await expect(ask(plain, "tasks/get", { taskId: data["task_id"] })).rejects.toMatchObject({ code: -32021 });
    const host = await inProcess(await place(FILES), follower);
    await expect(ask(host, "tasks/get", { taskId: "task_guessed" })).rejects.toMatchObject({ code: -32602 });
    await expect(ask(host, "tasks/cancel", { taskId: "../../x" })).rejects.toMatchObject({ code: -32602 });
  });

  /** The reply as it is on the wire. */
  function sendRaw({ client }: Host) {
    return async (method: string, params: Record<string, unknown>): Promise<unknown> => {
      const { transport } = client;
      if (transport === undefined) throw new Error("it is not connected");
      const before = transport.onmessage;
      const id = Math.floor(Math.random() * 1e9) + 1e6;
      const said = Promise.withResolvers<unknown>();
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
      transport.onmessage = (message, extra) => {
        if ("id" in message && message.id === id) said.resolve("result" in message ? message.result : message);
        else before?.(message, extra);
      };
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
      };
      await transport.send({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } });
      const result = await said.promise;
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
      transport.onmessage = before;
      return result;
    };
  }
});

describe.each(ERAS)("a host of %s", (era) => {
  test("hears when the agents are others", { timeout: 30_000 }, async () => {
    const where = await place(FILES);
    const { client } = await inProcess(where, { era });
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    if (era === "2026") await client.listen({ toolsListChanged: true });
    await client.listTools();
    writeFileSync(join(where.project, ".cadre/agents/newer.md"), agentFile("newer", "  - answer: new"));
    await changed.promise;
    const { tools } = await client.listTools();
    expect(tools[0]?.description).toContain("- newer: newer for tests");
  });

  test("gets protocol errors for misuse, and answers for everything else", async () => {
    const { client, call } = await inProcess(await place(FILES), { era });
    await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toMatchObject({ code: -32602 });
    expect(await call("task", { agent_name: "nobody", prompt: "x" })).toMatchObject({
      isError: true,
      data: { error: { code: "agent.not-found" } },
    });
    expect(await call("task_stop", {})).toMatchObject({ isError: true, data: { error: { code: "input.invalid" } } });
    for (const id of ["x", "task_", "../../etc/passwd", "sess_nobody", "task_nobody", "-rf", "a\0b"])
      expect(await call("task_output", { task_id: id })).toMatchObject({ isError: true });
    for (const prompt of ["", "   ", "a\0b", 7, null, []])
      expect(await call("task", { agent_name: "hello", prompt })).toMatchObject({ isError: true });
  });
});

test("a home that cannot be opened: the tools are listed, and the first call says why", async () => {
  const where = await place();
  const { client, call, logged } = await inProcess(where);
  const config = join(where.project, ".cadre", "config.yml");
  writeFileSync(config, "subagents: [");
  expect((await client.listTools()).tools).toHaveLength(10);
  expect(logged.join("\n")).toContain("config.yml");
  expect(await call("inbox")).toMatchObject({ isError: true, text: expect.stringContaining("config.yml:1") });
  writeFileSync(config, "");
  expect(await call("inbox")).toMatchObject({ isError: false });
});
