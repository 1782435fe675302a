// Commands that only show or wait, and somebody who has seen enough: Ctrl-C, a signal, a reader that goes.
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cadre, openCadre } from "../../src/app/index.ts";
import type { CommandContext } from "../../src/cli/command.ts";
import { openOutput } from "../../src/cli/output.ts";
import { runAndWatch } from "../../src/cli/run-and-watch.ts";
import { stoppable } from "../../src/cli/stoppable.ts";
import { Unstored } from "../../src/cli/unstored.ts";
import { agentFile, cadre, place, type Place, type Running, start } from "./command-line.ts";
import { hasScript, onTerminal } from "./on-terminal.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: hello"),
  ".cadre/agents/slow.md": agentFile("slow", "  - say: here\n  - pause_ms: 60000\n  - answer: late"),
};
const PROMPT_MS = 20_000;

/** How many have the store open, and listen for news of it. */
function listening({ project }: Place): number {
  const bells = join(project, ".cadre", "cadre.db-bells");
  return existsSync(bells) ? readdirSync(bells).length : 0;
}

/** Whether none of its threads has anything to do. */
const isAtRest = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    / S \d/.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")),
  );

/** Until it has been so for a while: it says nothing while it waits. */
async function untilAtRest(pid: number): Promise<void> {
  let looks = 0;
  await expect
    .poll(() => (looks = isAtRest(pid) ? looks + 1 : 0), { timeout: 20_000, interval: 20 })
    .toBeGreaterThan(20);
}

/** Its exit code, once whoever reads its stdout has read something and gone. */
function readAndLeave({ project, env }: Place, ...args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.once("data", () => child.stdout.destroy());
  return new Promise((resolve) => child.on("close", resolve));
}

describe("a command that waits", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "for a task ends at the first %s, and the task goes on",
    async (signal) => {
      const where = await place(FILES);
      const run = start(where, "run", "slow", "wait");
      await run.until("here");
      const before = listening(where);
      const output = start(where, "output", "slow#1", "--wait");
      await expect.poll(() => listening(where), { timeout: 20_000 }).toBeGreaterThan(before);
      await untilAtRest(output.pid);
      const began = Date.now();
      output.kill(signal);
      expect(await output.done).toMatchObject({
        exit: 5,
        stdout: expect.stringMatching(/^task_\w+ is waiting \(timer\)\n$/),
      });
      expect(Date.now() - began).toBeLessThan(PROMPT_MS);
      run.kill("SIGINT");
      expect((await run.done).exit).toBe(130);
    },
    60_000,
  );

  test("hears also what was said while it was about to begin", async () => {
    const { project: cwd, userHome, env } = await place(FILES);
    const enough = new AbortController();
    const opened = Promise.withResolvers<Awaited<ReturnType<typeof openCadre>>>();
    const open = async () => {
      const made = await openCadre({ cwd, userHome, env });
      enough.abort();
      opened.resolve(made);
      return made;
    };
    const context = { open, signal: enough.signal } as unknown as CommandContext;
    let hasBegun = false;
    const waiting = stoppable(context, async () => {
      hasBegun = true;
      return 0;
    });
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" }); // which is 130 to the shell
    expect(hasBegun).toBe(false);
    await expect((await opened.promise).call("task.list", {})).rejects.toThrow("not open");
  });

  test.runIf(hasScript)(
    "for a prompt that is typed ends at the first Ctrl-C",
    async () => {
      const where = await place(FILES);
      const run = onTerminal(where, "run", "hello", "-");
      await expect.poll(() => listening(where), { timeout: 20_000 }).toBe(1);
      await untilAtRest(run.pid());
      run.type("half a pro");
      run.type("\u0003");
      expect((await run.done).exit).toBe(130);
      expect((await cadre(where, "status")).stdout).toBe("No tasks.\n");
    },
    60_000,
  );
});

type Moment = (of: { readonly where: Place; readonly run: Running }) => Promise<void>;

describe("a second Ctrl-C", () => {
  const soon: Moment = async ({ where }) => {
    await expect.poll(() => listening(where), { timeout: 20_000, interval: 2 }).toBeGreaterThan(0);
  };
  const begun: Moment = ({ run }) => run.until("started on tape");
  test.each([
    [0, "when it is about to begin", soon],
    [20, "when it is about to begin", soon],
    [0, "when it has begun", begun],
    [5, "when it has begun", begun],
  ])("%i ms after the first, %s, leaves nothing that somebody could run later", async (gap, _, moment) => {
    const where = await place(FILES);
    const run = start(where, "run", "slow", "wait");
    await moment({ where, run });
    run.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, gap));
    run.kill("SIGINT");
    expect([130, null]).toContain((await run.done).exit); // a process that is on its way out has no word on signals
    const { stdout } = await cadre(where, "status", "--json");
    const left = (JSON.parse(stdout) as { data: { status: string }[] }).data.map(({ status }) => status);
    expect(left.filter((status) => status !== "cancelled")).toEqual([]);
  });

  test("ends what does not follow the first, and the task says that it was forced", async () => {
    const program = "trap '' TERM INT; echo here > began; sleep 60";
    const stubborn = `name: stubborn\ndescription: d\npermission_mode: auto\nworkspace: { allow_writes: true }\ncommand: [bash, -c, "${program}"]\n`;
    const where = await place({ ".cadre/agents/stubborn.yml": stubborn });
    const run = start(where, "run", "stubborn", "wait");
    await expect.poll(() => existsSync(join(where.project, "began")), { timeout: 20_000 }).toBe(true);
    run.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 300));
    run.kill("SIGINT");
    expect((await run.done).exit).toBe(130);
    expect((await cadre(where, "show", "@last")).stdout).toMatch(/stopped by .* \(forced\)/);
  });

  test("waits until a task that is being admitted is stopped", async () => {
    const { project: cwd, userHome, env } = await place(FILES);
    await using opened = await openCadre({ cwd, userHome, env });
    const [admitted, stop] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const enough = new AbortController();
    const unstored = new Unstored();
    const slowly: Cadre = {
      ...opened,
      async start(request) {
        const task = await opened.start(request);
        await admitted.promise;
        return task;
      },
      async call(name, input) {
        await stop.promise;
        return opened.call(name, input);
      },
    };
    const streams = { stdin: {}, stdout: process.stdout, stderr: { write: () => true }, env, unread: enough.signal };
    const context = { out: openOutput(streams, false), streams, signal: enough.signal, unstored };
    const running = runAndWatch(context as unknown as CommandContext, slowly, [{ agent: "slow", prompt: "wait" }]);
    enough.abort();
    let isStored = false;
    const stored = unstored.stored(20_000).then(() => (isStored = true));
    const aMoment = () => new Promise((resolve) => setTimeout(resolve, 50));
    await aMoment();
    expect(isStored).toBe(false);
    admitted.resolve();
    await aMoment();
    expect(isStored).toBe(false);
    stop.resolve();
    await stored;
    expect(await running).toMatchObject([{ status: "cancelled" }]);
  });

  test("does not wait for ever", async () => {
    const unstored = new Unstored();
    void unstored.keep(new Promise(() => undefined));
    await expect(unstored.stored(10)).resolves.toBeUndefined();
  });
});

describe("a command that only shows ends when nobody reads any more:", () => {
  test("status --watch", async () => {
    const where = await place(FILES);
    const run = start(where, "run", "slow", "wait");
    await run.until("here");
    const ends: (number | null)[] = [];
    void readAndLeave(where, "status", "--watch").then((exit) => ends.push(exit));
    // Only what is written can be found to be unread.
    for (let runs = 0; runs < 20 && ends.length === 0; runs++) await cadre(where, "run", "hello", "x");
    expect(ends).toEqual([0]);
    run.kill("SIGINT");
    await run.done;
  });

  test("logs -f --json", async () => {
    const where = await place({
      ...FILES,
      ".cadre/agents/talker.md": agentFile(
        "talker",
        `${"  - say: here\n  - pause_ms: 500\n".repeat(60)}  - answer: late`,
      ),
    });
    const run = start(where, "run", "talker", "talk");
    await run.until("here");
    expect(await readAndLeave(where, "logs", "-f", "--json", "talker#1")).toBe(0);
    run.kill("SIGINT");
    expect((await run.done).exit).toBe(130);
  });
});

describe.runIf(existsSync("/dev/full"))("a result that cannot be printed is no success:", () => {
  test.each([[["status"]], [["agents"]]])("%j", async (args) => {
    const { project, env } = await place(FILES);
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: project, env, stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const exit = await new Promise((resolve) => child.on("close", resolve));
    expect({ exit, stderr }).toEqual({
      exit: 3,
      stderr: expect.stringMatching(/^error: the result could not be printed: ENOSPC.*\nhint: .*\n$/),
    });
  });
});
