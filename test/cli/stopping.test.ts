// Commands that only show or wait, and somebody who has seen enough: Ctrl-C, a signal, a reader that goes.
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentFile, cadre, place, type Place, start } from "./command-line.ts";
import { hasScript, onTerminal } from "./on-terminal.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: hello"),
  ".cadre/agents/slow.md": agentFile("slow", "  - say: here\n  - pause_ms: 60000\n  - answer: late"),
};
const PROMPT_MS = 8_000;

/** Its exit code, once whoever reads its stdout has read something and gone. */
function readAndLeave({ project, env }: Place, ...args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.once("data", () => child.stdout.destroy());
  return new Promise((resolve) => child.on("close", resolve));
}

describe("a command that waits", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("for a task ends at the first %s, and the task goes on", async (signal) => {
    const where = await place(FILES);
    const run = start(where, "run", "slow", "wait");
    await run.until("here");
    const output = start(where, "output", "slow#1", "--wait");
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // it says nothing while it waits
    const began = Date.now();
    output.kill(signal);
    expect(await output.done).toMatchObject({
      exit: 5,
      stdout: expect.stringMatching(/^task_\w+ is waiting \(timer\)\n$/),
    });
    expect(Date.now() - began).toBeLessThan(PROMPT_MS);
    run.kill("SIGINT");
    expect((await run.done).exit).toBe(130);
  });

  test.runIf(hasScript)("for a prompt that is typed ends at the first Ctrl-C", async () => {
    const where = await place(FILES);
    const run = onTerminal(where, "run", "hello", "-");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    run.type("half a pro");
    run.type("\u0003");
    expect((await run.done).exit).toBe(130);
    expect((await cadre(where, "status")).stdout).toBe("No tasks.\n");
  });
});

describe("a command that only shows ends when nobody reads any more:", () => {
  test("status --watch", async () => {
    const where = await place(FILES);
    const run = start(where, "run", "slow", "wait");
    await run.until("here");
    const watching = readAndLeave(where, "status", "--watch");
    await cadre(where, "run", "hello", "x"); // only what is written can be found to be unread
    await cadre(where, "run", "hello", "x");
    expect(await watching).toBe(0);
    run.kill("SIGINT");
    await run.done;
  });

  test("logs -f --json", async () => {
    const where = await place({
      ...FILES,
      ".cadre/agents/talker.md": agentFile(
        "talker",
        `${"  - say: here\n  - pause_ms: 500\n".repeat(6)}  - pause_ms: 60000\n  - answer: late`,
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
