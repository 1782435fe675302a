// `cadre work`, and what it does with tasks that it cannot run, or that others run.
import { describe, expect, test } from "vitest";
import { type Cadre, openCadre } from "../../src/app/index.ts";
import { command } from "../../src/cli/commands/work.ts";
import { openOutput } from "../../src/cli/output.ts";
import { Unstored } from "../../src/cli/unstored.ts";
import { agentFile, cadre, place, type Place, type Running, start } from "./command-line.ts";

const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: hello"),
  ".cadre/agents/listener.md": agentFile("listener", "  - say: listening\n  - hear: now\n  - answer: heard"),
};

const withKey = (where: Place, value: string): Place => ({
  ...where,
  env: { ...where.env, ANTHROPIC_API_KEY: value, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
});

describe("a task whose key this worker does not have", () => {
  test.each([
    ["work", ["work"], "○ pending"],
    ["work --once", ["work", "--once"], "is pending."],
  ])("%s leaves it, says which key it is, and does not call it finished", async (_name, args, shown) => {
    const where = await place(FILES);
    await cadre(withKey(where, "one-value"), "start", "Explore", "Look");
    for (const other of [where, withKey(where, "another-value")]) {
      const { exit, stdout, stderr } = await cadre(other, ...args);
      expect(stderr).toBe("Explore#1 was left: it needs ANTHROPIC_API_KEY with the value that it was queued with\n");
      expect(stdout).toContain(shown);
      expect(stdout).not.toContain("finished");
      expect(exit).toBe(1);
    }
  });

  test("keeps nothing else from being run", async () => {
    const where = await place(FILES);
    await cadre(withKey(where, "one-value"), "start", "Explore", "Look");
    await cadre(where, "start", "hello", "Greet");
    const { exit, stdout } = await cadre(where, "work");
    expect(stdout).toContain("✓ completed");
    expect(exit).toBe(1);
  });
});

describe("a task that another worker has taken meanwhile", () => {
  /** `cadre work`, which finds nothing to do at first: another worker has the listener's task. */
  async function workBehind(where: Place): Promise<{ other: Running; exit: Promise<number>; said: () => string }> {
    let said = "";
    const say = { write: (text: string) => ((said += text), true) };
    const streams = { stdin: {}, stdout: say, stderr: say, env: where.env, unread: new AbortController().signal };
    const other = Promise.withResolvers<Running>();
    let isTaken = false;
    const open = async (): Promise<Cadre> => {
      const own = await openCadre({ cwd: where.project, userHome: where.userHome, env: where.env, mouth: "cli" });
      const work: Cadre["work"] = async (...args) => {
        if (isTaken) return own.work(...args);
        isTaken = true;
        const taking = start(where, "work");
        await taking.until("listening");
        await own.work(...args);
        other.resolve(taking);
      };
      return { ...own, work };
    };
    const { signal } = new AbortController();
    const context = {
      out: openOutput(streams, false),
      streams,
      home: undefined,
      signal,
      unstored: new Unstored(),
      open,
    };
    const exit = command.run(context, { once: false, resident: false });
    return { other: await other.promise, exit, said: () => said };
  }

  test("is waited for, and counts like any other", async () => {
    const where = await place(FILES);
    await cadre(where, "start", "listener", "Listen");
    const { exit, said } = await workBehind(where);
    await cadre(where, "send", "listener#1", "now");
    expect(await exit).toBe(0);
    expect(said()).toContain("✓ completed");
  });

  test("and over which that worker dies is not waited for any longer", async () => {
    const where = await place(FILES);
    await cadre(where, "start", "listener", "Listen");
    const { other, exit, said } = await workBehind(where);
    other.kill("SIGKILL");
    expect(await exit).toBe(1);
    expect(said()).toContain("! interrupted");
  });
});
