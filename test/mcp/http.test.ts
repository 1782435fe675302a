// The server over HTTP, as hosts of both eras have it: sessions, sizes, many at once, and its end.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, place } from "../cli/command-line.ts";
import { ERAS, overHttp, TOKEN } from "./host.ts";

const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: Hello there."),
  ".cadre/agents/hearer.md": agentFile("hearer", "  - say: listening\n  - hear: now\n  - answer: heard"),
  ".cadre/agents/slow.md": agentFile("slow", "  - say: working\n  - pause_ms: 1500\n  - answer: slowly"),
};

const HEADERS = {
  Authorization: `Bearer ${TOKEN}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { ...HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

describe.each(ERAS)("a host of %s", (era) => {
  test("lists, calls, and hears how it goes", { timeout: 30_000 }, async () => {
    const { client, call } = await overHttp(await place(FILES), { era });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("task");
    expect((await call("task", { agent_name: "hello", prompt: "x" })).data).toMatchObject({ output: "Hello there." });
    const told: number[] = [];
    const params = { name: "task", arguments: { agent_name: "slow", prompt: "x" } };
    const onprogress = ({ progress }: { progress: number }) => void told.push(progress);
    const { structuredContent } = await client.callTool(params, { onprogress });
    expect(structuredContent).toMatchObject({ output: "slowly" });
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });

  test("gives up a call: its task goes on", { timeout: 30_000 }, async () => {
    const { client, call, person } = await overHttp(await place(FILES), { era });
    const gone = new AbortController();
    const params = { name: "task", arguments: { agent_name: "hearer", prompt: "x" } };
    const given = client.callTool(params, { signal: gone.signal });
    const started = async () => (await person.call("task.list", {})).tasks[0]?.id;
    await expect.poll(started, { timeout: 10_000 }).toBeDefined();
    gone.abort();
    await expect(given).rejects.toThrow(/abort/i);
    await person.call("task.send", { task: (await started()) ?? "", text: "now" });
    expect((await call("task_output", { task_id: await started() })).data).toMatchObject({ output: "heard" });
  });

  test("fifty at once are all answered", { timeout: 60_000 }, async () => {
    const where = await place(FILES);
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), "subagents:\n  rate_limit_per_min: 100000\n");
    const { call } = await overHttp(where, { era });
    const calls = Array.from({ length: 50 }, () => call("task", { agent_name: "hello", prompt: "x" }));
    const answers = await Promise.all(calls);
    expect(answers.map(({ data }) => data["output"])).toEqual(answers.map(() => "Hello there."));
    expect(new Set(answers.map(({ data }) => data["task_id"])).size).toBe(50);
  });
});

describe("sessions of the earlier era", () => {
  test("are opened, told apart, and closed", async () => {
    const { url } = await overHttp(await place(FILES));
    const open = async () => (await post(url, initialize)).headers.get("mcp-session-id") ?? "";
    const [one, two] = [await open(), await open()];
    expect([one.length >= 32, two.length >= 32, one === two]).toEqual([true, true, false]);
    expect((await post(url, list, { "mcp-session-id": one })).status).toBe(200);
    expect((await post(url, list)).status).toBe(400);
    expect((await post(url, list, { "mcp-session-id": "guessed" })).status).toBe(404);
    const closed = await fetch(url, { method: "DELETE", headers: { ...HEADERS, "mcp-session-id": one } });
    expect(closed.status).toBe(200);
    expect((await post(url, list, { "mcp-session-id": one })).status).toBe(404);
    expect((await post(url, list, { "mcp-session-id": two })).status).toBe(200);
  });
});

describe("what is too much or makes no sense", () => {
  test("is refused, and the next one is answered", async () => {
    const { url, call } = await overHttp(await place(FILES));
    const large = JSON.stringify({ ...list, params: { filler: "x".repeat(5 * 1024 * 1024) } });
    expect((await post(url, large)).status).toBe(413);
    expect((await post(url, "{")).status).toBe(400);
    expect((await post(url, "[".repeat(100_000))).status).toBe(400);
    expect((await post(url, list, { "Content-Type": "text/plain" })).status).toBe(415);
    expect((await fetch(url, { method: "PUT", headers: HEADERS, body: "{}" })).status).toBe(405);
    const modern = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call" };
    expect((await post(url, list, modern)).status).toBe(400);
    expect((await call("task", { agent_name: "hello", prompt: "x" })).data).toMatchObject({ output: "Hello there." });
  });

  test("a task of another host is not found by guessing", async () => {
    const { call } = await overHttp(await place(FILES));
    for (const id of ["task_", "task_01", `task_${"0".repeat(26)}`])
      expect(await call("task_output", { task_id: id })).toMatchObject({ isError: true });
  });
});

test("it ends with a call waiting: the call breaks, the task does not", { timeout: 30_000 }, async () => {
  const { client, person, stop } = await overHttp(await place(FILES));
  const params = { name: "task", arguments: { agent_name: "hearer", prompt: "x" } };
  const given = client.callTool(params, { timeout: 20_000 });
  given.catch(() => undefined);
  const started = async () => (await person.call("task.list", {})).tasks[0];
  await expect.poll(async () => (await started())?.status, { timeout: 10_000 }).toMatch(/^(running|waiting)$/);
  await stop();
  await person.call("task.send", { task: (await started())?.id ?? "", text: "now" });
  await expect.poll(async () => (await started())?.status, { timeout: 10_000 }).toBe("completed");
});
