// Our own tools as a server: a real client on a real socket.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { OwnTools } from "../../../src/backends/own-tools/own-tools.ts";
import type { AttemptScope, Tool } from "../../../src/ports/index.ts";
import type { Script } from "../../../src/testing/index.ts";
import { taskAfter, taskEvents } from "../../domain/samples.ts";
import { factsOf, withWorker } from "../../engine/kit.ts";

const tool = (name: string, run: Tool["run"], effect: Tool["effect"] = "none"): Tool => ({
  name,
  description: `Does ${name}.`,
  effect,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  plan: (input) =>
    JSON.stringify(input).includes("wrong") ? { ok: false, problem: "not like this" } : { ok: true, use: { effect } },
  run,
});

type Work = (own: OwnTools, token: string, scope: AttemptScope) => Promise<unknown>;

/** An attempt that serves these tools while `work` lasts. */
const serving =
  (tools: readonly Tool[], work: Work): Script =>
  async (attempt, scope) => {
    const set = { tools, agents: [], [Symbol.asyncDispose]: async () => undefined };
    const own = await OwnTools.open(async () => set, attempt, scope);
    if (own === undefined || "kind" in own) throw new Error("nothing is served");
    try {
      return { kind: "answered", answer: JSON.stringify((await work(own, attempt.token, scope)) ?? "nothing") };
    } finally {
      await own[Symbol.asyncDispose]();
    }
  };

async function clientOf({ url }: OwnTools, token: string, mode?: "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, mode === undefined ? {} : { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function answerOf(tools: readonly Tool[], work: Work, agent = {}) {
  await using engine = await withWorker([serving(tools, work)], { agent });
  const { id, outcome } = await engine.run({ agent: "worker" });
  return { answer: outcome?.answer ?? "", log: await engine.log(id) };
}

const echo = tool("echo", async (input) => ({ ok: true, text: `heard ${JSON.stringify(input)}` }));

describe("our own tools, served", () => {
  it.each([undefined, "auto"] as const)(
    "are listed and called (protocol: %s), and each call is in the log",
    async (mode) => {
      const { answer, log } = await answerOf([echo], async (own, token) => {
        const client = await clientOf(own, token, mode);
        const { tools } = await client.listTools();
        const { content } = await client.callTool({ name: "echo", arguments: { text: "hi" } });
        await client.close();
        return { names: tools.map(({ name }) => name), content };
      });
      expect(answer).toContain('"names":["echo"]');
      expect(answer).toContain("heard");
      expect(factsOf(log, "tool.called")).toMatchObject([{ tool: "echo", input: { text: "hi" } }]);
      expect(factsOf(log, "tool.returned")).toMatchObject([{ ok: true }]);
    },
  );

  it("are for the bearer of the attempt's token, at their one place", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const { answer } = await answerOf([echo], async ({ url }, token) => {
      const status = async (address: string, authorization: string) =>
        (await fetch(address, { method: "POST", body, headers: { authorization } })).status;
      return [
        await status(url, ""),
        await status(url, "Bearer wrong"),
        await status(url, `Bearer ${token}x`),
        await status(`${url}/other`, `Bearer ${token}`),
        (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status,
      ];
    });
    expect(answer).toBe("[401,401,401,404,405]");
  });

  it("are refused by the policy, and say what is wrong with their input", async () => {
    const write = tool("Write", async () => ({ ok: true, text: "written" }), "write");
    const { answer, log } = await answerOf(
      [echo, write],
      async (own, token) => {
        const client = await clientOf(own, token);
        const refused = await client.callTool({ name: "Write", arguments: {} });
        const wrong = await client.callTool({ name: "echo", arguments: { text: "wrong" } });
        const unknown = await client.callTool({ name: "nothing", arguments: {} });
        await client.close();
        return [refused, wrong, unknown];
      },
      { permission_mode: "plan" },
    );
    expect(JSON.parse(answer)).toMatchObject([
      { isError: true, content: [{ text: expect.stringMatching(/^Not allowed: /) as string }] },
      { isError: true, content: [{ text: "not like this" }] },
      { isError: true, content: [{ text: 'There is no tool "nothing" here.' }] },
    ]);
    expect(factsOf(log, "tool.refused")).toHaveLength(2);
    expect(factsOf(log, "tool.called")).toEqual([]);
  });

  it("survive a tool that throws, and thirty calls at once", async () => {
    const throws = tool("throws", async () => {
      throw new Error("a bug");
    });
    const { answer } = await answerOf([echo, throws], async (own, token) => {
      const client = await clientOf(own, token);
      const failed = await client.callTool({ name: "throws", arguments: {} });
      const all = await Promise.all(
        Array.from({ length: 30 }, (_, index) => client.callTool({ name: "echo", arguments: { text: `${index}` } })),
      );
      await own.idle();
      await client.close();
      return [failed.isError, all.filter(({ isError }) => isError !== true).length];
    });
    expect(answer).toBe("[true,30]");
  });

  it("are gone with the attempt", async () => {
    let url = "";
    await answerOf([echo], async (own) => void (url = own.url));
    await expect(fetch(url)).rejects.toThrow(/fetch failed/);
  });

  it("end a task by the exit that was called first, whichever is done first", async () => {
    const [called, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const script: Script = async (attempt, scope) => {
      const set = { agents: [], [Symbol.asyncDispose]: async () => undefined };
      const own = await OwnTools.open(
        async (_attempt, _scope, finish) => {
          const exit = (name: string, until: Promise<void>): Tool =>
            tool(name, async (_input, call) => {
              called.resolve();
              await until;
              finish({ answer: name, output: undefined, exit: "complete_task" }, call);
              return { ok: true, text: "Done." };
            });
          return { ...set, tools: [exit("slow", answered.promise), exit("quick", Promise.resolve())] };
        },
        attempt,
        scope,
      );
      if (own === undefined || "kind" in own) throw new Error("nothing is served");
      await using served = own;
      const client = await clientOf(served, attempt.token);
      const slow = client.callTool({ name: "slow", arguments: {} });
      await called.promise;
      await client.callTool({ name: "quick", arguments: {} });
      const meanwhile = served.finished?.answer;
      answered.resolve();
      await slow;
      await served.idle();
      await client.close();
      return { kind: "answered", answer: `${meanwhile}, then ${served.finished?.answer}` };
    };
    await using engine = await withWorker([script], {});
    expect((await engine.run({ agent: "worker" })).outcome?.answer).toBe("quick, then slow");
  });
});

it("do not wait for a child that goes on only when a person says so, which is told once", async () => {
  const started = [taskEvents["attempt.started"], taskEvents["task.interrupted"]] as const;
  const child = taskAfter(...started);
  const stuck = { ...child, spec: { ...child.spec, background: true } };
  const script: Script = (attempt, scope) => {
    const later = { unfinishedChildren: async () => [stuck], atRest: async () => stuck, endedChildren: async () => [] };
    return serving([echo], async (own) => [await own.left(), await own.left()])(attempt, { ...scope, ...later });
  };
  await using engine = await withWorker([script]);
  const { outcome } = await engine.run({ agent: "worker" });
  expect(JSON.parse(outcome?.answer ?? "")).toMatchObject([
    { kind: "tell", text: expect.stringContaining("only when a person says so") as string },
    { kind: "nothing" },
  ]);
});
