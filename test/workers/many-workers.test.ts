import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import type { Envelope } from "../../src/schema/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { freshFolder } from "../fresh-folder.ts";

const TASKS = 2000;
const WORKERS = 4;
const MAX_CONCURRENT = 5;

function startWorker(home: string, userHome: string): Promise<number | null> {
  const file = fileURLToPath(new URL("worker.ts", import.meta.url));
  const child = spawn(process.execPath, [file, home, userHome, String(MAX_CONCURRENT)], {
    stdio: "inherit",
    timeout: 150_000,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Promise((resolve) => child.on("close", resolve));
}

async function wholeLog(home: string): Promise<Envelope[]> {
  const store = await sqliteStore(join(home, "cadre.db"), systemClock, { token: () => "" });
  const all: Envelope[] = [];
  for (let page = await store.read({ after: 0, limit: 5000 }); page.length > 0;) {
    all.push(...page);
    page = await store.read({ after: page.at(-1)?.position ?? 0, limit: 5000 });
  }
  await store.close();
  return all;
}

test("four workers run two thousand tasks, each once, and never more at a time than the limit", async () => {
  const userHome = freshFolder("workers");
  const home = join(userHome, "project", ".cadre");
  mkdirSync(home, { recursive: true });
  {
    const agents = [{ name: "quick", description: "answers at once", tape: [{ answer: "done" }] }];
    await using cadre = await openCadre({ home, userHome, cwd: userHome, env: {}, agents });
    for (let left = TASKS; left > 0; left -= 500) {
      const tasks = Array.from({ length: 500 }, () => ({ agent: "quick", prompt: "go" }));
      await cadre.call("task.start-many", { tasks });
    }
  }
  const exits = await Promise.all(Array.from({ length: WORKERS }, () => startWorker(home, userHome)));
  expect(exits).toEqual([0, 0, 0, 0]);

  const log = await wholeLog(home);
  const starts = new Map<string, number>();
  const workers = new Set<string>();
  let computing = 0;
  let most = 0;
  for (const { stream, event } of log) {
    if (event.type === "attempt.started") {
      starts.set(stream, (starts.get(stream) ?? 0) + 1);
      workers.add(event.worker.id);
    }
    if (event.type === "attempt.started" || event.type === "attempt.resumed") computing++;
    if (event.type === "attempt.suspended" || event.type === "task.ended") computing--;
    most = Math.max(most, computing);
  }
  expect(starts.size).toBe(TASKS);
  expect([...starts.values()].filter((count) => count !== 1)).toEqual([]);
  expect(log.filter(({ event }) => event.type === "task.ended" && event.outcome.status === "completed")).toHaveLength(
    TASKS,
  );
  expect(most).toBeLessThanOrEqual(MAX_CONCURRENT);
  expect(workers.size).toBe(WORKERS);
}, 180_000);
