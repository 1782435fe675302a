// What a person is shown before they say yes, on a terminal of their own, and what then runs.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { attack, bash, eventsOf, notRefused, openAt, scene, type Scene } from "./kit.ts";

const LIMIT = { timeout: 120_000 };
const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
/** Of util-linux: it runs a program on a pseudo-terminal. */
const SCRIPT = "script";
const terminals = String(spawnSync(SCRIPT, ["--version"]).stdout).includes("util-linux") ? ["a terminal"] : [];

/** `cadre run`, and what was on the screen when it had ended; `key` is typed when it asks. */
async function answered({ project, env }: Scene, key: string): Promise<string> {
  const words = [process.execPath, MAIN, "run", "victim", "go"].map((word) => `'${word}'`).join(" ");
  const child = spawn(SCRIPT, ["-qec", `stty cols 80 rows 24; exec ${words}`, "/dev/null"], {
    cwd: project,
    env: { ...env, TERM: "dumb", SHELL: "/bin/sh", NO_COLOR: "1" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  let isAnswered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    if (isAnswered || !screen.includes("Allow?")) return;
    isAnswered = true;
    child.stdin.write(`${key}\n`);
  });
  await new Promise((resolve) => child.on("close", resolve));
  return screen;
}

const LINE =
  `echo harmless${" ".repeat(300)}; touch owned # \u202egpj.exe \u200b\u001b]0;forged\u0007\u001b[31;7m` +
  `\u0085 it\u2019s fine \u0430\n\n\n\ntouch also-owned`;

describe.each(terminals)("case 7: on %s", () => {
  const prepared = async (call: object = bash(LINE)): Promise<Scene> => {
    const tape = JSON.stringify([call, { answer: "done" }]);
    const agent = `---\nname: victim\ndescription: d\nbackend: native\ntools: [Bash, Write]\nworkspace: { allow_writes: true }\ntape: ${tape}\n---\n`;
    const where = scene({ ".cadre/agents/victim.md": agent });
    await (await openAt(where)).call("trust.grant", {});
    return where;
  };

  test("a command that hides is shown whole, with all that hides in it, and a no is a no", LIMIT, async () => {
    const where = await prepared();
    const screen = await answered(where, "n");
    const shown = screen.replaceAll(/\r?\n/g, "");
    expect(shown).toContain("[300 spaces]");
    expect(shown).toContain("touch owned");
    expect(shown).toContain("touch also-owned");
    expect(shown).toContain("\\u202e");
    expect(shown).toContain("U+2019");
    expect(shown).toContain("U+0430");
    for (const raw of ["\u202e", "\u200b", "\u001b]0;", "\u001b[31;7m", "\u0007", "\u0085"])
      expect(screen.includes(raw), JSON.stringify(raw)).toBe(false);
    expect(existsSync(join(where.project, "owned"))).toBe(false);
    expect(existsSync(join(where.project, "also-owned"))).toBe(false);
  });

  test("a write to what others run says that they do", LIMIT, async () => {
    const where = await prepared({ write: "Makefile", content: "all:\n" });
    const shown = (await answered(where, "n")).replaceAll(/\r?\n/g, "");
    expect(shown).toContain('whoever installs, builds, tests or opens the project runs "makefile"');
    expect(existsSync(join(where.project, "Makefile"))).toBe(false);
  });

  test("what was shown is what runs, byte for byte", LIMIT, async () => {
    const where = await prepared();
    await answered(where, "y");
    const cadre = await openAt(where);
    const { tasks } = await cadre.call("task.list", {});
    const events = tasks[0] === undefined ? [] : await eventsOf(cadre, tasks[0]);
    const asked = events.find(({ type }) => type === "approval.asked");
    const called = events.find(({ type }) => type === "tool.called");
    expect(asked).toMatchObject({ approval: { body: JSON.stringify({ command: LINE }, null, 2) } });
    expect(called).toMatchObject({ input: { command: LINE } });
  });
});

test("case 2, case 7: where nobody can be asked, everything that would be asked is denied", LIMIT, async () => {
  const where = scene();
  const agent = { permission_mode: "default", workspace: { allow_writes: true } };
  const { went } = await attack(where, agent, [
    bash("touch owned"),
    { call: "Write", input: { file_path: "owned", content: "x" } },
  ]);
  expect(notRefused(went)).toEqual([]);
  expect(existsSync(join(where.project, "owned"))).toBe(false);
});
