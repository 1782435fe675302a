// Programs that will not end, workers that end too early, and names that would like to be something else.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cadre as run, start } from "../cli/command-line.ts";
import { processesWith } from "./fixtures/os-attacks.ts";
import { FREE, openAt, scene } from "./kit.ts";

const LIMIT = { timeout: 120_000 };
const POLL = { timeout: 30_000, interval: 50 };

const lines = (path: string): number => (existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0);

/** Three generations that hear no signal, the youngest in a session of its own; each says that it is there. */
const stubborn = (mark: string): string => `
  trap "" TERM INT HUP; echo up >>up
  sh -c 'trap "" TERM INT HUP; echo up >>up; setsid sh -c "trap \\"\\" TERM INT HUP; echo up >>up; while :; do sleep 1; done; : ${mark}" </dev/null >/dev/null 2>&1 & while :; do sleep 1; done; : ${mark}' &
  while :; do sleep 1; done; : ${mark}`;

test("case 25: a task that is stopped leaves no process, whatever its programs do against it", LIMIT, async () => {
  const mark = `stubborn-${process.pid}`;
  const where = scene();
  const command = ["sh", "-c", stubborn(mark)];
  const agent = { name: "stubborn", description: "d", ...FREE, command };
  const cadre = await openAt(where, { agents: [agent] });
  const { id } = await cadre.start({ agent: "stubborn", prompt: "go" });
  const working = cadre.work({});
  await expect.poll(() => lines(join(where.project, "up")), POLL).toBe(3);
  expect(processesWith(mark).length).toBeGreaterThan(0);
  await cadre.call("task.stop", { task: id });
  await working;
  expect((await cadre.call("task.get", { task: id })).status).toBe("cancelled");
  expect(processesWith(mark)).toEqual([]);
});

test(
  "case 26: a worker that is killed leaves a task that says so, runs nothing twice, and no process",
  LIMIT,
  async () => {
    const mark = `killed-${process.pid}`;
    const script = `echo did >>effects; while :; do sleep 1; done; : ${mark}`;
    const agent = `---\nname: once\ndescription: d\npermission_mode: auto\nworkspace: { allow_writes: true }\ncommand: ${JSON.stringify(["sh", "-c", script])}\n---\n`;
    const where = scene({ ".cadre/agents/once.md": agent });
    const cadre = await openAt(where);
    await cadre.call("trust.grant", {});
    const running = start(where, "run", "once", "go");
    await expect.poll(() => lines(join(where.project, "effects")), POLL).toBe(1);
    running.kill("SIGKILL");
    await running.done;
    // Where there are no namespaces, the next worker sweeps.
    for (let times = 0; times < 2; times++) await run(where, "work");
    await expect.poll(() => processesWith(mark), POLL).toEqual([]);
    const { tasks } = await cadre.call("task.list", {});
    expect(tasks.map(({ status }) => status)).toEqual(["interrupted"]);
    expect(lines(join(where.project, "effects"))).toBe(1);
  },
);

test("case 13: names of agents, tasks and files are names, and never paths, options or lines", LIMIT, async () => {
  const where = scene();
  const before = readdirSync(where.outside);
  const names = ["../evil", "-rf", "a/b", "a\nb", "$(touch owned)"];
  for (const name of names) {
    const told = [
      await run(where, "agents", "new", "--", name),
      await run(where, "run", "--", name, "go"),
      await run(where, "show", "--", name),
    ];
    expect(
      told.map(({ exit }) => exit === 0),
      name,
    ).toEqual([false, false, false]);
  }
  expect(readdirSync(where.outside)).toEqual(before);
  expect(existsSync(join(where.project, "owned"))).toBe(false);
  const folder = join(where.project, ".cadre/agents");
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
});
