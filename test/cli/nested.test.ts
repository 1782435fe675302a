// A program in a sandbox that calls `cadre` itself: it sees no store, and is let in through the hatch of its attempt.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { machines } from "../confinement/kit.ts";
import { agentFile, cadre, place } from "./command-line.ts";

const CADRE = `${process.execPath} ${fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))}`;

const program = (name: string, script: string): string =>
  `---\nname: ${name}\ndescription: ${name}\ncapabilities: [orchestrator]\ncommand: [sh, -c, ${JSON.stringify(script)}]\n---\n`;

const CLIENT = { name: "nested", version: "1" };

const MAY_DELEGATE = 'permissions:\n  allow: ["Task(oracle)"]\n';

const LATER = 'subagents:\n  timeout_ms: 5000\npermissions:\n  allow: ["Task(oracle-later)"]\n';

async function outerOf(script: string, settings = MAY_DELEGATE, options: readonly string[] = []) {
  const where = await place({
    ".cadre/agents/outer.md": program("outer", script),
    ".cadre/agents/oracle.md": agentFile("oracle", "  - { answer: Forty-two. }"),
    ".cadre/agents/oracle-later.md": agentFile("oracle-later", "  - pause_ms: 60000\n  - { answer: Forty-two. }"),
  });
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), settings);
  return { where, ran: await cadre(where, "run", ...options, "outer", "go") };
}

describe.each(machines)("cadre in a sandbox, as $user,", () => {
  test("starts an agent as its own child, and has its answer", async () => {
    const { where, ran } = await outerOf(`${CADRE} run oracle "What is it?"; echo "exit $?"; ls "$CADRE_HOME"`);
    expect(ran).toMatchObject({ exit: 0, stdout: "Forty-two.\nexit 0\nhatches\nplans\nworkspace\n\n" });
    const { stdout } = await cadre(where, "status", "--json");
    const { data } = JSON.parse(stdout) as { data: { id: string; status: string; spec: { parent: string | null } }[] };
    const [child, outer] = data;
    expect(data.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(child?.spec.parent).toBe(outer?.id);
    const hatches = join(where.project, ".cadre", "hatches");
    expect(existsSync(hatches) ? readdirSync(hatches) : []).toEqual([]);
  });

  test("leaves its place to what it waits for: one at a time is enough", async () => {
    const one = `subagents:\n  max_concurrent: 1\n${MAY_DELEGATE}`;
    const { ran } = await outerOf(`${CADRE} run oracle "What is it?"`, one);
    expect(ran).toMatchObject({ exit: 0, stdout: "Forty-two.\n\n" });
  });

  test("does not stop the clock of its own task by waiting beside what it does", { timeout: 30_000 }, async () => {
    const { ran } = await outerOf(`(${CADRE} run oracle-later x >/dev/null 2>&1 &); sleep 60; echo evaded`, LATER);
    expect(ran).toMatchObject({ exit: 1 });
    expect(ran.stdout).toContain("timeout");
  });

  test("sees its own children, and not even itself", async () => {
    const { ran } = await outerOf(`${CADRE} run oracle x >/dev/null; ${CADRE} status --json`);
    const { data } = JSON.parse(ran.stdout) as { data: { spec: { definition: { name: string } } }[] };
    expect(data.map(({ spec }) => spec.definition.name)).toEqual(["oracle"]);
  });

  test("may not what its agent may not, nor what is a person's, nor anything by another token", async () => {
    const script = [
      `${CADRE} run oracle x`,
      `${CADRE} trust .`,
      `${CADRE} config set security.confinement off`,
      `CADRE_TOKEN=guessed ${CADRE} status`,
      `env -u CADRE_TOKEN ${CADRE} status`,
    ];
    const { ran } = await outerOf(`${script.map((line) => `${line}; echo "exit $?"`).join("\n")} 2>&1`, "");
    expect(ran.exit).toBe(0);
    expect(ran.stdout.match(/exit \d+/g)).toEqual(Array.from(script, () => "exit 4"));
  });

  test("is told what to do instead, where a command needs the store or another home", async () => {
    const needing = {
      "serve --port 0": "hint: Run agents with cadre run, or speak MCP with cadre mcp",
      work: "hint: Nothing has to be done: what is started in here is run by the worker outside",
      "work --resident": "hint: Nothing has to be done",
      doctor: "hint: Run it outside of any running agent",
      demo: "hint: Run it outside of any running agent",
      init: "hint: Nothing has to be made",
      "--home /tmp/elsewhere init": "hint: Nothing has to be made",
      "--home /tmp/elsewhere status": "hint: Leave CADRE_HOME, CADRE_ATTEMPT and CADRE_TOKEN as the attempt has them",
    };
    const lines = Object.keys(needing).map((line) => `${CADRE} ${line} 2>&1 | tr '\\n' ' '; echo`);
    const { ran } = await outerOf(lines.join("\n"));
    const said = ran.stdout.trim().split("\n");
    for (const [index, [line, hint]] of Object.entries(needing).entries()) {
      expect(said[index], line).toMatch(/^error: cadre .*(does not work inside of a sandbox|inside an attempt)/);
      expect(said[index], line).toContain(hint);
    }
  });

  // In the background it is the resident, which leaves alone what `cadre start` has queued for a person.
  test.each([[[]], [["--background"]]])("starts one that the worker outside runs: run %j", async (options) => {
    const begun = `started=$(${CADRE} start oracle "What is it?"); echo "$started"`;
    const script = `${begun}; ${CADRE} output --wait $(echo "$started" | grep -o 'task_[a-z0-9]*' | head -1)`;
    const { where, ran } = await outerOf(script, MAY_DELEGATE, options);
    const said = options.length === 0 ? ran : await cadre(where, "output", ran.stdout.trim(), "--wait");
    expect(said.stdout).toMatch(
      /^Task (task_\w+) created for agent 'oracle'\. The worker of this task runs it: cadre output \1 --wait\nForty-two\.\n/,
    );
    expect(said.exit).toBe(0);
  });

  test("speaks MCP as well, as the same child", async () => {
    const messages = [
      { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: CLIENT } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "task", arguments: { agent_name: "oracle", prompt: "x" } } },
    ];
    const said = messages.map((message) => `echo '${JSON.stringify({ jsonrpc: "2.0", ...message })}'`).join("; ");
    const answers = `"$CADRE_WORKSPACE/answers"`;
    // It is spoken with until it has answered, twenty seconds at the most.
    const wait = `for n in $(seq 200); do grep -q '"id":2' ${answers} && break; sleep 0.1; done`;
    const { ran } = await outerOf(`: > ${answers}; (${said}; ${wait}) | ${CADRE} mcp > ${answers}; cat ${answers}`);
    expect(ran.stdout).toContain("Forty-two.");
  });
});
