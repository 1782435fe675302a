// What somebody is asked at a terminal, and what the two keys do that are no answer.
import { describe, expect, test } from "vitest";
import { agentFile, cadre, place } from "./command-line.ts";
import { hasScript, onTerminal } from "./on-terminal.ts";

const [CTRL_C, CTRL_D] = ["\u0003", "\u0004"];
const FILES = { ".cadre/agents/asker.md": agentFile("asker", "  - ask: May I go on?\n  - answer: I went on.") };
const statusOf = async (where: Awaited<ReturnType<typeof place>>): Promise<string | undefined> => {
  const { data } = JSON.parse((await cadre(where, "status", "--json")).stdout) as { data: { status: string }[] };
  return data[0]?.status;
};

describe.runIf(hasScript)("a question at a terminal", () => {
  test("Ctrl-C stops the task, and says so without a stack", async () => {
    const where = await place(FILES);
    const running = onTerminal(where, "run", "asker", "x");
    await running.until("Your answer");
    running.type(CTRL_C);
    const { exit, stdout } = await running.done;
    expect(stdout).not.toMatch(/AbortError|at async|bug:/);
    expect(exit).not.toBe(0);
    expect(await statusOf(where)).toBe("cancelled");
  });

  test("Ctrl-D is no answer, and the agent goes on without one", async () => {
    const where = await place(FILES);
    const running = onTerminal(where, "run", "asker", "x");
    await running.until("Your answer");
    running.type(CTRL_D);
    const { stdout } = await running.done;
    expect(stdout).not.toMatch(/AbortError|at async|bug:/);
    expect(await statusOf(where)).toMatch(/completed|failed/);
  });

  test.each([
    ["Ctrl-C", CTRL_C],
    ["Ctrl-D", CTRL_D],
    ["a no", "n\n"],
  ])("%s gives no trust, and runs nothing", async (_name, keys) => {
    const program = "---\nname: program\ndescription: d\ncommand: [echo, ran]\n---\n";
    const where = await place({ ".cadre/agents/program.md": program }, { trusted: false });
    const running = onTerminal(where, "run", "program", "x");
    await running.until("as it is now?");
    running.type(keys);
    const { exit, stdout } = await running.done;
    expect(stdout).not.toMatch(/AbortError|at async|bug:/);
    expect(exit).toBe(4);
    expect(await statusOf(where)).toBeUndefined();
  });
});
