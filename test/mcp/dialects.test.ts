import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Dialect } from "../../src/operations/words.ts";
import { agentFile, place } from "../cli/command-line.ts";
import { inProcess } from "./host.ts";

const FILES = {
  ".cadre/agents/hello.md": agentFile(
    "hello",
    "  - say: hm\n  - spend: { microUsd: 5, tokens: 12 }\n  - answer: Hello there.",
  ),
  ".cadre/agents/poor.md": agentFile("poor", "  - fail: backend_error\n    message: no luck"),
  ".cadre/agents/hanger.md": agentFile("hanger", "  - say: hanging\n  - hang: true"),
  ".cadre/agents/scanner.md": agentFile(
    "scanner",
    "  - answer: scanned",
    "inputs:\n  - { name: target, required: true, description: what to scan }\n  - { name: depth, type: integer }\n",
  ),
  ".cadre/agents/reviewer.md": agentFile("reviewer", "  - answer: looks good"),
};

const OTHERS = ["task_send", "agents", "memory_add", "memory_search", "inbox", "agent_create", "tool_create"];

const NAMES: Readonly<Record<Dialect, readonly string[]>> = {
  cadre: ["task", "task_output", "task_stop", ...OTHERS],
  glee: [
    "glee_task",
    "glee_task_output",
    "glee_task_stop",
    "glee_task_send",
    "glee_agents",
    "glee_memory_add",
    "glee_memory_search",
    "glee_inbox",
    "glee_agent_create",
    "glee_tool_create",
  ],
  gencode: ["Task", "TaskOutput", "TaskStop", ...OTHERS],
  gemini: ["delegate_to_agent", "task_output", "task_stop", ...OTHERS],
  yeet: ["spawn_subagent", "request_review", "task_output", "task_stop", ...OTHERS],
};

const DIALECTS = Object.keys(NAMES) as Dialect[];

test.each(DIALECTS)("%s: the tools have its names, in an order that stays", async (dialect) => {
  const { client } = await inProcess(await place(FILES), { dialect });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).toEqual(NAMES[dialect]);
  expect(await names()).toEqual(NAMES[dialect]);
});

test.each(DIALECTS)("%s: every tool takes a plain object, and no key that it does not know", async (dialect) => {
  const { client, call } = await inProcess(await place(FILES), { dialect });
  for (const { name, inputSchema, description } of (await client.listTools()).tools) {
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(JSON.stringify(inputSchema)).not.toMatch(/"\$ref"|"anyOf":\[\]/);
    expect(description?.length).toBeLessThan(2_000);
    const refused = await call(name, { no_such_key: 1 });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("no_such_key") });
  }
});

describe("glee", () => {
  test("speaks of errors in Glee's words", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "glee" });
    const good = await call("glee_task", {
      description: "Greet",
      prompt: "go",
      agent_name: "hello",
      agent_cli: "codex",
    });
    expect(good.data).toMatchObject({ status: "completed", output: "Hello there." });
    const bad = await call("glee_task", { description: "Fail", prompt: "go", agent_name: "poor" });
    expect(bad.data).toMatchObject({ status: "error", error: "backend_error: no luck", output: null });
  });

  test("wants a description, unless a session goes on", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "glee" });
    const without = await call("glee_task", { prompt: "go", agent_name: "hello" });
    expect(without).toMatchObject({ isError: true, text: expect.stringContaining("description: is needed") });
    const first = await call("glee_task", { description: "Greet", prompt: "go", agent_name: "hello" });
    const second = await call("glee_task", { session_id: first.data["session_id"], prompt: "again" });
    expect(second.data).toMatchObject({ status: "completed", session_id: first.data["session_id"] });
  });
});

describe("gencode", () => {
  test("has GenCode's schemas", async () => {
    const { client } = await inProcess(await place(FILES), { dialect: "gencode" });
    const { tools } = await client.listTools();
    const [task, output, stop] = tools;
    expect(task?.description).toMatch(/^Launch a new agent to handle complex, multi-step tasks autonomously\n/);
    expect(task?.inputSchema).toMatchObject({
      required: ["subagent_type", "prompt"],
      properties: {
        subagent_type: {
          type: "string",
          description: "Agent type: Explore, Plan, Bash, Review, general-purpose, or custom",
        },
        prompt: { type: "string", description: "The task for the agent to perform" },
        description: { type: "string", description: "A short (3-5 word) description of the task" },
        run_in_background: {
          type: "boolean",
          description: "Run agent in background, returns task_id immediately",
          default: false,
        },
        model: {
          type: "string",
          description: "Override model: sonnet, opus, haiku",
          enum: ["sonnet", "opus", "haiku"],
        },
        max_turns: { type: "integer", description: "Maximum conversation turns before stopping" },
        resume: { type: "string", description: "Agent ID to resume from a previous execution" },
      },
    });
    expect(output).toMatchObject({
      description: "Retrieve output from a background task",
      inputSchema: {
        required: ["task_id"],
        properties: {
          task_id: { type: "string", description: "The task ID to get output from" },
          block: { type: "boolean", description: "Wait for task completion", default: true },
          timeout: { type: "number", description: "Max wait time in milliseconds (max 600000)", default: 30000 },
        },
      },
    });
    expect(stop).toMatchObject({
      description: "Stop a running background task by its ID",
      inputSchema: {
        required: ["task_id"],
        properties: { task_id: { type: "string", description: "The task ID to stop" } },
      },
    });
  });

  test("answers in GenCode's words", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "gencode" });
    expect(await call("Task", { subagent_type: "hello", prompt: "go" })).toEqual({
      text: "Hello there.",
      data: {},
      isError: false,
    });

    const started = await call("Task", { subagent_type: "hello", prompt: "go", run_in_background: true });
    const id = /^Task ID: (task_\w+)$/m.exec(started.text)?.[1] ?? "";
    expect(started.text).toMatch(/^Started in the background\.\nAgent: hello\n/);
    const done = await call("TaskOutput", { task_id: id });
    expect(done.text).toMatch(
      /^Agent: hello\nStatus: completed\nTurns: \d+\nTokens: 12\nDuration: \d+s\n\nOutput:\nHello there\.$/,
    );
    const resumed = await call("Task", { subagent_type: "hello", prompt: "more", resume: id });
    expect(resumed).toMatchObject({ text: "Hello there.", isError: false });
  });

  test("says what can be done about a task that goes on, and that it was killed", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "gencode" });
    const started = await call("Task", { subagent_type: "hanger", prompt: "go", run_in_background: true });
    const id = /^Task ID: (task_\w+)$/m.exec(started.text)?.[1] ?? "";
    const status = async () => (await call("TaskOutput", { task_id: id, block: false })).text.split("\n")[1];
    await expect.poll(status, { timeout: 10_000, interval: 50 }).toBe("Status: still running");
    const waiting = await call("TaskOutput", { task_id: id, timeout: 100 });
    expect(waiting.text.split("\n").slice(4)).toEqual([
      "",
      "Options:",
      `  - Wait longer: TaskOutput(task_id="${id}", timeout=60000)`,
      `  - Check status: TaskOutput(task_id="${id}", block=false)`,
      `  - Stop: TaskStop(task_id="${id}")`,
    ]);
    expect((await call("TaskStop", { task_id: id })).text).toContain("Status: killed");
  });

  test("work that fails returns the error", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "gencode" });
    const { text, isError } = await call("Task", { subagent_type: "poor", prompt: "go" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Agent: poor\nStatus: failed\n[^]*\nError: backend_error: no luck$/);
  });
});

describe("gemini", () => {
  test("has one tool for all agents, each with what it takes", async () => {
    const { client, call } = await inProcess(await place(FILES), { dialect: "gemini" });
    const { tools } = await client.listTools();
    const { properties, required } = tools[0]?.inputSchema ?? {};
    expect(required).toEqual(["agent_name"]);
    expect(properties).toMatchObject({
      agent_name: { type: "string", enum: expect.arrayContaining(["hello", "scanner"]) },
      target: { type: "string", description: "what to scan" },
      depth: { type: "integer" },
      prompt: { type: "string" },
    });
    const good = await call("delegate_to_agent", { agent_name: "scanner", target: "src", depth: 1 });
    expect(good.text).toBe("Subagent 'scanner' finished.\nTermination Reason: GOAL\nResult:\nscanned");
    expect((await call("delegate_to_agent", { agent_name: "hello", prompt: "go" })).text).toContain("Hello there.");
  });

  test("checks what is given by the agent that is named", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "gemini" });
    const wrong = await call("delegate_to_agent", { agent_name: "scanner", prompt: "go" });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain("prompt: scanner takes target, depth");
    expect(wrong.text).toContain("target: is needed");
    expect((await call("delegate_to_agent", { agent_name: "nobody", prompt: "go" })).isError).toBe(true);
  });

  test("says how it ended in Gemini's words", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "gemini" });
    const { text } = await call("delegate_to_agent", { agent_name: "poor", prompt: "go" });
    expect(text).toBe("Subagent 'poor' finished.\nTermination Reason: ERROR\nResult:\nbackend_error: no luck");
  });
});

describe("yeet", () => {
  test("spawns, and names tasks as its ledger does", async () => {
    const { call } = await inProcess(await place(FILES), { dialect: "yeet" });
    expect((await call("spawn_subagent", { agent: "hello", prompt: "go" })).text).toBe(
      "hello#1 complete\nHello there.",
    );
    expect((await call("spawn_subagent", { agent: "poor", prompt: "go" })).text).toBe(
      "poor#1 error\nbackend_error: no luck",
    );
  });

  test("asks for a review of what has changed", async () => {
    const where = await place(FILES);
    const { call, person } = await inProcess(where, { dialect: "yeet" });
    expect(await call("request_review", { summary: "Look at it" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("must be a repository"),
    });
    const git = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      [...git, "commit", "-qm", "first"],
    ])
      execFileSync("git", args, { cwd: where.project, env: where.env });
    appendFileSync(join(where.project, ".cadre/agents/hello.md"), "changed\n");
    expect((await call("request_review", { summary: "Look at it" })).text).toBe("reviewer#1 complete\nlooks good");
    const { tasks } = await person.call("task.list", {});
    expect(tasks[0]?.spec.prompt).toMatch(/^Look at it\n\nThe changes, as a diff:\n\n[^]*\+changed/);
  });
});
