// The commands that hosts get: that they say what is there, and that the shell parts do what they say.
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { openHostConfig } from "../../src/hosts/index.ts";
import { shellQuoted } from "../../src/hosts/shell-quoted.ts";
import { taskToolNames } from "../../src/hosts/commands/task-tool-names.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { mannerOf } from "../../src/mcp/manner.ts";
import { ground } from "./ground.ts";

const DIALECTS = ["cadre", "glee", "gencode", "gemini", "yeet"] as const;

test.each(DIALECTS)("the tools' names in %s are the server's", (dialect) => {
  const { names } = mannerOf(dialect);
  expect(taskToolNames(dialect)).toEqual({ start: names.task, output: names.task_output });
});

describe("agents", () => {
  test.each([
    ["claude", ".claude/commands/%.md", "$ARGUMENTS"],
    ["opencode", ".opencode/command/%.md", "$ARGUMENTS"],
    ["gemini", ".gemini/commands/%.toml", "{{args}}"],
    ["qwen", ".qwen/commands/%.md", "{{args}}"],
    ["codex", "~/.codex/skills/%/SKILL.md", "what stands beside the name of this skill."],
  ])("%s gets a command for each, with the tool and the agent", async (host, path, typed) => {
    const here = ground();
    await here.connect({ host, commands: true });
    const agents = { oracle: "oracle", review: "reviewer", pair: "pair", orchestrate: "orchestrator" };
    for (const [name, agent] of Object.entries(agents)) {
      const text = here.read(path.replace("%", name));
      expect(text).toContain(`Give the agent \`${agent}\` a task, with the tool \`task\` of the MCP server \`cadre\`.`);
      expect(text).toContain(`What is asked: ${typed}`);
    }
    await here.disconnect({ host });
    expect(here.all()).toEqual(["home", "project"]);
  });

  test("codex does not use one by itself", async () => {
    const here = ground();
    await here.connect({ host: "codex", commands: true });
    expect(here.read("~/.codex/skills/oracle/agents/openai.yaml")).toBe(
      "policy:\n  allow_implicit_invocation: false\n",
    );
  });

  test("none where they are not wanted, or where a host has no such files", async () => {
    const here = ground();
    expect(await here.connect({ host: "claude", commands: false })).toHaveLength(1);
    expect(await here.connect({ host: "zed", commands: true })).toHaveLength(1);
    expect(await here.connect({ host: "codex", scope: "project", commands: true })).toHaveLength(1);
  });
});

describe("Gemini CLI's queue", () => {
  /** As Gemini CLI does it: what was typed goes in as one word for the shell. */
  async function shellOf(name: string, typed: string): Promise<{ here: ReturnType<typeof ground>; out: string }> {
    const here = ground({ "bin/cadre": '#!/bin/sh\nfor word; do printf "<%s>" "$word"; done\n' });
    chmodSync(here.file("bin/cadre"), 0o755);
    await here.connect({ host: "gemini", commands: true });
    const { prompt } = parse(here.read(`.gemini/commands/agent/${name}.toml`)) as { prompt: string };
    const block = /!\{(.*)\}\n/.exec(prompt)?.[1] ?? "";
    expect(block.split("{").length).toBe(block.split("}").length); // it counts braces to find the end
    const script = block.replaceAll("{{args}}", () => shellQuoted([typed]));
    const env = { PATH: `${dirname(here.file("bin/cadre"))}:/usr/bin:/bin` };
    return { here, out: execFileSync("sh", ["-c", script], { cwd: here.project, env, encoding: "utf8" }) };
  }
  const HOME = "<--home><.gemini/agents>";

  test.each([
    'coder-agent "Create a file"',
    'coder-agent "two\nlines"',
    'x "$(touch pwned) `touch pwned`; touch pwned \'"',
    "x '; touch pwned; '",
    'x "*"',
    "--help",
    "",
  ])("start: %j goes on as one word", async (typed) => {
    const { here, out } = await shellOf("start", typed);
    expect(out).toBe(`${HOME}<start><--typed=${typed}>`);
    expect(here.has("pwned")).toBe(false);
  });

  test("run and status", async () => {
    expect((await shellOf("run", "")).out).toBe(`${HOME}<work><--once>`);
    expect((await shellOf("status", "")).out).toBe(`${HOME}<status><--format><markdown>`);
  });

  test("from a checkout, with blanks and quotes in its path", async () => {
    const here = ground();
    const cadre: [string, ...string[]] = ['/my node/it\'s "node"', "/src/cli/main.ts"];
    const hosts = openHostConfig({
      project: here.project,
      userHome: here.userHome,
      env: {},
      cadre,
      clock: systemClock,
    });
    await hosts.connect({ host: "gemini", agents: [], env: [], commands: true, personas: false, dry: false });
    const { prompt } = parse(here.read(".gemini/commands/agent/run.toml"));
    expect(prompt).toContain(`!{'/my node/it'\\''s "node"' /src/cli/main.ts --home .gemini/agents work --once}`);
    expect(JSON.parse(here.read(".gemini/settings.json"))).toMatchObject({
      mcpServers: { cadre: { command: cadre[0], args: [cadre[1], "mcp"] } },
    });
  });

  test("personas are written where they are asked for, and go again", async () => {
    const here = ground();
    const rows = await here.connect({ host: "gemini", personas: true });
    expect(rows.map(({ what }) => what)).toEqual(["server", "coder-agent", "reviewer-agent"]);
    expect(JSON.parse(here.read(".gemini/extensions/coder-agent.json"))).toEqual({
      name: "coder-agent",
      version: "1.0.0",
      contextFileName: "coder-agent-scratchpad.md",
      prompt: expect.stringContaining("write the code to a file in the `.gemini/agents/workspace/` directory"),
    });
    await here.disconnect({ host: "gemini" });
    expect(here.all()).toEqual(["home", "project"]);
  });
});

describe("an agent of a project", () => {
  const agents = [
    { agent: "deploy-checker", slash: "/check-deploy", description: 'Checks: "a" deploy\nand more' },
    { agent: "other", slash: "check-deploy", description: "the same word" },
  ];

  test("gets a command by its slash, the first where two have it, and its words stay words", async () => {
    const here = ground();
    const rows = await here.connect({ host: "claude", commands: true, agents });
    expect(rows.map(({ what }) => what)).toEqual(["server", "/check-deploy"]);
    const text = here.read(".claude/commands/check-deploy.md");
    expect(text).toContain('description: "Checks: \\"a\\" deploy and more"\n');
    expect(text).toContain("Give the agent `deploy-checker` a task");
    await here.disconnect({ host: "claude" });
    expect(here.all()).toEqual(["home", "project"]);
  });
});
