// The workflow of a queue in Gemini CLI's own folders, from the first command to the last.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cadre, place } from "./command-line.ts";

const CODER = `name: coder-agent
description: Writes one file
permission_mode: auto
command: [sh, -c, 'printf "def add(a, b):\\n    return a + b\\n" > "$CADRE_WORKSPACE/math.py"; echo "$CADRE_WORKSPACE/math.py"']
`;
const PROMPT = "Create a python script in the workspace called 'math.py' that contains a function to add two numbers.";

test("start, status, run, status, with the files and the words of Gemini CLI's layout", async () => {
  const where = await place({ ".gemini/agents/agents/coder-agent.yml": CODER });
  const run = (...args: string[]) => cadre(where, "--home", ".gemini/agents", ...args);
  const home = join(where.project, ".gemini/agents");

  const started = await run("start", "coder-agent", PROMPT);
  const id = /^Task (task_\w+) created for agent 'coder-agent' and is now pending\.\n$/.exec(started.stdout)?.[1] ?? "";
  expect(id).not.toBe("");
  const state = () => JSON.parse(readFileSync(join(home, "tasks", `${id}.json`), "utf8")) as Record<string, unknown>;
  expect(state()).toMatchObject({
    taskId: id,
    status: "pending",
    agent: "coder-agent",
    prompt: PROMPT,
    planFile: `.gemini/agents/plans/${id}_plan.md`,
    logFile: `.gemini/agents/logs/${id}.log`,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(readFileSync(join(home, "plans", `${id}_plan.md`), "utf8")).toBe(`# Plan for coder-agent - ${PROMPT}\n`);

  const row = (status: string) =>
    expect.stringMatching(
      new RegExp(
        `^\\| Task ID \\| Agent \\| Status \\| Created At \\| Prompt \\|\\n.*\\n\\| ${id} \\| coder-agent \\| ${status} \\| .*Z \\| Create a python script.*\\.\\.\\. \\|\\n$`,
      ),
    );
  expect((await run("status", "--format", "markdown")).stdout).toEqual(row("pending"));

  const worked = await run("work", "--once");
  expect(worked).toMatchObject({ exit: 0, stdout: `Orchestrator finished task ${id}.\n` });
  expect(state()).toMatchObject({ status: "complete", completedAt: expect.any(String) });
  expect(readFileSync(join(home, "workspace", "math.py"), "utf8")).toContain("def add(a, b):");
  expect(readFileSync(join(home, "logs", `${id}.log`), "utf8")).toContain("math.py");
  expect((await run("status", "--format", "markdown")).stdout).toEqual(row("complete"));

  expect((await run("work", "--once")).stdout).toBe("No pending agent tasks found.\n");
  expect(existsSync(join(where.project, ".cadre", "cadre.db"))).toBe(false);
  expect(readdirSync(home)).toEqual(expect.arrayContaining(["logs", "plans", "tasks", "workspace"]));
});

test("work --once runs the oldest task first, and a file that was dropped there is a task", async () => {
  const echo = "name: echo\ndescription: echoes\npermission_mode: auto\ncommand: [cat]\n";
  const dropped = {
    taskId: "task_1699893721",
    status: "pending",
    agent: "echo",
    prompt: "dropped",
    createdAt: "2025-07-26T00:00:00Z",
  };
  const where = await place({
    ".gemini/agents/agents/echo.yml": echo,
    ".gemini/agents/tasks/task_1699893721.json": JSON.stringify(dropped),
  });
  const run = (...args: string[]) => cadre(where, "--home", ".gemini/agents", ...args);
  expect((await run("work", "--once")).stdout).toBe("Orchestrator finished task task_1699893721.\n");
  expect((await run("output", "task_1699893721")).stdout).toBe("dropped\n");
});
