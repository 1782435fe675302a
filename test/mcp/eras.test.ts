import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentFile, place, type Place } from "../cli/command-line.ts";
import { ERAS, MAIN, spawned } from "./host.ts";

const LIMIT_MS = 60_000;

const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - say: thinking\n  - answer: Hello there."),
};

describe.each(ERAS)("a host of %s", (era) => {
  test("lists the tools, gives an agent a task and gets the result", { timeout: LIMIT_MS }, async () => {
    const { client, call, stderr } = await spawned(await place(FILES), [], { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "task",
      "task_output",
      "task_stop",
      "task_send",
      "agents",
      "memory_add",
      "memory_search",
      "inbox",
      "agent_create",
      "tool_create",
    ]);
    expect(tools[0]?.description).toContain("- hello: hello for tests");
    const { data, isError, text } = await call("task", { agent_name: "hello", prompt: "greet" });
    expect(isError).toBe(false);
    expect(data).toMatchObject({
      session_id: expect.stringMatching(/^sess_/),
      task_id: expect.stringMatching(/^task_/),
      agent: "hello",
      status: "completed",
      output: "Hello there.",
      duration_ms: expect.any(Number),
      evidence: "claimed",
      recovered: false,
      next_cursor: null,
    });
    expect(text).toContain("Hello there.");
    expect(stderr()).toBe("");
  });
});

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

interface Raw {
  readonly send: (message: unknown) => void;
  readonly answered: (id: number) => Promise<unknown>;
  readonly end: () => Promise<{ exit: number | null; stdout: string; stderr: string }>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function raw({ project: cwd, env }: Place, ...args: string[]): Raw {
  const child = spawn(process.execPath, [MAIN, "mcp", ...args], { cwd, env, stdio: "pipe", timeout: LIMIT_MS });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const look of watchers) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    send: (message) => void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    kill: (signal) => void child.kill(signal),
    answered: (id) =>
      new Promise((resolve) => {
        const look = () => {
          const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
          const found = lines.map((line) => JSON.parse(line) as { id?: number }).find((one) => one.id === id);
          if (found !== undefined) resolve(found);
        };
        watchers.add(look);
        look();
      }),
    async end() {
      child.stdin.end();
      return { exit: await closed, stdout, stderr };
    },
  };
}

describe("the process", () => {
  test("writes nothing but the protocol to stdout, whatever there is to say", { timeout: LIMIT_MS }, async () => {
    const where = await place({ ...FILES, ".cadre/agents/broken.md": "---\nname: [\n---\n" });
    writeFileSync(join(where.project, ".cadre", "config.yml"), "subagents:\n  no_such_key: 1\n");
    const { send, answered, end } = raw(where);
    send(initialize);
    await answered(1);
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    send({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    await answered(2);
    send("this is no message");
    send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "agents", arguments: {} } });
    await answered(3);
    const { exit, stdout, stderr } = await end();
    expect(exit).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(stderr).toContain("no_such_key");
  });

  test("ends when its host closes the pipe", { timeout: LIMIT_MS }, async () => {
    const { end } = raw(await place(FILES));
    expect(await end()).toEqual({ exit: 0, stdout: "", stderr: "" });
  });

  test("opens no store before it is needed, and ends when it is told to", { timeout: LIMIT_MS }, async () => {
    const where = await place(FILES);
    const { send, answered, kill, end } = raw(where);
    send(initialize);
    await answered(1);
    expect(existsSync(join(where.project, ".cadre", "cadre.db"))).toBe(false);
    kill("SIGTERM");
    expect(await end()).toMatchObject({ exit: 0, stderr: "" });
  });

  test("says what is wrong with an option, and does not start", { timeout: LIMIT_MS }, async () => {
    const { exit, stdout, stderr } = await raw(await place(), "--dialect", "klingon").end();
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("dialect");
  });
});
