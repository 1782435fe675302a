import { existsSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, place, start } from "./command-line.ts";

const AGENTS = {
  ".cadre/agents/hello.md": agentFile("hello", "  - say: thinking\n  - pause_ms: 200\n  - answer: Hello."),
  ".cadre/agents/bad.md": agentFile("bad", "  - { fail: refused, message: I will not }"),
  ".cadre/agents/slow.md": agentFile("slow", "  - say: here\n  - pause_ms: 60000\n  - answer: late"),
  ".cadre/agents/shaped.md": agentFile(
    "shaped",
    "  - { answer: made it, output: { n: 1 } }",
    "output: { schema: { type: object } }\n",
  ),
  ".cadre/agents/scan.md": agentFile(
    "scan",
    "  - answer: ok",
    "inputs:\n  - { name: a, required: true }\n  - { name: b, required: true }\n",
  ),
};

const rows = (...tasks: readonly object[]) => ({ ...AGENTS, "tasks.json": JSON.stringify(tasks) });

describe("cadre batch", () => {
  test("runs all at the same time, keeps what comes of each, and is a success only if all are", async () => {
    const where = await place(
      rows(
        { agent: "hello", prompt: "one" },
        { agent: "bad", prompt: "two", description: "the bad one" },
        { agent: "shaped", prompt: "three" },
        { agent: "HELLO", prompt: "four", backend: "tape" },
      ),
    );
    const { exit, stdout, stderr } = await cadre(where, "batch", "tasks.json", "--json");
    const { data } = JSON.parse(stdout) as { data: { duration_ms: number }[] };
    expect(data.map(({ duration_ms: took, ...row }) => [row, typeof took])).toEqual(
      [
        { task_index: 0, agent: "hello", status: "completed", error: null, output: "Hello." },
        { task_index: 1, agent: "bad", status: "failed", error: "refused: I will not", output: null },
        { task_index: 2, agent: "shaped", status: "completed", error: null, output: { n: 1 } },
        { task_index: 3, agent: "hello", status: "completed", error: null, output: "Hello." },
      ].map((row) => [row, "number"]),
    );
    expect(stderr).toContain("hello#1       thinking\n");
    expect(stderr).toContain("bad#1         failed (refused): I will not\n");
    expect(exit).toBe(1);
  });

  test("runs a row where it says, and nothing of it in the project", { timeout: 30_000 }, async () => {
    const write = agentFile(
      "writer",
      '  - { write: b.txt, content: "b" }\n  - answer: written',
      "permission_mode: acceptEdits\nworkspace: { allow_writes: true }\n",
    );
    const tasks = JSON.stringify([{ agent: "writer", prompt: "write", workspace: "sandbox" }]);
    const where = await place({ ".cadre/agents/writer.md": write, "tasks.json": tasks });
    expect((await cadre(where, "batch", "tasks.json")).exit).toBe(0);
    expect(existsSync(join(where.project, "b.txt"))).toBe(false);
    expect((await cadre(where, "merge", "--list")).stdout).toMatch(/^writer#1 +sandbox /m);
  });

  test("prints a table, with a task's description, and exits with 0 when all have completed", async () => {
    const where = await place(
      rows({ agent: "hello", prompt: "one", description: "says | hello" }, { agent: "hello", prompt: "two" }),
    );
    const { exit, stdout } = await cadre(where, "batch", "tasks.json");
    expect(stdout).toMatch(/^0 +hello +✓ completed +[\d.]+ m?s +says \| hello +Hello\.$/m);
    expect(stdout).toMatch(/^1 +hello +✓ completed +[\d.]+ m?s +two +Hello\.$/m);
    expect(exit).toBe(0);
  });

  test("starts none if one cannot be started, and names every one of those", async () => {
    const where = await place(
      rows(
        { agent: "hello", prompt: "fine" },
        { agent: "helo", prompt: "x" },
        { agent: "scan", prompt: "x", inputs: { c: 1 } },
      ),
    );
    const { exit, stderr } = await cadre(where, "batch", "tasks.json");
    expect(stderr).toContain("2 of 3 tasks cannot be started, so none was:");
    expect(stderr).toContain('[1] there is no agent called "helo"');
    expect(stderr).toContain('[2] inputs of "scan": ');
    expect(stderr).not.toContain("[0]");
    expect(exit).toBe(2);
    expect((await cadre(where, "status")).stdout).toBe("No tasks.\n");
  });

  test("checks the form of every row first", async () => {
    const where = await place(
      rows({ agent: "hello", promt: "x" }, { agent: "hello", prompt: "fine" }, { agent: 5, prompt: "x" }),
    );
    const { exit, stderr } = await cadre(where, "batch", "tasks.json");
    expect(stderr).toContain('[0]: Unrecognized key: "promt"');
    expect(stderr).toContain("[2].agent: ");
    expect(stderr).not.toContain("[1]");
    expect(exit).toBe(2);
  });

  test.each([
    ["no file", [], "this needs a file of tasks"],
    ["a file that is not there", ["nowhere.json"], "nowhere.json could not be read"],
    ["a file that is no JSON", [".cadre/agents/bad.md"], "could not be read"],
    ["an empty list", ["empty.json"], "empty.json: "],
  ])("refuses %s", async (_name, args, says) => {
    const { exit, stderr } = await cadre(await place({ ...AGENTS, "empty.json": "[]" }), "batch", ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });

  test("publishes the schema of its file", async () => {
    const { stdout, exit } = await cadre(await place(), "batch", "--schema");
    const validate = new Ajv2020().compile(JSON.parse(stdout) as object);
    expect(
      validate([{ agent: "a", prompt: "b", inputs: { x: [1, { y: null }] }, description: "d", backend: "tape" }]),
    ).toBe(true);
    expect(validate([{ agent: "a", prompt: "b", other: 1 }])).toBe(false);
    expect(validate([])).toBe(false);
    expect(exit).toBe(0);
  });

  test("Ctrl-C stops what runs, keeps what is done, and exits with 130", async () => {
    const where = await place(rows({ agent: "bad", prompt: "one" }, { agent: "slow", prompt: "two" }));
    const run = start(where, "batch", "tasks.json", "--json");
    await run.until("here");
    await run.until("I will not");
    run.kill("SIGINT");
    const { exit, stdout } = await run.done;
    const { data } = JSON.parse(stdout) as { data: { status: string }[] };
    expect(data.map(({ status }) => status)).toEqual(["failed", "cancelled"]);
    expect(exit).toBe(130);
  });

  test("a file may lie anywhere", async () => {
    const where = await place(rows({ agent: "hello", prompt: "one" }));
    expect((await cadre(where, "batch", join(where.project, "tasks.json"))).exit).toBe(0);
  });
});
