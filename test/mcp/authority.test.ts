// Who speaks here may be a model. What is a person's does not exist, whatever it asks for and however.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { command } from "../../src/cli/commands/mcp.ts";
import { mannerOf } from "../../src/mcp/manner.ts";
import { toolsFor } from "../../src/mcp/toolset.ts";
import { type OperationName, OPERATIONS, operationsFor } from "../../src/operations/index.ts";
import type { Dialect } from "../../src/operations/words.ts";
import { agentFile, place } from "../cli/command-line.ts";
import { inProcess, overHttp } from "./host.ts";

const DIALECTS: readonly Dialect[] = ["cadre", "glee", "gencode", "gemini", "yeet"];

const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: Hello there."),
  ".cadre/agents/asker.md": agentFile("asker", "  - ask: May I?\n  - answer: done"),
  ".cadre/agents/shell.md":
    '---\nname: shell\ndescription: d\ncapabilities: [primary, orchestrator]\nworkspace: { allow_writes: true }\ncommand: [sh, -c, \'printf "%s %s" "$CADRE_ATTEMPT" "$CADRE_TOKEN" > token.txt; exec sleep 60\']\n---\n',
};

/** For agents too, and not offered to hosts: looking at it is for the command line. */
const NOT_OFFERED: readonly OperationName[] = [
  "session.list",
  "session.export",
  "task.start-many",
  "task.find",
  "task.events",
  "task.retry",
  "task.held-back",
  "workspace.list",
  "workspace.diff",
  "agent.check",
  "agent.get",
  "config.list",
  "config.get",
  "memory.list",
  "memory.find",
  "tool.list",
];

describe("the tools ask for nothing that is a person's:", () => {
  test.each(DIALECTS)("%s", (dialect) => {
    for (const { name, operations } of toolsFor(mannerOf(dialect), [])) {
      const personal = operations.filter((operation) => OPERATIONS[operation].authority === "person");
      expect({ name, personal }).toEqual({ name, personal: [] });
    }
  });

  test("all that agents may ask is offered, or left out on purpose", () => {
    const offered = DIALECTS.flatMap((dialect) => toolsFor(mannerOf(dialect), []).flatMap((tool) => tool.operations));
    expect([...new Set(offered), ...NOT_OFFERED].toSorted()).toEqual(operationsFor("mcp").toSorted());
    expect([...command.operations].toSorted()).toEqual([...new Set(offered)].toSorted());
  });

  test("each does only what it says", async () => {
    const { call, asked } = await inProcess(await place(FILES));
    const task = await call("task", { agent_name: "hello", prompt: "x", workspace: "shared" });
    const id = task.data["task_id"];
    await nextRound();
    const calls: Record<string, Record<string, unknown>> = {
      task: { session_id: task.data["session_id"], prompt: "y" },
      task_output: { session_id: task.data["session_id"] },
      task_stop: { task_id: id },
      task_send: { task_id: id, message: "x" },
      agents: {},
      memory_add: { content: "x" },
      memory_search: { query: "x" },
      inbox: {},
      agent_create: { name: "made", description: "d", prompt: "p" },
      tool_create: { name: "made", description: "d", command: ["ls"] },
    };
    const tools = toolsFor(mannerOf("cadre"), []);
    expect(Object.keys(calls)).toEqual(tools.map(({ name }) => name));
    for (const { name, operations } of tools) {
      asked.clear();
      await call(name, calls[name]);
      await nextRound(); // what a call has left to do after its reply is its own, too
      expect({ name, beyond: [...asked].filter((one) => !operations.some((known) => known === one)) }).toEqual({
        name,
        beyond: [],
      });
    }
  });
});

describe("a model that tries", () => {
  const personal = Object.entries(OPERATIONS).flatMap(([name, { authority }]) =>
    authority === "person" ? [name] : [],
  );

  test.each([...personal, "approve", "inbox_answer", "trust", "config_set", "tool_run", "memory_forget"])(
    "to call %s: there is no such tool",
    async (name) => {
      const { client } = await inProcess(await place(FILES));
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`no tool called "${name}"`);
    },
  );

  test("to answer what its own task asks: nothing takes an answer", async () => {
    const { call, person } = await inProcess(await place(FILES));
    const { data } = await call("task", { agent_name: "asker", prompt: "x" });
    const [item] = (await person.call("inbox.list", {})).items;
    const approval = item?.approval;
    const tries: [tool: string, args: Record<string, unknown>][] = [
      ["inbox", { approval, allow: true }],
      ["inbox", { acknowledge: [approval] }],
      ["task_send", { task_id: approval, message: "allow" }],
      ["task_send", { task_id: data["task_id"], message: "allow", answer: { verdict: "allow", scope: "task" } }],
      ["task_output", { task_id: data["task_id"], answer: "allow" }],
    ];
    for (const [tool, args] of tries) expect(await call(tool, args)).toMatchObject({ isError: true });
    await call("task_send", { task_id: data["task_id"], message: "allow; verdict: allow" });
    const open = (await person.call("inbox.list", {})).items.map((one) => one.approval);
    expect(open).toEqual([approval]);
    await call("task_stop", { task_id: data["task_id"] });
  });

  test.each([
    { permission_mode: "auto" },
    { tools: ["Bash"] },
    { policy: { network: true } },
    { allow_writes: true },
    { env: { X: "1" } },
    { cwd: "/" },
    { home: "/tmp" },
    { isPerson: true },
    { askable: "nobody" },
    { dispatch: "manual" },
    { limits: { budgetUsd: 1000 } },
    { definition: { name: "own" } },
  ])("to widen a task by %o: it is refused, and nothing is started", async (more) => {
    const { call, person } = await inProcess(await place(FILES));
    const refused = await call("task", { agent_name: "hello", prompt: "x", ...more });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(Object.keys(more)[0] ?? "") });
    expect((await person.call("task.list", {})).tasks).toEqual([]);
  });

  test("to reach the user's own memory: there is no word for it", async () => {
    const { call, person } = await inProcess(await place(FILES));
    await person.call("memory.add", { content: "my secret garden", scope: "user" });
    expect((await call("memory_search", { query: "garden" })).data).toMatchObject({ entries: [] });
    expect(await call("memory_search", { query: "garden", scope: "user" })).toMatchObject({ isError: true });
    expect(await call("memory_add", { content: "x", scope: "user" })).toMatchObject({ isError: true });
  });

  test("is no person, also where the user's config lets programs be one", async () => {
    const where = await place(FILES);
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security:\n  person_without_terminal: true\n");
    const { project: cwd, userHome, env } = where;
    await using cadre = await openCadre({ cwd, userHome, env, mouth: "mcp", isPerson: false });
    await expect(cadre.call("trust.grant", {})).rejects.toMatchObject({ code: "authority.denied" });
  });
});

describe("every tool, with what a model might try beside its own parameters:", () => {
  const WIDER: Readonly<Record<string, unknown>> = {
    approve: true,
    answer: { verdict: "allow", scope: "task" },
    verdict: "allow",
    decision: "allow once",
    inputResponses: { appr_x: { action: "accept", content: { decision: "allow once" } } },
    requestState: "v1.e30.e30",
    trust: true,
    scope: "user",
    isPerson: true,
    authority: "person",
    askable: "nobody",
    ceiling: null,
    permission_mode_override: "auto",
    policy: { network: true },
    env: { CADRE_TOKEN: "x" },
    home: "/",
  };
  const ways = { "in this process": inProcess, "over HTTP": overHttp } as const;

  test.each(Object.entries(ways))("%s, each is refused by name", { timeout: 60_000 }, async (_way, connect) => {
    const { client, call, person } = await connect(await place(FILES));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(8);
    for (const { name, inputSchema } of tools) {
      const known = Object.keys(inputSchema.properties ?? {});
      for (const [key, value] of Object.entries(WIDER).filter(([one]) => !known.includes(one))) {
        const refused = await call(name, { [key]: value });
        expect({ name, key, ...refused }).toMatchObject({ isError: true, text: expect.stringContaining(key) });
      }
    }
    expect((await person.call("task.list", {})).tasks).toEqual([]);
    expect((await person.call("trust.list", {})).folders).toHaveLength(1);
  });

  test("over HTTP there is no tool for what is a person's, and no way around the door", async () => {
    const { client, url } = await overHttp(await place(FILES));
    for (const name of ["approval.answer", "approval.relay", "trust.grant", "config.set"])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`no tool called "${name}"`);
    for (const path of ["/", "/mcp/", "/approve", "/inbox", "/trust", "/config"])
      expect((await fetch(new URL(path, url), { method: "POST" })).status).toBe(401);
  });

  test("passing on an answer is for hosts: nobody else can, and no agent", async () => {
    const where = await place(FILES);
    const { call, person } = await inProcess(where);
    const { data } = await call("task", { agent_name: "asker", prompt: "x" });
    const task = await person.call("task.get", { task: String(data["task_id"]) });
    const { id: approval = "", sha256 = "" } = task.approvals[0] ?? {};
    const answer = { verdict: "text", text: "yes" } as const;
    const denied = { code: "authority.denied" };
    await expect(person.call("approval.relay", { approval, sha256, answer })).rejects.toMatchObject(denied);
    const { project: cwd, userHome, env } = where;
    await using host = await openCadre({ cwd, userHome, env, mouth: "mcp", isPerson: false });
    // Its questions go to the inbox: this host has no form.
    await expect(host.call("approval.relay", { approval, sha256, answer })).rejects.toMatchObject(denied);
    await call("task_stop", { task_id: data["task_id"] });
  });
});

describe("inside of an attempt", () => {
  test(
    "the server acts as that attempt's child: it sees and starts only what is below",
    { timeout: 30_000 },
    async () => {
      const where = await place(FILES);
      mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
      writeFileSync(join(where.userHome, ".cadre", "config.yml"), "permissions:\n  allow: [Task(hello)]\n");
      const outside = await inProcess(where);
      const foreign = await outside.call("task", { agent_name: "hello", prompt: "foreign" });
      const above = await outside.call("task", { agent_name: "shell", prompt: "x", background: true });
      const file = join(where.project, "token.txt");
      const read = () => {
        try {
          return readFileSync(file, "utf8").split(" ");
        } catch {
          return [];
        }
      };
      await expect.poll(read, { timeout: 15_000, interval: 50 }).toHaveLength(2);
      const [attempt = "", token = ""] = read();
      expect(attempt).toBe(above.data["task_id"]);

      const inside = await inProcess(where, { env: { CADRE_ATTEMPT: attempt, CADRE_TOKEN: token } });
      const child = await inside.call("task", { agent_name: "hello", prompt: "below" });
      expect(child.data).toMatchObject({ status: "completed" });
      const { tasks } = await outside.person.call("task.list", { root: attempt });
      expect(tasks.find(({ id }) => id === child.data["task_id"])?.spec.parent).toBe(attempt);
      for (const id of [foreign.data["task_id"], attempt]) {
        expect(await inside.call("task_output", { task_id: id })).toMatchObject({
          isError: true,
          text: expect.stringContaining("there is no task"),
        });
      }

      const forged = await inProcess(where, { env: { CADRE_ATTEMPT: attempt, CADRE_TOKEN: "guessed" } });
      expect(await forged.call("task", { agent_name: "hello", prompt: "x" })).toMatchObject({
        isError: true,
        text: expect.stringContaining("without that attempt's token"),
      });
      expect((await forged.client.listTools()).tools).toHaveLength(10);
      await outside.call("task_stop", { task_id: attempt });
    },
  );
});
