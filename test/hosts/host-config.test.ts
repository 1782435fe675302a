import * as fc from "fast-check";
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ground } from "./ground.ts";
import { jsonFile, tomlFile, yamlFile } from "./random-files.ts";

const HOSTS = ["claude", "codex", "gemini", "opencode", "qwen", "copilot", "goose", "cursor", "zed"];
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

describe("what each host's file says", () => {
  const server = { command: "cadre", args: ["mcp"] };
  const patient = { ...server, timeout: 600_000, trust: false };
  const opencode = { type: "local", command: ["cadre", "mcp"], enabled: true, timeout: 60_000 };
  const codex =
    '[mcp_servers.cadre]\ncommand = "cadre"\nargs = ["mcp"]\nstartup_timeout_sec = 30\ntool_timeout_sec = 300\n';

  test.each([
    ["claude", "project", ".mcp.json", json({ mcpServers: { cadre: { type: "stdio", ...server } } })],
    ["claude", "user", "~/.claude.json", json({ mcpServers: { cadre: { type: "stdio", ...server } } })],
    ["codex", "user", "~/.codex/config.toml", codex],
    ["codex", "project", ".codex/config.toml", codex],
    ["gemini", "project", ".gemini/settings.json", json({ mcpServers: { cadre: patient } })],
    ["gemini", "user", "~/.gemini/settings.json", json({ mcpServers: { cadre: patient } })],
    ["opencode", "project", "opencode.json", json({ mcp: { cadre: opencode } })],
    ["opencode", "user", "~/.config/opencode/opencode.json", json({ mcp: { cadre: opencode } })],
    ["qwen", "project", ".qwen/settings.json", json({ mcpServers: { cadre: patient } })],
    ["qwen", "user", "~/.qwen/settings.json", json({ mcpServers: { cadre: patient } })],
    [
      "copilot",
      "user",
      "~/.copilot/mcp-config.json",
      json({ mcpServers: { cadre: { type: "local", ...server, tools: ["*"] } } }),
    ],
    ["copilot", "project", ".vscode/mcp.json", json({ servers: { cadre: { type: "stdio", ...server } } })],
    [
      "goose",
      "user",
      "~/.config/goose/config.yaml",
      'extensions:\n  cadre:\n    enabled: true\n    type: stdio\n    name: cadre\n    description: "Sub-agents"\n    cmd: cadre\n    args: [mcp]\n    timeout: 300\n',
    ],
    ["cursor", "project", ".cursor/mcp.json", json({ mcpServers: { cadre: server } })],
    ["cursor", "user", "~/.cursor/mcp.json", json({ mcpServers: { cadre: server } })],
    ["zed", "user", "~/.config/zed/settings.json", json({ context_servers: { cadre: { ...server, env: {} } } })],
    ["zed", "project", ".zed/settings.json", json({ context_servers: { cadre: { ...server, env: {} } } })],
  ] as const)("%s, %s: %s", async (host, scope, path, text) => {
    const here = ground();
    const nothing = here.all();
    expect(await here.connect({ host, scope })).toMatchObject([{ what: "server", result: "written", message: null }]);
    expect(here.read(path)).toBe(text);
    expect(await here.disconnect({ host })).toMatchObject([{ result: "removed" }]);
    expect(here.all()).toEqual(nothing);
  });

  test("where variables say that a host keeps its files", async () => {
    const here = ground();
    const [CODEX_HOME, XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR] = ["cx", "xdg", "cl"].map((name) => here.file(`~/${name}`));
    const moved = ground(
      {},
      {
        CODEX_HOME: CODEX_HOME ?? "",
        XDG_CONFIG_HOME: XDG_CONFIG_HOME ?? "",
        CLAUDE_CONFIG_DIR: CLAUDE_CONFIG_DIR ?? "",
      },
    );
    for (const host of ["codex", "opencode", "goose", "zed", "claude"]) await moved.connect({ host, scope: "user" });
    expect(here.all()).toEqual(
      expect.arrayContaining([
        "home/cx/config.toml",
        "home/xdg/opencode/opencode.json",
        "home/xdg/zed/settings.json",
        "home/cl/.claude.json",
      ]),
    );
    expect(moved.all()).toEqual(["home", "project"]);
  });

  test("the file that opencode has already, whatever its ending", async () => {
    const here = ground({ "opencode.jsonc": "{\n  // mine\n}\n" });
    await here.connect({ host: "opencode" });
    expect(here.read("opencode.jsonc")).toContain('// mine\n  "mcp": {');
    expect(here.has("opencode.json")).toBe(false);
  });

  test("another dialect is an argument of the server", async () => {
    const here = ground();
    await here.connect({ host: "cursor", dialect: "glee" });
    expect(JSON.parse(here.read(".cursor/mcp.json"))).toMatchObject({
      mcpServers: { cadre: { args: ["mcp", "--dialect", "glee"] } },
    });
    await expect(here.connect({ host: "cursor", dialect: "klingon" })).rejects.toThrow(/no dialect called "klingon"/);
  });

  test.each([
    ["codex", "~/.codex/config.toml", 'env_vars = ["A_KEY", "B_KEY"]'],
    ["gemini", ".gemini/settings.json", '"A_KEY": "$A_KEY",'],
    ["copilot", "~/.copilot/mcp-config.json", '"A_KEY": "${A_KEY}",'],
    ["cursor", ".cursor/mcp.json", '"A_KEY": "${env:A_KEY}",'],
  ])("%s, which keeps variables back, is told their names", async (host, path, says) => {
    const here = ground({}, { A_KEY: "secret-value" });
    await here.connect({ host, env: ["A_KEY", "B_KEY"] });
    expect(here.read(path)).toContain(says);
    expect(here.read(path)).not.toContain("secret-value");
  });

  test("a host that hands on all it has needs no names", async () => {
    const here = ground();
    await here.connect({ host: "claude", env: ["A_KEY"] });
    expect(here.read(".mcp.json")).not.toContain("A_KEY");
  });

  test.each([
    [{ host: "emacs" }, /no host called "emacs"/],
    [{ host: "__proto__" }, /no host called/],
    [{ host: "goose", scope: "project" }, /goose has no configuration of the project/],
    [{ host: "claude", personas: true }, /Claude Code has no personas/],
  ] as const)("%j is refused", async (wish, says) => {
    const here = ground();
    await expect(here.connect(wish)).rejects.toThrow(says);
    expect(here.all()).toEqual(["home", "project"]);
  });
});

describe("connected and disconnected, a file is byte for byte what it was", () => {
  test.each([
    ["cursor", ".cursor/mcp.json", jsonFile("mcpServers", true)],
    ["claude", ".mcp.json", jsonFile("mcpServers", false)],
    ["codex", "~/.codex/config.toml", tomlFile],
    ["goose", "~/.config/goose/config.yaml", yamlFile],
  ] as const)("%s", async (host, path, files) => {
    await fc.assert(
      fc.asyncProperty(files, async (text) => {
        const here = ground({ [path]: text });
        await here.connect({ host });
        expect(here.read(path)).not.toBe(text);
        expect(await here.disconnect({ host })).toMatchObject([{ result: "removed" }]);
        expect(here.read(path)).toBe(text);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a second time", () => {
  test.each(HOSTS)("%s is connected already, and nothing is written", async (host) => {
    const here = ground();
    await here.connect({ host, commands: true });
    const remembered = here.read("~/.cadre/connections.json");
    const rows = await here.connect({ host, commands: true });
    expect(new Set(rows.map(({ result, diff }) => `${result} ${diff}`))).toEqual(new Set(["unchanged null"]));
    expect(here.read("~/.cadre/connections.json")).toBe(remembered);
  });

  test("with another wish, what is ours is updated, and can still be taken out", async () => {
    const text = '{\n  "mcpServers": {\n    "other": {}\n  }\n}';
    const here = ground({ ".mcp.json": text });
    await here.connect({ host: "claude", commands: true });
    const rows = await here.connect({ host: "claude", commands: true, dialect: "gencode" });
    expect(new Set(rows.map(({ result }) => result))).toEqual(new Set(["updated"]));
    expect(here.read(".mcp.json")).toContain("gencode");
    expect(here.read(".claude/commands/oracle.md")).toContain("the tool `Task`");
    await here.disconnect({ host: "claude" });
    expect(here.read(".mcp.json")).toBe(text);
    expect(here.has(".claude")).toBe(false);
  });

  test("what somebody changed is kept, and what somebody took out is put in again", async () => {
    const here = ground();
    await here.connect({ host: "cursor" });
    here.write(".cursor/mcp.json", here.read(".cursor/mcp.json").replace('"cadre",', '"/my/cadre",'));
    expect(await here.connect({ host: "cursor", dialect: "glee" })).toMatchObject([{ result: "kept" }]);
    here.write(".cursor/mcp.json", '{"mcpServers": {}}');
    expect(await here.connect({ host: "cursor" })).toMatchObject([{ result: "written" }]);
    await here.disconnect({ host: "cursor" });
    expect(here.read(".cursor/mcp.json")).toBe('{"mcpServers": {}}');
  });
});

describe("what is not ours", () => {
  test("an entry of that name is refused, and nothing else is written", async () => {
    const here = ground({ ".mcp.json": '{"mcpServers": {"cadre": {"command": "other"}}}' });
    await expect(here.connect({ host: "claude", commands: true })).rejects.toThrow(
      /has an entry "mcpServers.cadre" already/,
    );
    expect(here.all()).toEqual(["home", "project", "project/.mcp.json"]);
    expect(await here.disconnect({ host: "claude", force: true })).toEqual([]);
  });

  test("the same entry, from a colleague, is good as it is, and disconnecting leaves it", async () => {
    const here = ground({ ".cursor/mcp.json": '{"mcpServers":{"cadre":{"args":["mcp"],"command":"cadre"}}}' });
    const [row] = await here.connect({ host: "cursor" });
    expect(row).toMatchObject({
      result: "unchanged",
      message: expect.stringContaining("was not put there by this command"),
    });
    expect(await here.disconnect({ host: "cursor" })).toEqual([]);
    expect(here.read(".cursor/mcp.json")).toContain("cadre");
  });

  test("a command of that name stays, and the others are written", async () => {
    const here = ground({ ".claude/commands/review.md": "mine" });
    const rows = await here.connect({ host: "claude", commands: true });
    expect(rows.map(({ what, result }) => `${what} ${result}`)).toEqual([
      "server written",
      "/oracle written",
      "/review refused",
      "/pair written",
      "/orchestrate written",
    ]);
    await here.disconnect({ host: "claude", force: true });
    expect(here.read(".claude/commands/review.md")).toBe("mine");
    expect(here.has(".claude/commands/oracle.md")).toBe(false);
  });
});

describe("disconnecting a file that was edited since", () => {
  test("leaves the edits", async () => {
    const here = ground({ "~/.codex/config.toml": 'model = "a"\n' });
    await here.connect({ host: "codex" });
    here.write("~/.codex/config.toml", `# new\n${here.read("~/.codex/config.toml")}\n[tui]\nx = 1\n`);
    await here.disconnect({ host: "codex" });
    expect(here.read("~/.codex/config.toml")).toBe('# new\nmodel = "a"\n\n[tui]\nx = 1\n');
  });

  test("leaves a file that was made for it, if there is more in it by now", async () => {
    const here = ground();
    await here.connect({ host: "gemini" });
    const settings = JSON.parse(here.read(".gemini/settings.json")) as object;
    here.write(".gemini/settings.json", JSON.stringify({ theme: "x", ...settings }));
    await here.disconnect({ host: "gemini" });
    expect(here.read(".gemini/settings.json")).toBe('{"theme":"x"}');
  });

  test("leaves what was changed of ours, unless told to take it", async () => {
    const here = ground();
    await here.connect({ host: "gemini", commands: true });
    here.write(".gemini/settings.json", here.read(".gemini/settings.json").replace("600000", "1000"));
    here.write(".gemini/commands/oracle.toml", "mine now");
    const rows = await here.disconnect({ host: "gemini" });
    expect(rows.filter(({ result }) => result === "kept").map(({ what }) => what)).toEqual(["/oracle", "server"]);
    expect(here.read(".gemini/settings.json")).toContain("1000");
    expect(await here.disconnect({ host: "gemini", force: true })).toMatchObject([
      { result: "removed" },
      { result: "removed" },
    ]);
    expect(here.all()).toEqual(["home", "project"]);
    expect(await here.disconnect({ host: "gemini" })).toEqual([]);
  });

  test("forgets what is gone", async () => {
    const here = ground();
    await here.connect({ host: "claude" });
    rmSync(here.file(".mcp.json"));
    expect(await here.disconnect({ host: "claude" })).toMatchObject([{ result: "gone" }]);
    expect(JSON.parse(here.read("~/.cadre/connections.json"))).toEqual({ version: 1, connections: [] });
  });

  test("does nothing to a broken file", async () => {
    const here = ground();
    await here.connect({ host: "claude" });
    here.write(".mcp.json", `${here.read(".mcp.json")}}`);
    await expect(here.disconnect({ host: "claude" })).rejects.toThrow(/\.mcp\.json:12:1: end of file expected/);
  });

  test("of one scope only, where one is named; of another project never", async () => {
    const here = ground();
    await here.connect({ host: "claude", scope: "user" });
    await here.connect({ host: "claude", scope: "project" });
    expect(await here.disconnect({ host: "claude", scope: "project" })).toHaveLength(1);
    expect(here.has("~/.claude.json")).toBe(true);
    const other = ground();
    other.write("~/.cadre/connections.json", here.read("~/.cadre/connections.json").replace('"user"', '"project"'));
    expect(await other.disconnect({ host: "claude" })).toEqual([]);
  });

  test("folders that were made for several hosts go with the last one", async () => {
    const here = ground();
    for (const host of ["goose", "zed"]) await here.connect({ host });
    for (const host of ["goose", "zed"]) await here.disconnect({ host });
    expect(here.all()).toEqual(["home", "project"]);
  });
});

describe("dry", () => {
  test("shows the difference and writes nothing", async () => {
    const here = ground({ ".mcp.json": '{\n  "mcpServers": {}\n}\n' });
    const before = here.all();
    const rows = await here.connect({ host: "claude", commands: true, dry: true });
    expect(rows[0]?.diff).toBe(
      `--- ${here.file(".mcp.json")}\n+++ ${here.file(".mcp.json")}\n@@ -1,3 +1,11 @@\n {\n-  "mcpServers": {}\n+  "mcpServers": {\n+    "cadre": {\n+      "type": "stdio",\n+      "command": "cadre",\n+      "args": [\n+        "mcp"\n+      ]\n+    }\n+  }\n }\n`,
    );
    expect(rows).toHaveLength(5);
    expect(here.all()).toEqual(before);
    expect(here.has("~/.cadre")).toBe(false);
    await here.connect({ host: "claude" });
    const remembered = here.read("~/.cadre/connections.json");
    expect(await here.disconnect({ host: "claude", dry: true })).toMatchObject([{ result: "removed" }]);
    expect(here.read(".mcp.json")).toContain("cadre");
    expect(here.read("~/.cadre/connections.json")).toBe(remembered);
  });
});

test("the list says what is found and how each file stands", async () => {
  const here = ground({
    "~/.codex/config.toml": "broken",
    ".cursor/mcp.json": '{"mcpServers": {"cadre": {}}}',
    "~/.claude.json": "{}",
  });
  await here.connect({ host: "claude", scope: "user" });
  await here.connect({ host: "gemini" });
  here.write(".gemini/settings.json", here.read(".gemini/settings.json").replace("false", "true"));
  const states = new Map((await here.list()).map(({ host, isFound, places }) => [host, { isFound, places }]));
  const stateOf = (host: string, scope: string) =>
    states.get(host)?.places.find((place) => place.scope === scope)?.state;
  expect([...states.keys()]).toEqual(HOSTS);
  expect(stateOf("claude", "user")).toBe("connected");
  expect(stateOf("claude", "project")).toBe("absent");
  expect(stateOf("codex", "user")).toBe("broken");
  expect(stateOf("cursor", "project")).toBe("foreign");
  expect(stateOf("gemini", "project")).toBe("changed");
  expect(states.get("goose")?.places).toHaveLength(1);
  expect([...states].filter(([, { isFound }]) => isFound).map(([host]) => host)).toEqual(["claude", "codex"]);
});
