import { chmodSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { applyStep, type Decision } from "../../src/hosts/apply-step.ts";
import { connectionList } from "../../src/hosts/connections.ts";
import { readHostFile } from "../../src/hosts/files/host-file.ts";
import { ground, type TestGround } from "./ground.ts";

const CONFIG = '{\n  "mine": true\n}\n';

describe("what is refused, with nothing written", () => {
  const expectRefused = async (here: TestGround, host: string, says: RegExp, scope?: "user" | "project") => {
    const before = here.all();
    await expect(here.connect({ host, scope, commands: true })).rejects.toThrow(says);
    expect(here.all()).toEqual(before);
    expect(here.has("~/.cadre/connections.json")).toBe(false);
  };

  test("a broken file, with the place", async () => {
    await expectRefused(
      ground({ ".mcp.json": '{\n  "mcpServers": {,}\n}\n' }),
      "claude",
      /\.mcp\.json:2:18: value expected/,
    );
    await expectRefused(ground({ "~/.codex/config.toml": "a = 1\nb\n" }), "codex", /config\.toml:2:2: /);
    await expectRefused(ground({ "~/.config/goose/config.yaml": "a: 1\n b: 2\n" }), "goose", /config\.yaml:\d+:\d+: /);
  });

  test("a file that is too large, and one that is not text", async () => {
    await expectRefused(ground({ ".mcp.json": " ".repeat(5 * 1024 * 1024 + 1) }), "claude", /at most 5242880 are read/);
    const here = ground();
    here.write(".mcp.json", new Uint8Array([0x7b, 0xff, 0x7d]));
    await expectRefused(here, "claude", /is not UTF-8 text/);
  });

  test("a folder in its place, and a file where a folder should be", async () => {
    const folder = ground();
    mkdirSync(folder.file(".mcp.json"));
    await expectRefused(folder, "claude", /is not a regular file/);
    await expectRefused(ground({ ".gemini": "" }), "gemini", /something above it is not a folder/);
  });

  test("every link in a project", async () => {
    const here = ground({ "other.json": "{}", "~/secret.json": "{}" });
    symlinkSync(here.file("other.json"), here.file(".mcp.json"));
    await expectRefused(here, "claude", /is a link, or lies behind one/);
    symlinkSync(here.userHome, here.file(".gemini"));
    await expectRefused(here, "gemini", /is a link, or lies behind one/);
    symlinkSync("/nowhere/at-all", here.file(".cursor"));
    await expectRefused(here, "cursor", /is a link to nothing/);
  });

  test("a link of the user's that leads out of their home", async () => {
    const here = ground({ "trap.json": "{}" });
    symlinkSync(here.file("trap.json"), here.file("~/.claude.json"));
    await expectRefused(here, "claude", /is behind a link that leads out of/, "user");
  });

  test("a file with a second name", async () => {
    const here = ground({ "other.json": CONFIG });
    linkSync(here.file("other.json"), here.file(".mcp.json"));
    await expectRefused(here, "claude", /has a second name/);
  });
});

test("a link to elsewhere in the user's home stays a link, and its file is changed", async () => {
  const here = ground({ "~/dotfiles/claude.json": CONFIG });
  symlinkSync("dotfiles/claude.json", here.file("~/.claude.json"));
  await here.connect({ host: "claude", scope: "user" });
  expect(here.read("~/dotfiles/claude.json")).toContain('"cadre"');
  await here.disconnect({ host: "claude" });
  expect(here.read("~/dotfiles/claude.json")).toBe(CONFIG);
  expect(here.all()).toContain("home/.claude.json");
});

test("the mode stays; what is new is the user's alone, or as a project's files are", async () => {
  const here = ground({ ".mcp.json": CONFIG, "~/.claude.json": CONFIG });
  chmodSync(here.file(".mcp.json"), 0o640);
  chmodSync(here.file("~/.claude.json"), 0o604);
  const mode = (path: string) => (statSync(here.file(path)).mode & 0o777).toString(8);
  await here.connect({ host: "claude", scope: "project" });
  await here.connect({ host: "claude", scope: "user" });
  await here.connect({ host: "codex" });
  expect([mode(".mcp.json"), mode("~/.claude.json"), mode("~/.codex/config.toml")]).toEqual(["640", "604", "600"]);
  expect(mode("~/.cadre/connections.json")).toBe("600");
  await here.disconnect({ host: "claude" });
  expect([mode(".mcp.json"), mode("~/.claude.json")]).toEqual(["640", "604"]);
});

describe("a file that somebody else changes between reading and writing", () => {
  const setUp = (meanwhile: (path: string, turn: number) => void) => {
    const here = ground({ "settings.json": "one" });
    const place = { path: here.file("settings.json"), scope: "project", root: here.project } as const;
    const list = connectionList(here.file("~/.cadre/connections.json"));
    const seen: (string | null)[] = [];
    const decide = (text: string | null): Decision => {
      seen.push(text);
      meanwhile(place.path, seen.length);
      const common = { host: "x", path: place.path, scope: "project", root: here.project, what: "server" } as const;
      return { result: "written", text: `${text}+`, put: { kind: "file", ...common, text: "hash", folders: [] } };
    };
    return { here, list, seen, place, run: () => applyStep(list, { host: "x", what: "server", place, decide }, false) };
  };

  test("is read again", async () => {
    const { here, seen, run } = setUp((path, turn) => {
      if (turn === 1) writeFileSync(path, "two");
    });
    expect(await run()).toMatchObject({ result: "written" });
    expect(seen).toEqual(["one", "two"]);
    expect(here.read("settings.json")).toBe("two+");
  });

  test("is refused when that does not end, and nothing is remembered of it", async () => {
    const { here, list, place, run } = setUp((path, turn) => writeFileSync(path, `theirs ${turn}`));
    await expect(run()).rejects.toThrow(/is being changed by another program/);
    expect(here.read("settings.json")).toBe("theirs 4");
    expect(await list.read()).toEqual([]);
    expect(readdirSync(dirname(place.path))).toEqual(["settings.json"]);
  });

  test("is seen to be new, or gone", async () => {
    const { here } = setUp(() => undefined);
    expect(await readHostFile({ path: here.file("none.json"), scope: "project", root: here.project })).toBeNull();
  });
});

test("several at once forget nothing of each other", async () => {
  const here = ground();
  const hosts = ["claude", "codex", "gemini", "goose", "zed"];
  await Promise.all(hosts.map((host) => here.connect({ host })));
  const { connections } = JSON.parse(here.read("~/.cadre/connections.json")) as { connections: { host: string }[] };
  expect(connections.map(({ host }) => host)).toEqual(hosts);
  await Promise.all(hosts.map((host) => here.disconnect({ host })));
  expect(here.all()).toEqual(["home", "project"]);
});

test("a list of connections that cannot be read is left as it is", async () => {
  const here = ground({ "~/.cadre/connections.json": '{"version": 2, "connections": []}' });
  await expect(here.connect({ host: "claude" })).rejects.toThrow(
    /is not a list of connections that this version can read/,
  );
  expect(here.has(".mcp.json")).toBe(false);
  expect(here.read("~/.cadre/connections.json")).toBe('{"version": 2, "connections": []}');
});
