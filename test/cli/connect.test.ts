import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { fakeClock, memoryStore } from "../../src/testing/index.ts";
import { cadre, place, type Place } from "./command-line.ts";

/** Somebody who has said in their own file that a person's decisions need no terminal. */
async function placeOfPerson(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const where = await place(files);
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security:\n  person_without_terminal: true\n");
  return where;
}

const inProject = ({ project }: Place, path: string): string => readFileSync(join(project, path), "utf8");

describe("cadre connect", () => {
  test("without a host lists them and how they stand", async () => {
    const where = await placeOfPerson({ ".cursor/mcp.json": "{" });
    const { exit, stdout } = await cadre(where, "connect");
    expect(stdout).toMatch(/^HOST +PROGRAM +FOUND +SCOPE +STATE +FILE\n/);
    expect(stdout).toMatch(/^claude +Claude Code +no +project +absent +.*\/\.mcp\.json$/m);
    expect(stdout).toMatch(/^cursor +Cursor +no +project +broken +/m);
    expect(exit).toBe(0);
  });

  test("writes, says so, is idempotent, and is taken back", async () => {
    const where = await placeOfPerson({ ".mcp.json": '{ "mcpServers": {} }' });
    const first = await cadre(where, "connect", "claude");
    expect(first.stdout).toMatch(/^server: written \(.*\/\.mcp\.json\)\n\/oracle: written /);
    expect(first.stderr).toContain("cadre disconnect claude");
    // From the sources, so by Node and its file: as it stands there it can be started.
    const { mcpServers } = JSON.parse(inProject(where, ".mcp.json")) as { mcpServers: Record<string, unknown> };
    expect(mcpServers["cadre"]).toEqual({
      type: "stdio",
      command: process.execPath,
      args: [expect.stringMatching(/\/src\/cli\/main\.ts$/), "mcp"],
    });
    const second = await cadre(where, "connect", "claude");
    expect(second.stdout).toMatch(/^server: already connected /);
    expect(second.stderr).toBe("");
    const gone = await cadre(where, "disconnect", "claude");
    expect(gone).toMatchObject({ exit: 0, stdout: expect.stringContaining("server: removed") });
    expect(inProject(where, ".mcp.json")).toBe('{ "mcpServers": {} }');
    expect(existsSync(join(where.project, ".claude"))).toBe(false);
    expect(await cadre(where, "disconnect", "claude")).toMatchObject({ exit: 0, stdout: "claude is not connected\n" });
  });

  test("--dry shows a diff and writes nothing; --json is data", async () => {
    const where = await placeOfPerson();
    const { stdout } = await cadre(where, "connect", "codex", "--dry", "--no-commands");
    expect(stdout).toMatch(
      /^server: would be written .*\n--- \/dev\/null\n\+\+\+ .*\n@@ -0,0 \+1,5 @@\n\+\[mcp_servers\.cadre\]\n/,
    );
    expect(existsSync(join(where.userHome, ".codex"))).toBe(false);
    const done = await cadre(where, "connect", "codex", "--json", "--no-commands", "--dialect", "glee");
    expect(JSON.parse(done.stdout)).toMatchObject({
      schemaVersion: 1,
      data: { host: "codex", dry: false, changes: [{ what: "server", result: "written", message: null }] },
    });
    expect(readFileSync(join(where.userHome, ".codex", "config.toml"), "utf8")).toContain(
      '"mcp", "--dialect", "glee"]',
    );
  });

  test.each([
    [["connect", "emacs"], 2, 'there is no host called "emacs"'],
    [["connect", "claude", "--user", "--project"], 2, "--user and --project are one too many"],
    [["connect", "goose", "--project"], 2, "hint: Connect it for the user: --user"],
    [["connect", "cursor"], 2, ".cursor/mcp.json:1:2: close brace expected"],
    [["connect", "claude"], 2, "hint: Nothing was changed. Rename or remove that entry, and connect again."],
  ])("%j is refused", async (args, exit, says) => {
    const where = await placeOfPerson({ ".cursor/mcp.json": "{", ".mcp.json": '{"mcpServers": {"cadre": {}}}' });
    const ran = await cadre(where, ...args);
    expect(ran.stderr).toContain(says);
    expect(ran.exit).toBe(exit);
    expect(existsSync(join(where.userHome, ".cadre", "connections.json"))).toBe(false);
  });

  test("a command that is somebody's stays, and the exit code says so", async () => {
    const where = await placeOfPerson({ ".claude/commands/review.md": "mine" });
    const { exit, stdout } = await cadre(where, "connect", "claude");
    expect(stdout).toMatch(/^\/review: refused .*: there is another file in its place, which stays as it is$/m);
    expect(exit).toBe(1);
  });

  test("what was changed since is kept by disconnect, and the exit code says so", async () => {
    const where = await placeOfPerson();
    await cadre(where, "connect", "cursor");
    writeFileSync(join(where.project, ".cursor/mcp.json"), '{"mcpServers": {"cadre": {"command": "mine"}}}');
    const kept = await cadre(where, "disconnect", "cursor");
    expect(kept.stdout).toContain("--force removes it");
    expect(kept.exit).toBe(1);
    expect((await cadre(where, "disconnect", "cursor", "--force")).exit).toBe(0);
    expect(existsSync(join(where.project, ".cursor"))).toBe(false);
  });

  test.each([["connect"], ["connect", "claude"], ["connect", "claude", "--dry"], ["disconnect", "claude"]])(
    "%s %s is a person's to decide",
    async (...args) => {
      const where = await place();
      const { exit, stderr } = await cadre(where, ...args);
      expect(stderr).toContain("is a person's to decide");
      expect(exit).toBe(4);
      expect(existsSync(join(where.project, ".mcp.json"))).toBe(false);
    },
  );
});

test("inside an attempt it is refused, whatever the user's file says", async () => {
  const asks = "command: [sh, -c, 'CADRE connect claude 2>&1; CADRE disconnect claude 2>&1; true']";
  const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
  const own = asks.replaceAll("CADRE", `"${process.execPath}" "${main}"`);
  const where = await placeOfPerson({
    ".cadre/agents/climber.yml": `name: climber\ndescription: x\npermission_mode: auto\n${own}\n`,
  });
  // Confined, it would not even find Cadre's programs.
  const free = { ...where, env: { ...where.env, CADRE_SECURITY_CONFINEMENT: "off" } };
  const { stdout } = await cadre(free, "run", "climber", "up");
  expect(stdout).toContain('"host.connect" is a person\'s to decide, and this call comes from inside an attempt');
  expect(stdout).toContain('"host.disconnect" is a person\'s to decide');
  expect(existsSync(join(where.project, ".mcp.json"))).toBe(false);
});

test("a model cannot ask for it", async () => {
  const where = await place();
  await using mcp = await openCadre({
    home: join(where.project, ".cadre"),
    userHome: where.userHome,
    env: {},
    store: memoryStore(fakeClock()),
    mouth: "mcp",
    isPerson: false,
  });
  await expect(mcp.call("host.connect", { host: "claude" })).rejects.toThrow(/is a person's to decide/);
});

test("Gemini CLI's commands work: start, status, run, status", async () => {
  const where = await placeOfPerson({
    ".gemini/agents/agents/coder-agent.yml":
      "name: coder-agent\ndescription: x\npermission_mode: auto\ncommand: [cat]\n",
  });
  await cadre(where, "--home", ".gemini/agents", "trust");
  await cadre(where, "--home", ".gemini/agents", "connect", "gemini");
  const command = (name: string): string =>
    (parse(inProject(where, `.gemini/commands/agent/${name}.toml`)) as { prompt: string }).prompt;
  const run = (name: string, typed = "''"): string =>
    execFileSync(
      "sh",
      ["-c", (/!\{(.*)\}\n/.exec(command(name))?.[1] ?? "exit 9").replaceAll("{{args}}", () => typed)],
      {
        cwd: where.project,
        env: where.env,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
  const started = run("start", `'coder-agent "Create math.py"'`);
  const id = /^Task (task_\w+) created for agent 'coder-agent' and is now pending\.\n$/.exec(started)?.[1] ?? "";
  expect(id).not.toBe("");
  expect(run("status")).toContain(`| ${id} | coder-agent | pending |`);
  expect(run("run")).toBe(`Orchestrator finished task ${id}.\n`);
  expect(run("status")).toContain(`| ${id} | coder-agent | complete |`);
  expect(run("run")).toBe("No pending agent tasks found.\n");
});
