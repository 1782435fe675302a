import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, type Place, place, start } from "./command-line.ts";

const FILES = {
  ".cadre/agents/oracle.md": agentFile("oracle", "  - say: I think.\n  - answer: Forty-two."),
  ".cadre/agents/lead.md": agentFile(
    "lead",
    "  - { delegate: oracle, prompt: What is it? }\n  - answer: It is known.",
    "capabilities: [primary]\n",
  ),
  ".cadre/agents/slow.md": agentFile("slow", "  - say: here\n  - pause_ms: 60000\n  - answer: late"),
  ".cadre/agents/listener.md": agentFile("listener", "  - say: listening\n  - hear: now\n  - answer: heard"),
};

describe("tasks outlive the process that ran them:", () => {
  test("status lists them, newest first, and names them by agent and number", async () => {
    const where = await place(FILES);
    expect((await cadre(where, "status")).stdout).toBe("No tasks.\n");
    await cadre(where, "run", "oracle", "What is the\nanswer?");
    await cadre(where, "run", "lead", "Ask the oracle");
    const { stdout, exit } = await cadre(where, "status");
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows.map((row) => [row[0], row[1], row.at(-1)])).toEqual([
      ["TASK", "STATUS", "PROMPT"],
      ["oracle#2", "✓ completed", "What is it?"],
      ["lead#1", "✓ completed", "Ask the oracle"],
      ["oracle#1", "✓ completed", "What is the answer?"],
    ]);
    expect(exit).toBe(0);
    const filtered = await cadre(where, "status", "--agent", "ORACLE", "--limit", "1", "--json");
    expect((JSON.parse(filtered.stdout) as { data: unknown[] }).data).toHaveLength(1);
  });

  test("show tells one by any of its names; output prints its answer again", async () => {
    const where = await place(FILES);
    await cadre(where, "run", "oracle", "What is it?");
    const listed = JSON.parse((await cadre(where, "status", "--json")).stdout) as { data: { id: string }[] };
    const id = listed.data[0]?.id ?? "";
    for (const name of ["oracle#1", "@last", id, id.slice(-8)]) {
      const { stdout, exit } = await cadre(where, "show", name);
      expect(stdout).toContain(id);
      expect(stdout).toMatch(/confinement {2}commands: (os|policy), file tools: policy/);
      expect(stdout).toContain("Forty-two.");
      expect(exit).toBe(0);
    }
    expect(await cadre(where, "output", "oracle#1")).toMatchObject({ stdout: "Forty-two.\n", exit: 0 });
    expect((await cadre(where, "logs", "oracle#1")).stdout).toMatch(/^\d{4}-\d\d-\d\dT.*Z {2}started on tape$/m);
  });

  test("show has as many of its last events as were asked for, of a long task, too", async () => {
    const said = Array.from({ length: 1_100 }, (_, at) => `  - say: line ${at}\n`).join("");
    const where = await place({
      ".cadre/agents/long.md": agentFile("long", `${said}  - answer: the end`, "max_turns: 2000\n"),
    });
    expect((await cadre(where, "run", "long", "talk")).exit).toBe(0);
    expect((await cadre(where, "show", "long#1", "--events", "2")).stdout).toMatch(
      /  the end\n  completed \(claimed\)\n$/,
    );
    expect((await cadre(where, "logs", "long#1")).stdout).toMatch(
      /line 0\n[^]*line 1099\n[^]*completed \(claimed\)\n$/,
    );
    const eventsOf = async (count: string) => {
      const { stdout } = await cadre(where, "show", "long#1", "--json", "--events", count);
      return (JSON.parse(stdout) as { data: { events: { event: { type: string } }[] } }).data.events;
    };
    expect(await eventsOf("0")).toEqual([]);
    expect((await eventsOf("3")).at(-1)).toMatchObject({ event: { type: "task.ended" } });
  });

  test("a name that fits nothing, or several, is refused", async () => {
    const where = await place(FILES);
    expect(await cadre(where, "show", "@last")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('there is no task "@last"'),
    });
    await cadre(where, "run", "lead", "Ask");
    const both = await cadre(where, "show", "");
    expect(both.exit).toBe(2);
    expect(await cadre(where, "show", "../../etc/passwd")).toMatchObject({ exit: 2 });
  });
});

describe("the queue:", () => {
  test("start queues, status shows it pending, work runs it, oldest first", async () => {
    const where = await place(FILES);
    const started = await cadre(where, "start", "oracle", "one");
    expect(started.stdout).toMatch(/^Task task_\w+ created for agent 'oracle' and is now pending\.\n$/);
    await cadre(where, "start", "oracle", "two");
    expect((await cadre(where, "status")).stdout.match(/○ pending/g)).toHaveLength(2);
    const { stdout, exit } = await cadre(where, "work");
    expect(stdout.match(/✓ completed/g)).toHaveLength(2);
    expect(exit).toBe(0);
    expect((await cadre(where, "work")).stdout).toBe("No pending agent tasks found.\n");
  });

  test("a task that was never started is stopped at once, and can be tried again", async () => {
    const where = await place(FILES);
    await cadre(where, "start", "oracle", "one");
    expect((await cadre(where, "stop", "@last")).stdout).toMatch(/is stopped\n$/);
    expect(await cadre(where, "stop", "@last")).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining("is cancelled: it cannot be stopped"),
    });
    expect((await cadre(where, "output", "@last")).exit).toBe(130);
    expect((await cadre(where, "retry", "@last")).exit).toBe(0);
    expect((await cadre(where, "work")).exit).toBe(0);
    expect((await cadre(where, "retry", "@last")).exit).toBe(4);
  });
});

describe("from another terminal:", () => {
  test("a running task is stopped, and its own process says so", async () => {
    const where = await place(FILES);
    const run = start(where, "run", "slow", "wait");
    await run.until("here");
    expect((await cadre(where, "stop", "slow#1")).stdout).toMatch(/is being stopped\n$/);
    expect(await run.done).toMatchObject({ exit: 130, stdout: expect.stringContaining("(cooperative)") });
  });

  test("a running task is waited for, sent a message, and followed", async () => {
    const where = await place(FILES);
    const run = start(where, "run", "listener", "listen");
    await run.until("listening");
    const output = start(where, "output", "listener#1", "--wait");
    const logs = start(where, "logs", "-f", "listener#1");
    await logs.until("listening");
    expect((await cadre(where, "send", "listener#1", "do it now")).exit).toBe(0);
    expect(await output.done).toMatchObject({ stdout: "heard\n", exit: 0 });
    expect((await logs.done).stderr).toContain("do it now");
    expect((await run.done).exit).toBe(0);
  });

  test("what was sent to a task that is stopped before it heard of it is told wherever one looks", async () => {
    const where = await place(FILES);
    await cadre(where, "start", "listener", "listen");
    await cadre(where, "send", "listener#1", "and the cellar");
    expect((await cadre(where, "show", "listener#1")).stdout).toMatch(/unheard +\S+: and the cellar/);
    expect((await cadre(where, "output", "listener#1")).stderr).not.toContain("too late");
    await cadre(where, "stop", "listener#1");
    for (const command of ["output", "logs"])
      expect((await cadre(where, command, "listener#1")).stderr).toMatch(/too late to be heard: and the cellar/);
    expect((await cadre(where, "inbox")).stdout).toContain("too late to be heard: and the cellar");
  });

  test("a killed run is interrupted when the next worker comes, is not run again by itself, and can be retried", async () => {
    const where = await place(FILES);
    const run = start(where, "run", "listener", "listen");
    await run.until("listening");
    run.kill("SIGKILL");
    await run.done;
    await cadre(where, "start", "oracle", "something else");
    await cadre(where, "work");
    const shown = await cadre(where, "show", "listener#1");
    expect(shown.stdout).toContain("! interrupted");
    expect(shown.stdout).toMatch(/its worker \(pid \d+\) died/);
    await cadre(where, "send", "listener#1", "now");
    await cadre(where, "retry", "listener#1");
    expect((await cadre(where, "work")).exit).toBe(0);
    expect((await cadre(where, "show", "listener#1")).stdout).toContain("tape, attempt 2");
  });
});

describe("in the background:", () => {
  test("run --background returns at once, one worker runs all of it and leaves when nothing is left", async () => {
    const where = await place({
      ...FILES,
      ".cadre/agents/brief.md": agentFile("brief", "  - pause_ms: 300\n  - answer: done"),
    });
    const started = await Promise.all([1, 2, 3].map((n) => cadre(where, "run", "--background", "brief", `task ${n}`)));
    for (const { stdout, exit } of started)
      expect({ stdout, exit }).toEqual({ stdout: expect.stringMatching(/^task_\w+\n$/), exit: 0 });
    for (const { stdout } of started) {
      expect(await cadre(where, "output", stdout.trim(), "--wait")).toMatchObject({ stdout: "done\n", exit: 0 });
    }
    const workers = new Set<unknown>();
    for (const { stdout } of started) {
      const shown = JSON.parse((await cadre(where, "show", stdout.trim(), "--json")).stdout) as {
        data: { task: { attempts: { worker: string }[] } };
      };
      workers.add(shown.data.task.attempts[0]?.worker);
    }
    expect(workers.size).toBe(1);
    await expect.poll(() => residents(where), { timeout: 20_000, interval: 200 }).toEqual([]);
  }, 60_000);
});

describe("what a resident that was killed has left:", () => {
  // None is over before the test says so: it is the middle in which somebody is killed.
  const STEPS = [1, 2, 3].map(
    (n) => `  - { call: Bash, input: { command: "echo ${n} >> steps.txt; until test -e go; do sleep 0.05; done" } }`,
  );
  const AGENT = agentFile(
    "steps",
    [...STEPS, "  - answer: all three"].join("\n"),
    "backend: native\npermission_mode: auto\nworkspace: { allow_writes: true }\n",
  );

  test.each([["status"], ["show", "@last"], ["output", "@last"], ["inbox"]])(
    "goes on as soon as anybody looks, by cadre %s %s",
    async (...look) => {
      const where = await place({ ".cadre/agents/steps.md": AGENT });
      await cadre(where, "run", "--background", "steps", "go");
      await expect.poll(() => existsSync(join(where.project, "steps.txt")), { timeout: 20_000 }).toBe(true);
      await killResidents(where);
      await cadre(where, ...look);
      await expect.poll(() => residents(where), { timeout: 20_000 }).toHaveLength(1);
      writeFileSync(join(where.project, "go"), "");
      const done = await cadre(where, "output", "@last", "--wait");
      expect(done).toMatchObject({ stdout: "all three\n", exit: 0 });
      const shown = await cadre(where, "show", "@last");
      expect(shown.stdout).toContain("native, attempt 2");
    },
    60_000,
  );

  test.each([
    ["output", "@last", "--wait"],
    ["logs", "@last", "-f"],
    ["status", "--watch"],
  ])(
    "goes on where somebody was waiting for it, by cadre %s %s %s",
    async (...wait) => {
      const where = await place({ ".cadre/agents/steps.md": AGENT });
      await cadre(where, "run", "--background", "steps", "go");
      await expect.poll(() => existsSync(join(where.project, "steps.txt")), { timeout: 20_000 }).toBe(true);
      const before = listening(where);
      const waiting = start(where, ...wait.filter((word) => word !== undefined));
      await expect.poll(() => listening(where), { timeout: 20_000 }).toBeGreaterThan(before);
      await killResidents(where);
      await expect.poll(() => residents(where), { timeout: 20_000 }).toHaveLength(1);
      waiting.kill("SIGKILL");
      await waiting.done;
    },
    60_000,
  );

  test("goes on as soon as anybody looks, also where it was ended in peace, as a machine does that is shut down", async () => {
    const where = await place({ ".cadre/agents/steps.md": AGENT });
    await cadre(where, "run", "--background", "steps", "go");
    await expect.poll(() => existsSync(join(where.project, "steps.txt")), { timeout: 20_000 }).toBe(true);
    await killResidents(where, "SIGTERM");
    await cadre(where, "status");
    await expect.poll(() => residents(where), { timeout: 20_000 }).toHaveLength(1);
    writeFileSync(join(where.project, "go"), "");
    expect(await cadre(where, "output", "@last", "--wait")).toMatchObject({ stdout: "all three\n", exit: 0 });
  }, 60_000);

  test("is followed by cadre logs -f through its interruption, to its end", async () => {
    const where = await place({ ".cadre/agents/steps.md": AGENT });
    await cadre(where, "run", "--background", "steps", "go");
    await expect.poll(() => existsSync(join(where.project, "steps.txt")), { timeout: 20_000 }).toBe(true);
    const logs = start(where, "logs", "-f", "@last");
    await logs.until("started on native");
    await killResidents(where);
    await cadre(where, "status");
    await logs.until("interrupted");
    writeFileSync(join(where.project, "go"), "");
    expect(await logs.done).toMatchObject({ exit: 0, stderr: expect.stringContaining("completed (claimed)") });
  }, 60_000);

  test("is left alone where it was not left to a resident", async () => {
    const where = await place({ ".cadre/agents/steps.md": AGENT });
    const run = start(where, "run", "steps", "go");
    await expect.poll(() => existsSync(join(where.project, "steps.txt")), { timeout: 20_000 }).toBe(true);
    run.kill("SIGKILL");
    await run.done;
    expect((await cadre(where, "status")).stdout).toMatch(/steps#1 +\S pending/);
    expect(residents(where)).toEqual([]);
  }, 60_000);
});

/** How many have the store open, and listen for news of it. */
const listening = ({ project }: Place): number => readdirSync(join(project, ".cadre", "cadre.db-bells")).length;

/** Until none is left. */
async function killResidents(where: Place, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  const all = residents(where);
  for (const pid of all) process.kill(Number(pid), signal);
  await expect.poll(() => residents(where).filter((pid) => all.includes(pid)), { timeout: 20_000 }).toEqual([]);
}

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

describe("what is a person's to decide needs a terminal:", () => {
  test.each([["trust"], ["trust", "--list"], ["inbox", "appr_x", "--allow"]])("cadre %s %s", async (...args) => {
    const where = await place(FILES);
    const { exit, stderr } = await cadre(where, ...args.filter((arg) => arg !== undefined));
    expect(stderr).toContain("is a person's to decide");
    expect(exit).toBe(4);
  });

  test("and nothing of it is possible from inside an attempt", async () => {
    const where = await place(FILES);
    const inside = { ...where, env: { ...where.env, CADRE_ATTEMPT: "task_made-up", CADRE_TOKEN: "guess" } };
    for (const args of [["run", "oracle", "x"], ["trust"], ["status"]]) {
      const { exit, stderr } = await cadre(inside, ...args);
      expect(stderr).toContain("was called inside an attempt without that attempt's token");
      expect(exit).toBe(4);
    }
  });
});

describe("agents and sessions:", () => {
  test("agents lists what there is, with what is wrong on stderr", async () => {
    const where = await place({ ...FILES, ".cadre/agents/broken.md": "---\nname: broken\ndescripton: typo\n---\n" });
    const { stdout, stderr, exit } = await cadre(where, "agents");
    expect(stdout).toContain("oracle for tests");
    expect(stderr).toContain("broken.md");
    expect(stderr).toContain('did you mean "description"?');
    expect(exit).toBe(0);
  });

  test("a session shows what was said, and the breadcrumbs of its children", async () => {
    const where = await place(FILES);
    const ran = JSON.parse((await cadre(where, "run", "lead", "Ask", "--json")).stdout) as {
      data: { spec: { session: string } };
    };
    const { stdout } = await cadre(where, "sessions", "show", ran.data.spec.session);
    expect(stdout).toBe("User: Ask\nAssistant: It is known.\n  oracle completed: Forty-two.\n");
  });
});

describe("a task that a limit keeps from being started says so:", () => {
  test.each([
    ["rate_limit_per_min", 2, "pending (rate limit)", "the limit of 2 starts a minute is reached"],
    ["max_concurrent", 1, "pending (no slot)", "the limit of 1 task at work is reached"],
  ])("%s", async (setting, limit, short, words) => {
    const why = `${words} (subagents.${setting})`;
    const busy = "  - { delegate: busy, prompt: go, background: true }\n";
    const where = await place({
      ".cadre/agents/busy.yml": "name: busy\ndescription: d\npermission_mode: auto\ncommand: [sleep, '60']\n",
      ".cadre/agents/lead.md": agentFile("lead", `${busy}${busy}${busy}  - { pause_ms: 60000 }\n  - answer: late`),
      ".cadre/config.yml": `subagents: { ${setting}: ${limit} }\n`,
    });
    const run = start(where, "run", "lead", "go");
    await run.until(`waits: ${why}`);
    expect((await cadre(where, "status")).stdout).toContain(short);
    expect((await cadre(where, "show", "busy#3")).stdout).toContain(why);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    run.kill("SIGINT");
    expect((await run.done).stderr.split("waits: ")).toHaveLength(2); // once
  });
});
