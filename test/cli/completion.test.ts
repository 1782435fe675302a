import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { agentFile, cadre, place, type Place } from "./command-line.ts";

const AGENTS = {
  ".cadre/agents/oracle.md": agentFile("oracle", "  - answer: Forty-two."),
  ".cadre/agents/writer.md": agentFile("writer", "  - answer: Written."),
};

/** Whoever completes gives up in silence when it takes longer than a person waits. */
const GIVES_UP_MS = 1_500;
const TRIES = 10;

/** Once more where it may have given up: the machine has other things to do. */
async function complete(where: Place, ...words: readonly string[]): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const began = performance.now();
    const { exit, stdout, stderr } = await cadre(where, "complete", "--", ...words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    if (stdout !== "") return stdout.trimEnd().split("\n");
    if (tries === TRIES || performance.now() - began < GIVES_UP_MS) return [];
  }
}

const valuesOf = (lines: readonly string[]): string[] => lines.map((line) => line.split("\t")[0] ?? "");

describe("what a word can be completed to:", { timeout: 60_000 }, () => {
  test("commands, with what they do, and not the hidden one", async () => {
    const lines = await complete(await place(), "");
    expect(valuesOf(lines)).toEqual(Object.keys(COMMANDS).filter((name) => name !== "complete"));
    expect(lines).toContain("status\tList the tasks, newest first");
    expect(valuesOf(await complete(await place(), "sta"))).toEqual(["start", "status"]);
  });

  test("agents and tasks, by their names", async () => {
    const where = await place(AGENTS);
    const offered = await complete(where, "run", "");
    expect(offered.slice(0, 2)).toEqual(["oracle\toracle for tests", "writer\twriter for tests"]);
    expect(valuesOf(offered)).toContain("Explore");
    expect(valuesOf(await complete(where, "run", "--max-turns", "3", "or"))).toEqual(["oracle", "orchestrator"]);
    await cadre(where, "start", "oracle", "What is\nit?");
    expect(await complete(where, "show", "")).toEqual(["oracle#1\tpending: What is it?"]);
    expect(valuesOf(await complete(where, "status", "--agent", "w"))).toEqual(["writer"]);
  });

  test("tools that were written, where one is named", async () => {
    const tool = "name: greet\ndescription: Greets\ncommand: [echo, hello]\n";
    const where = await place({ ...AGENTS, ".cadre/tools/greet/tool.yml": tool });
    expect(valuesOf(await complete(where, "tools", "run", ""))).toEqual(["greet"]);
  });

  test("options, and the values of those that have a closed list", async () => {
    const where = await place();
    expect(valuesOf(await complete(where, "status", "--f"))).toEqual(["--format"]);
    expect(valuesOf(await complete(where, "status", "--format", ""))).toEqual(["table", "markdown"]);
    expect(valuesOf(await complete(where, "status", "--status", "running", "--status", "c"))).toEqual([
      "completed",
      "cancelled",
    ]);
    expect(valuesOf(await complete(where, "config", ""))).toEqual(["list", "get", "set"]);
    expect(valuesOf(await complete(where, "config", "get", "subagents.m"))).toEqual([
      "subagents.max_concurrent",
      "subagents.max_output_kb",
    ]);
    expect(valuesOf(await complete(where, "--"))).toEqual(["--home", "--json", "--help"]);
  });

  test.each([
    [["batch", ""]],
    [["--home", ""]],
    [["run", "--inputs", ""]],
    [["trust", ""]],
    [["agents", "import", "--file", ""]],
  ])("for %j the shell is asked to look for files", async (words) => {
    expect(await complete(await place(), ...words)).toEqual([":files"]);
  });

  test("an agent that nobody trusts is not offered", async () => {
    expect(await complete(await place(AGENTS, { trusted: false }), "run", "wr")).toEqual([]);
  });
});

describe("completing fails without a sound:", { timeout: 60_000 }, () => {
  test.each([
    ["a setting that is ignored", { ".cadre/config.yml": "subagents: { max_concurrent: 99 }\n" }, ["run", "zz"]],
    ["an unknown command", {}, ["frobnicate", ""]],
    ["a broken configuration", { ".cadre/config.yml": "nonsense: 1\n" }, ["run", ""]],
    ["a home that is a file", { file: "x" }, ["--home", "file", "run", ""]],
    ["an argument too many", {}, ["stop", "oracle#1", ""]],
  ])("%s", async (_name, files, words) => {
    expect(await complete(await place(files), ...words)).toEqual([]);
  });

  test("where there is no home, none is made", async () => {
    const where = await place({}, { trusted: false });
    const elsewhere = { ...where, project: where.userHome };
    expect(await complete(elsewhere, "run", "")).toEqual([]);
    expect(readdirSync(where.userHome)).toEqual([]);
  });
});

describe("the scripts", () => {
  test.each(["bash", "zsh", "fish"])("%s: asks cadre, and looks for files where told to", async (shell) => {
    const { stdout, exit } = await cadre(await place(), "completion", shell);
    expect(stdout).toContain("complete --");
    expect(stdout).toContain(":files");
    expect(exit).toBe(0);
  });

  test("another shell is refused with those there are", async () => {
    const { exit, stderr } = await cadre(await place(), "completion", "tcsh");
    expect(stderr).toContain('"bash"|"zsh"|"fish"');
    expect(exit).toBe(2);
  });

  test("bash completes with it", { timeout: 60_000 }, async () => {
    const where = await place(AGENTS);
    const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
    const program = join(where.project, "cadre");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    chmodSync(program, 0o755);
    const script =
      'source <(cadre completion bash); COMP_WORDS=(cadre run "wr"); COMP_CWORD=2; _cadre_complete; printf "%s," "${COMPREPLY[@]}"';
    const env = { ...where.env, PATH: `${where.project}${delimiter}${where.env["PATH"] ?? ""}` };
    const completed = () => {
      const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: where.project, env, encoding: "utf8" });
      return { stdout, stderr };
    };
    let found = completed();
    for (let tries = 1; tries < TRIES && found.stdout === ","; tries++) found = completed();
    expect(found).toEqual({ stdout: "writer,", stderr: "" });
  });
});
