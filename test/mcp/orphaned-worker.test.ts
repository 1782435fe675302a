// Some hosts end everything that descends from a server when they leave: the worker must not be among it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentFile, place } from "../cli/command-line.ts";
import { spawned } from "./host.ts";

const FILES = { ".cadre/agents/hanger.md": agentFile("hanger", "  - say: hanging\n  - hang: true") };
const POLL = { timeout: 60_000, interval: 100 };

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly words: readonly string[];
}

function processes(): Process[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      return [{ pid: Number(pid), parent: Number(parent), words }];
    } catch {
      return []; // it ended while we looked
    }
  });
}

test("the worker that a server has started is no descendant of it", { timeout: 120_000 }, async () => {
  const where = await place(FILES);
  const host = await spawned(where);
  const { data } = await host.call("task", { agent_name: "hanger", prompt: "go", background: true });
  const id = data["task_id"];
  const status = async () => (await host.call("task_output", { task_id: id, block: false })).data["status"];
  await expect.poll(status, POLL).toBe("running");

  const all = processes();
  const home = join(where.project, ".cadre");
  const [worker, ...others] = all.filter(({ words }) => words.includes("--resident") && words.includes(home));
  expect(others).toEqual([]);
  const above: number[] = [];
  for (let one = worker; one !== undefined && above.length < 100; one = all.find(({ pid }) => pid === one?.parent))
    above.push(one.parent);
  expect(above.at(-1)).toBe(0);
  expect(above).not.toContain(host.pid);
  await host.call("task_stop", { task_id: id });
  await expect.poll(status, POLL).toBe("cancelled");
});
