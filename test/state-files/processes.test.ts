import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { makeLayout, repairStateFiles, withStateFiles } from "../../src/stores/state-files/index.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import { admitted } from "../../src/testing/store-contract/given.ts";
import { shown, temporaryFolder } from "./kit.ts";

const program = fileURLToPath(new URL("fixtures/change-tasks.ts", import.meta.url));

function change(home: string, name: string): Promise<string> {
  const child = spawn(process.execPath, [program, home, name], { stdio: ["ignore", "pipe", "pipe"], timeout: 30_000 });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  return new Promise((resolve) => child.on("close", (code) => resolve(code === 0 ? "" : said)));
}

test("two processes that change the same tasks leave files that show the last state, and never a broken one", async () => {
  const home = join(temporaryFolder(), ".cadre");
  mkdirSync(home);
  const clock = fakeClock();
  const inner = await sqliteStore(join(home, "cadre.db"), clock, fakeMint());
  onTestFinished(() => inner.close());
  const tasks = await Promise.all([0, 1, 2, 3].map(() => admitted(inner)));
  const problems: string[] = [];
  const layout = makeLayout(home, dirname(home));
  await repairStateFiles(inner, { layout, clock, onProblem: (message) => void problems.push(message) });

  const state = (id: string) =>
    JSON.parse(readFileSync(join(home, "tasks", `${id}.json`), "utf8")) as Record<string, unknown>;
  let isOver = false;
  let looks = 0;
  const reader = (async () => {
    for (;;) {
      if (isOver) return;
      for (const { id } of tasks) expect(["pending", "cancelled"]).toContain(state(id)["status"]);
      looks++;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  })();
  const ends = await Promise.all([change(home, "a"), change(home, "b")]);
  isOver = true;
  await reader;

  expect(ends).toEqual(["", ""]);
  expect(looks).toBeGreaterThan(10);
  for (const { id } of tasks) expect(state(id)["status"]).toBe((await inner.task(id))?.status);
  expect(readdirSync(join(home, "tasks")).filter((name) => name.startsWith("."))).toEqual([]);
  const log = readFileSync(join(home, "logs", `${tasks[0]?.id}.log`), "utf8")
    .trimEnd()
    .split("\n");
  for (const line of log) expect(line).toMatch(/^\[[-\dT:]{19}\] (stopped by|queued again)/);
  expect(problems).toEqual([]);
}, 40_000);

test("whoever writes a file late writes what the store has by then", async () => {
  const files = shown();
  const { id, spec } = await admitted(files.store);
  const other = withStateFiles(files.bare, files);
  let isFirst = true;
  let between: unknown;
  // The first command commits; before its own handle gets to the file, the other one commits and writes.
  const late = new Proxy(files.bare, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        const answer: unknown = await Reflect.apply(member, target, args);
        if (key === "command" && isFirst) {
          isFirst = false;
          await other.command(id, { type: "requeue", because: "retry", by: "b" });
          between = files.json(`tasks/${id}.json`)["status"];
        }
        return answer;
      };
    },
  });
  await withStateFiles(late, files).command(id, { type: "stop", by: "a" });
  expect(between).toBe("pending");
  expect(files.json(`tasks/${id}.json`)["status"]).toBe("pending");
  expect(files.json(`sessions/${spec.session}.json`)["status"]).toBe("pending");
});
