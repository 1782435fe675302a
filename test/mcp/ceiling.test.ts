// A host that is itself held to less: what it starts gets no more, whatever the agent's own file says.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ceilingOf } from "../../src/mcp/host-ceiling.ts";
import { agentFile, place } from "../cli/command-line.ts";
import { ERAS, inProcess, overHttp } from "./host.ts";

const OPEN = "workspace: { allow_writes: true }\npermission_mode: auto\npolicy: { network: true }\n";
const FILES = {
  ".cadre/agents/writer.md": agentFile("writer", "  - { write: a.txt, content: a }\n  - answer: done", OPEN),
  ".cadre/agents/lead.md": agentFile("lead", "  - delegate: writer\n    prompt: write\n  - answer: led", OPEN),
  ".cadre/agents/program.md": "---\nname: program\ndescription: d\ncommand: [touch, a.txt]\n---\n",
};

/** As Codex 0.166 sends it with a call. */
const codex = (sandbox_mode: unknown) => ({
  "x-codex-turn-metadata": { model: "gpt-5", sandbox: "seccomp", sandbox_mode, thread_id: "0199-7d1c", turn_id: "1" },
});

describe.each(ERAS)("a call of %s", (era) => {
  const start = async (agent: string, meta: Record<string, unknown>, connect = inProcess) => {
    const where = await place(FILES);
    const { client, person } = await connect(where, { era, name: "codex-mcp-client" });
    const params = { name: "task", arguments: { agent_name: agent, prompt: "x" }, _meta: meta };
    const { structuredContent, isError } = await client.callTool(params);
    const { tasks } = await person.call("task.list", {});
    return { data: structuredContent, isError, tasks, isWritten: existsSync(join(where.project, "a.txt")) };
  };

  test("from a read-only sandbox: nothing is written, nothing is reached", { timeout: 30_000 }, async () => {
    for (const connect of [inProcess, overHttp]) {
      const { tasks, isWritten } = await start("writer", codex("read-only"), connect);
      expect(isWritten).toBe(false);
      expect(tasks[0]?.spec.policy).toMatchObject({ network: false, fs: { write: [] } });
      expect(tasks[0]?.spec.policy.modes).toContain("plan");
    }
  });

  test("what it starts is held to it, too", { timeout: 30_000 }, async () => {
    const { tasks, isWritten } = await start("lead", codex("read-only"));
    expect([isWritten, tasks.length]).toEqual([false, 2]);
    for (const { spec } of tasks) expect(spec.policy.modes).toContain("plan");
  });

  test("from a sandbox that writes to its workspace: that, and no network", { timeout: 30_000 }, async () => {
    const { tasks, isWritten } = await start("writer", codex("workspace-write"));
    expect(isWritten).toBe(true);
    expect(tasks[0]?.spec.policy).toMatchObject({ network: false });
  });

  test("from one that may do all: as the agent's file has it", { timeout: 30_000 }, async () => {
    expect((await start("writer", codex("danger-full-access"))).isWritten).toBe(true);
    expect((await start("writer", {})).isWritten).toBe(true);
  });

  test("a program that cannot be held to it is not started", { timeout: 30_000 }, async () => {
    const { isError, tasks, data, isWritten } = await start("program", codex("read-only"));
    expect([isError, tasks, isWritten]).toEqual([true, [], false]);
    expect(JSON.stringify(data)).toContain("cannot be held to what the host is held to");
  });

  test("several at once are all held to it", { timeout: 30_000 }, async () => {
    const where = await place(FILES);
    const { client, person } = await inProcess(where, { era });
    const rows = [
      { agent: "writer", prompt: "x" },
      { agent: "writer", prompt: "y" },
    ];
    await client.callTool({ name: "task", arguments: { tasks: rows }, _meta: codex("read-only") });
    const { tasks } = await person.call("task.list", {});
    expect(tasks.map(({ spec }) => spec.policy.modes.includes("plan"))).toEqual([true, true]);
    expect(existsSync(join(where.project, "a.txt"))).toBe(false);
  });
});

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ progressToken: 1 }, undefined],
  [codex("danger-full-access"), undefined],
  [codex("workspace-write"), "workspace-write"],
  [codex("read-only"), "read-only"],
  [{ "x-codex-turn-metadata": '{"sandbox_mode":"workspace-write"}' }, "workspace-write"],
  [codex("something-new"), "read-only"],
  [codex("Danger-Full-Access"), "read-only"],
  [codex("constructor"), "read-only"],
  [codex(null), "read-only"],
  [codex(undefined), "read-only"],
  [{ "x-codex-turn-metadata": null }, "read-only"],
  [{ "x-codex-turn-metadata": "{" }, "read-only"],
  [{ "x-codex-turn-metadata": {} }, "read-only"],
])("%o is %o", (meta, ceiling) => {
  expect(ceilingOf(meta as Record<string, unknown> | undefined)).toBe(ceiling);
});
