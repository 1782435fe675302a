import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { PLAIN_GIT } from "../plain-git.ts";
import { agentFile, cadre, place, start } from "./command-line.ts";

const COMMIT = ["-c", "user.name=t", "-c", "user.email=t@t.invalid", "commit", "--quiet"];
const HELLO = { ".cadre/agents/hello.md": agentFile("hello", '  - say: thinking\n  - answer: "Hello, you."') };

describe("cadre run", () => {
  test("prints the answer on stdout, what happens on stderr, and exits with 0", async () => {
    const where = await place(HELLO);
    const { exit, stdout, stderr } = await cadre(where, "run", "hello", "greet me");
    expect(stdout).toBe("Hello, you.\n");
    expect(stderr).toContain("hello#1       thinking\n");
    expect(stderr).toContain("hello#1       completed (claimed)\n");
    expect(exit).toBe(0);
  });

  test("with --json prints one object, and nothing else, on stdout", async () => {
    const where = await place(HELLO);
    const { exit, stdout } = await cadre(where, "run", "hello", "greet me", "--json");
    const { schemaVersion, data } = JSON.parse(stdout) as { schemaVersion: number; data: Record<string, unknown> };
    expect(schemaVersion).toBe(1);
    expect(data).toMatchObject({ status: "completed", outcome: { answer: "Hello, you.", evidence: "claimed" } });
    expect(exit).toBe(0);
  });

  test("says what an agent on a model took, with its children, and so does `show`", async () => {
    const where = await place({
      ".cadre/agents/lead.md": agentFile(
        "lead",
        "  - { delegate: helper, prompt: help }\n  - answer: led",
        "backend: native\npermission_mode: auto\ntools: [Task]\n",
      ),
      ".cadre/agents/helper.md": agentFile("helper", "  - spend: { microUsd: 1200, tokens: 300 }\n  - answer: helped"),
    });
    writeFileSync(
      join(where.userHome, ".cadre", "config.yml"),
      "security: { require_approval: { subagents: false } }\n",
    );
    const { exit, stdout, stderr } = await cadre(where, "run", "lead", "go");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "led\n" });
    const spent = "spent nothing; with its children 300 tokens, $0.0012";
    expect(stderr).toContain(`\nlead#1 took 2 turns, ${spent} (tape/tape)\n`);
    const shown = await cadre(where, "show", "lead#1");
    expect(shown.stdout.replaceAll(/ +/g, " ")).toContain(`\n${spent}\n`);
  });

  test("writes files for real, but only where the agent may", async () => {
    const tape =
      "  - { write: in.txt, content: inside }\n  - { write: ../out.txt, content: outside }\n  - answer: done";
    const where = await place({
      ".cadre/agents/scribe.md": agentFile(
        "scribe",
        tape,
        "permission_mode: acceptEdits\nworkspace: { allow_writes: true }\n",
      ),
    });
    const { exit, stderr } = await cadre(where, "run", "scribe", "write");
    expect(readFileSync(join(where.project, "in.txt"), "utf8")).toBe("inside");
    expect(existsSync(join(where.project, "..", "out.txt"))).toBe(false);
    expect(stderr).toContain("../out.txt: refused");
    expect(exit).toBe(0);
  });

  test.each([
    ["refused", "  - { fail: refused, message: I will not }", "refused: I will not\n", 1],
    ["without an answer", "  - say: hm", "no_completion: the tape ended without an answer\nIt said last:\nhm\n", 1],
    ["crashed", "  - crash: kaboom", "crashed: kaboom\n", 1],
  ])("an agent that %s is not a success", async (_name, tape, stdout, exit) => {
    const where = await place({ ".cadre/agents/bad.md": agentFile("bad", tape) });
    expect(await cadre(where, "run", "bad", "try")).toMatchObject({ stdout, exit });
  });

  test.each([
    ["run", "--diff"],
    ["run", "--since", "HEAD"],
    ["start", "--diff"],
  ])("an agent that is given changes, and nothing else, is to review them: %s %s", async (command, ...options) => {
    const where = await place(HELLO);
    for (const args of [
      ["init", "--quiet"],
      ["add", "--all"],
      [...COMMIT, "--message=first"],
    ])
      await promisify(execFile)("git", args, { cwd: where.project, env: PLAIN_GIT });
    writeFileSync(join(where.project, "new.txt"), "brand new\n");
    const { exit, stdout } = await cadre(where, command, "hello", ...options, "--json");
    expect(exit).toBe(0);
    const { data } = JSON.parse(stdout) as { data: { spec: { definition: { name: string }; prompt: string } } };
    expect(data.spec.definition.name).toBe("hello");
    expect(data.spec.prompt).toMatch(/^Review these changes\.\n\nThe changes, as a diff:\n\n[^]*\+brand new\n/);
  });

  test("an agent that needs to ask where nobody is there is denied, and says so", async () => {
    const tape = "  - { write: a.txt, content: a }\n  - answer: done";
    const where = await place({ ".cadre/agents/w.md": agentFile("w", tape, "workspace: { allow_writes: true }\n") });
    const { stderr } = await cadre(where, "run", "w", "write");
    expect(stderr).toContain("refused (mode default: nobody can be asked)");
    expect(existsSync(join(where.project, "a.txt"))).toBe(false);
  });

  test("inputs are checked before anything runs, and filled into the prompt", async () => {
    const more =
      "inputs:\n  - { name: target, required: true }\n  - { name: depth, type: integer, required: true }\nprompt: Look at ${target}\n";
    const where = await place({ ".cadre/agents/scan.md": agentFile("scan", "  - answer: ok", more) });
    const bad = await cadre(where, "run", "scan", "go", "--input", "depth=deep");
    expect(bad.exit).toBe(2);
    expect(bad.stderr).toBe(
      'error: inputs of "scan": "target" is missing; "depth" must be an integer, got "deep"\nhint: Give each as --input name=value.\n',
    );
    const good = await cadre(where, "run", "scan", "go", "--input", "depth=2", "--input", "target=src", "--json");
    expect(good.exit).toBe(0);
    expect(JSON.parse(good.stdout)).toMatchObject({
      data: { spec: { instructions: "Look at src", inputs: { depth: 2 } } },
    });
  });

  test("Ctrl-C stops the task, says so, and exits with 130", async () => {
    const where = await place({
      ".cadre/agents/slow.md": agentFile("slow", "  - say: here\n  - pause_ms: 60000\n  - answer: late"),
    });
    const run = start(where, "run", "slow", "wait");
    await run.until("here");
    run.kill("SIGINT");
    const { exit, stdout } = await run.done;
    expect(stdout).toMatch(/^stopped by .* \(cooperative\)\nIt said last:\nhere\n$/);
    expect(exit).toBe(130);
    expect((await cadre(where, "status")).stdout).toContain("cancelled");
  });

  test("a prompt that begins with a dash is taken after --", async () => {
    const where = await place(HELLO);
    const { exit } = await cadre(where, "run", "hello", "--", "--not-an-option");
    expect(exit).toBe(0);
    expect((await cadre(where, "show", "@last")).stdout).toContain("--not-an-option");
  });

  test("what is kept is readable by its owner only, and kept out of git", async () => {
    const where = await place(HELLO);
    await cadre(where, "run", "hello", "hi");
    const home = join(where.project, ".cadre");
    expect(statSync(join(home, "cadre.db")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, ".gitignore"), "utf8")).toContain("cadre.db*");
  });
});

describe("what cannot be run is refused in two lines:", () => {
  test("an unknown agent, with the nearest name", async () => {
    const where = await place(HELLO);
    const { exit, stderr, stdout } = await cadre(where, "run", "helo", "hi");
    expect(stderr).toBe('error: there is no agent called "helo"\nhint: Did you mean "hello"? List all: cadre agents\n');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  });

  test("an agent whose file has a mistake, with that", async () => {
    const where = await place({ ".cadre/agents/hello.md": "---\nname: hello\ndescription: x\nmax_turns: lots\n---\n" });
    const { exit, stderr } = await cadre(where, "run", "hello", "hi");
    expect(stderr).toMatch(
      /^error: there is no agent called "hello"\nhint: Its file has a mistake: .*hello\.md:4:12: /,
    );
    expect(exit).toBe(2);
  });

  test("an agent of a folder that nobody trusts", async () => {
    const where = await place(HELLO, { trusted: false });
    const { exit, stderr } = await cadre(where, "run", "hello", "hi");
    expect(stderr).toContain('error: the agent "hello" comes from a folder that is not trusted');
    expect(stderr).toContain("hint: Read its files, then say so: cadre trust");
    expect(exit).toBe(4);
  });

  test("an empty prompt", async () => {
    const where = await place(HELLO);
    expect(await cadre(where, "run", "hello", "  ")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("the prompt is empty"),
    });
  });

  test("a home that is a file, and one that is a link", async () => {
    const where = await place({ ...HELLO, file: "x" });
    const { exit, stderr } = await cadre(where, "--home", "file", "status");
    expect(stderr).toContain("cannot be Cadre's home: it is not a folder");
    expect(exit).toBe(3);
  });

  test("a home where the system takes no folders is refused, and soon", async () => {
    const { exit, stderr } = await cadre(await place(), "--home", "/proc/cadre", "init");
    expect(stderr).toContain("/proc/cadre cannot be Cadre's home");
    expect(exit).toBe(3);
  });

  test("no command at all is one for a program, which asks for data", async () => {
    const { exit, stdout } = await cadre(await place(), "--json");
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ data: { error: { code: "input.invalid" } } });
  });

  test("with --json the error is data, too", async () => {
    const where = await place(HELLO);
    const { stdout } = await cadre(where, "run", "nobody-such", "hi", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, data: { error: { code: "agent.not-found" } } });
    const usage = await cadre(where, "run", "--bogus", "--json");
    expect(JSON.parse(usage.stdout)).toMatchObject({ data: { error: { code: "input.invalid" } } });
  });

  test.each([
    [["frobnicate"], "unknown command 'frobnicate'\nhint: See: cadre --help\n"],
    [["run"], 'say what is to be done\nhint: cadre run [agent] "What to do". Agents: '],
    [["run", "hello", "hi", "--max-turns", "0"], "hint: See: cadre run --help"],
    [["status", "--limt", "3"], "Did you mean --limit?"],
    [["status", "--limit", "many"], "hint: See: cadre status --help"],
  ])("cadre %j", async (args, says) => {
    const where = await place(HELLO);
    const { exit, stderr } = await cadre(where, ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });
});

test("whoever stops reading is not told of it", async () => {
  const { stderr } = await promisify(execFile)("sh", ["-c", '"$0" src/cli/main.ts --help | head -1', process.execPath]);
  expect(stderr).toBe("");
});

test("a task that the resident takes first is waited for, and its answer is the command's", async () => {
  const where = await place({
    ".cadre/agents/nap.md": agentFile("nap", "  - pause_ms: 1500\n  - answer: Slept."),
    ".cadre/agents/pause.md": agentFile("pause", "  - pause_ms: 1000\n  - answer: Here."),
  });
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "subagents:\n  max_concurrent: 1\n");
  await cadre(where, "run", "--background", "nap", "x");
  for (let round = 0; round < 3; round++) {
    const { exit, stdout } = await cadre(where, "run", "pause", "x");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "Here.\n" });
  }
});
