// Work is the worker's, not the host's: it goes on whatever happens to calls, connections and servers.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { agentFile, cadre, place, type Place } from "../cli/command-line.ts";
import { type Answer, type Host, spawned } from "./host.ts";

const LIMIT_MS = 90_000;
const POLL = { timeout: 30_000, interval: 100 };

const FILES = {
  ".cadre/agents/asker.md": agentFile("asker", "  - ask: May I go on?\n  - answer: I went on."),
  ".cadre/agents/hanger.md": agentFile("hanger", "  - say: hanging\n  - hang: true"),
};

/** The person at the terminal, who lets whatever waits go on. */
async function letGoOn({ project: cwd, userHome, env }: Place): Promise<void> {
  await using person = await openCadre({ cwd, userHome, env });
  const ids = async () => (await person.call("inbox.list", {})).items.flatMap(({ approval }) => approval ?? []);
  await expect.poll(ids, POLL).not.toEqual([]);
  for (const approval of await ids())
    await person.call("approval.answer", { approval, answer: { verdict: "allow", scope: "once" } });
}

/** The one task there is, as soon as there is one. */
async function onlyTask(where: Place): Promise<string> {
  const ids = async () => {
    const { stdout } = await cadre(where, "status", "--json");
    return (JSON.parse(stdout) as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  await expect.poll(ids, POLL).toHaveLength(1);
  return (await ids())[0] ?? "";
}

const statusOf = (host: Host, id: string) => async () =>
  (await host.call("task_output", { task_id: id, block: false })).data["status"];

test(
  "a call that the host gives up on: the task goes on, and another server has it",
  { timeout: LIMIT_MS },
  async () => {
    const where = await place(FILES);
    const first = await spawned(where);
    const call = { name: "task", arguments: { agent_name: "hanger", prompt: "go" } };
    await expect(first.client.callTool(call, { timeout: 500 })).rejects.toThrow(/timed out/i);
    const hanging = await onlyTask(where);
    await expect.poll(statusOf(first, hanging), POLL).toBe("running");
    await first.client.close();

    const second = await spawned(where, [], { era: "2026" });
    expect((await second.call("task_output", { task_id: hanging, timeout: 10 })).data).toMatchObject({
      status: "running",
      output: null,
    });
    await second.call("task_stop", { task_id: hanging });
    await expect.poll(statusOf(second, hanging), POLL).toBe("cancelled");
  },
);

test("a worker that is killed: any call of the server starts another one", { timeout: LIMIT_MS }, async () => {
  const steps = agentFile(
    "steps",
    '  - { call: Bash, input: { command: "echo x >> steps.txt; until test -e go; do sleep 0.05; done" } }\n  - answer: done',
    "backend: native\npermission_mode: auto\nworkspace: { allow_writes: true }\n",
  );
  const where = await place({ ".cadre/agents/steps.md": steps });
  const host = await spawned(where);
  const { data } = await host.call("task", { agent_name: "steps", prompt: "go", background: true });
  await expect.poll(() => existsSync(join(where.project, "steps.txt")), POLL).toBe(true);
  const [first, ...more] = residents(where);
  expect(more).toEqual([]);
  process.kill(Number(first), "SIGKILL");
  await expect.poll(() => residents(where), POLL).toEqual([]);
  await host.call("inbox");
  await expect.poll(() => residents(where), POLL).toHaveLength(1);
  writeFileSync(join(where.project, "go"), "");
  expect((await host.call("task_output", { task_id: data["task_id"] })).data).toMatchObject({
    status: "completed",
    output: "done",
  });
});

test("a server that is killed: the worker finishes", { timeout: LIMIT_MS }, async () => {
  const where = await place(FILES);
  const host = await spawned(where);
  const { data } = await host.call("task", { agent_name: "asker", prompt: "go", background: true });
  expect(data).toMatchObject({ output: null, task_id: expect.stringMatching(/^task_/) });
  process.kill(host.pid, "SIGKILL");
  await letGoOn(where);

  const again = await spawned(where);
  expect((await again.call("task_output", { task_id: data["task_id"] })).data).toMatchObject({
    status: "completed",
    output: "I went on.",
  });
  expect((await again.call("task_output", { session_id: data["session_id"] })).data).toMatchObject({
    task_id: data["task_id"],
  });
  const inbox = await again.call("inbox");
  expect(inbox.data).toMatchObject({ questions: [], ended: [{ task_id: data["task_id"], status: "completed" }] });
});

test("a call that is cancelled in the middle: only the waiting ends", { timeout: LIMIT_MS }, async () => {
  const where = await place(FILES);
  const host = await spawned(where);
  const stop = new AbortController();
  const waiting = host.client.callTool(
    { name: "task", arguments: { agent_name: "hanger", prompt: "go" } },
    { signal: stop.signal },
  );
  const id = await onlyTask(where);
  stop.abort();
  await expect(waiting).rejects.toThrow(/abort/i);
  await expect.poll(statusOf(host, id), POLL).toBe("running");
  await host.call("task_stop", { task_id: id });
  await expect.poll(statusOf(host, id), POLL).toBe("cancelled");
});

test(
  "a worker that is killed: another one is started, and the caller hears what became of the task",
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const where = await place(FILES);
    const host = await spawned(where);
    const { data } = await host.call("task", { agent_name: "hanger", prompt: "go", background: true });
    await expect.poll(statusOf(host, String(data["task_id"])), POLL).toBe("running");
    const waiting = host.call("task_output", { task_id: data["task_id"], timeout: 50_000 });
    const [pid] = residents(where);
    process.kill(Number(pid), "SIGKILL");
    expect((await waiting).data).toMatchObject({
      status: "interrupted",
      error: expect.stringContaining("died"),
      next: expect.stringContaining("cadre retry"),
    });
  },
);

/** Processes whose command line is this home's resident worker. */
function residents({ project }: Place): string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words.includes("--resident") && words.includes(join(project, ".cadre"));
      } catch {
        return false; // it ended while we looked
      }
    });
}

describe("two hundred calls at once", () => {
  test("all come back, each with its own answer, by one worker", { timeout: LIMIT_MS }, async () => {
    const where = await place({ ".cadre/agents/hello.md": agentFile("hello", "  - answer: Hello there.") });
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), "subagents:\n  rate_limit_per_min: 100000\n");
    const { call } = await spawned(where);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index): Promise<Answer> => {
        const answer = await call("task", { agent_name: "hello", prompt: `call ${index}` });
        const isOver = answer.data["status"] === "completed";
        return isOver ? answer : call("task_output", { task_id: answer.data["task_id"], timeout: 50_000 });
      }),
    );
    expect(new Set(answers.map(({ data }) => data["status"]))).toEqual(new Set(["completed"]));
    expect(new Set(answers.map(({ data }) => data["task_id"])).size).toBe(200);
    await using look = await openCadre({ cwd: where.project, userHome: where.userHome, env: where.env });
    const { tasks } = await look.call("task.list", { limit: 1000 });
    expect(tasks).toHaveLength(200);
    expect(new Set(tasks.map(({ attempts }) => attempts[0]?.worker)).size).toBe(1);
    expect(tasks.map(({ spec }) => spec.origin.mouth)).toEqual(Array.from({ length: 200 }, () => "mcp"));
    const log = join(where.project, ".cadre", "logs", "worker.log");
    expect(existsSync(log) ? readFileSync(log, "utf8") : "").toBe("");
  });
});
