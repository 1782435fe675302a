import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { codex } from "../../../src/backends/codex/codex.ts";
import { PROTECTED_NAMES } from "../../../src/domain/protected-paths.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

const LISTS_CLOSED = fileURLToPath(new URL("fixtures/list-closed.ts", import.meta.url));

/** Where the engine of the tests has what is a task's own. */
const OWN_HOME = "/cadre-home";

interface Config {
  readonly default_permissions: string;
  readonly web_search: string;
  readonly developer_instructions: string;
  readonly permissions: { cadre: { filesystem: Record<string, string>; network: { enabled: boolean } } };
  readonly features: Record<string, boolean>;
  readonly projects: Record<string, { trust_level: string }>;
}

async function sandboxOf(name: keyof typeof AGENTS) {
  const { project, file, ...rest } = await compiled(codex, AGENTS[name], "docs", ".husky", ".github/workflows");
  const text = file(".codex/config.toml");
  const config = text === "" ? undefined : (parse(text) as unknown as Config);
  const scopes = Object.entries(config?.permissions.cadre.filesystem ?? {}).flatMap(([path, access]) => {
    const inside = path === project ? "." : path.startsWith(`${project}/`) ? path.slice(project.length + 1) : undefined;
    const isOwn = inside === undefined || inside.startsWith(".cadre") || PROTECTED_NAMES.includes(inside);
    return isOwn ? [] : [{ inside, access }];
  });
  const having = (wanted: string) => scopes.filter(({ access }) => access === wanted).map(({ inside }) => inside);
  return { ...rest, project, config, read: having("read"), write: having("write") };
}

/** What a reader's commands are kept from in a project with these folders. */
async function deniedWith(...folders: readonly string[]): Promise<string[]> {
  const { project, file } = await compiled(codex, AGENTS.reader, ...folders);
  const { permissions } = parse(file(".codex/config.toml")) as unknown as Config;
  return Object.entries(permissions.cadre.filesystem)
    .flatMap(([path, access]) => (access === "deny" ? [path.slice(project.length + 1)] : []))
    .toSorted();
}

describe("codex's sandbox opens", () => {
  it.each([
    ["silent", ["."], []],
    ["reader", ["."], []],
    ["editor", [], ["."]],
    ["free", [], ["."]],
    ["rule on commands", ["."], []],
    ["docs only", [], ["docs"]],
  ] as const)("%s: reads %j, writes %j, no network", async (name, read, write) => {
    const found = await sandboxOf(name);
    expect(found.refused).toBeUndefined();
    expect({ read: found.read, write: found.write }).toEqual({ read, write });
    expect(found.config?.default_permissions).toBe("cadre");
    expect(found.config?.permissions.cadre.network.enabled).toBe(false);
    expect(found.config?.web_search).toBe("disabled");
    expect(found.config?.features["multi_agent"]).toBe(false);
    expect(found.narrowed[0]).toContain("codex's own sandbox, without network");
  });

  it("the network only where commands and the network are open as a whole", async () => {
    const { config, narrowed } = await sandboxOf("online");
    expect(config?.permissions.cadre.network.enabled).toBe(true);
    expect(config?.web_search).toBe("live");
    expect(narrowed[0]).toContain("with network");
  });

  it("the agent's own plan and folder, where little else may be read", async () => {
    const { config } = await sandboxOf("docs only");
    const own = Object.entries(config?.permissions.cadre.filesystem ?? {}).filter(([path]) =>
      path.startsWith(OWN_HOME),
    );
    expect(own.map(([path, access]) => [path.replace(/task_\w+?_plan/, "task_plan"), access])).toEqual([
      [`${OWN_HOME}/plans/task_plan.md`, "read"],
      [`${OWN_HOME}/workspace`, "read"],
    ]);
  });

  it("nothing of what Cadre keeps, as far as it is there and holds nothing of the attempt's", async () => {
    const names = ["tasks", "logs", "cadre.db-wal", "sessions", "agents"];
    expect(await deniedWith(...names.map((name) => `.cadre/${name}`))).toEqual(
      ["cadre.db-wal", "logs", "tasks"].map((name) => `.cadre/${name}`),
    );
  });

  it("nothing of another home in the project", async () => {
    expect(await deniedWith("packages/x/.cadre/tasks", "packages/.cadre/agents", ".cadre/tasks")).toEqual([
      ".cadre/tasks",
      "packages/.cadre",
      "packages/x/.cadre",
    ]);
  });

  it.each([
    ".serve-token.a.tmp",
    "trust.json.0123456789ab.tmp",
    "trust.json.lock",
    "mcp-auth.json.lock.new-0123",
    "mcp-auth.json.lock.0123",
  ])("%s, as it may be gone before a command starts", async (name) => {
    expect(await deniedWith(`.cadre/${name}`, ".cadre/trust.json")).toEqual([".cadre/trust.json"]);
  });

  it("nothing of what is protected, and no settings of the project", async () => {
    const { config, project } = await sandboxOf("free");
    const closed = config?.permissions.cadre.filesystem ?? {};
    for (const name of [".husky", ".github/workflows"]) expect(closed[`${project}/${name}`]).toBe("read");
    expect(config?.projects[project]).toEqual({ trust_level: "untrusted" });
  });

  it("none of them where it is spelled in another way, nor what is run or believed later", async () => {
    const names = ["Jenkinsfile", ".Github/workflows", "Makefile", "AGENTS.md"];
    const { project, file } = await compiled(codex, AGENTS.free, ...names);
    const { permissions } = parse(file(".codex/config.toml")) as unknown as Config;
    for (const name of names) expect(permissions.cadre.filesystem[`${project}/${name}`]).toBe("read");
  });

  it.each([
    ["that may not be entered either, and so nothing to close", 0o000, []],
    ["in which what is there can be reached by its name", 0o311, [".husky"]],
  ])("a folder that we may not list, %s", (_, mode, names) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, ".husky"));
    chmodSync(folder, mode);
    const { stdout, stderr } = spawnSync(process.execPath, [LISTS_CLOSED, folder], { encoding: "utf8" });
    chmodSync(folder, 0o700);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(names.map((name) => join(folder, name)));
  });

  it.each([
    ["no secrets", "Read(secrets/**)"],
    ["no rm", "Bash(rm *)"],
    ["no tools", "codex always reads"],
  ] as const)("%s: nothing, the task is refused", async (name, why) => {
    const { refused, started } = await sandboxOf(name);
    expect(refused).toContain(why);
    expect(started).toBeUndefined();
  });

  it.each([
    [{ deny: ["Bash"] }, "Bash"],
    [{ ask: ["Bash"] }, "Bash"],
    [{ ask: ["Bash(*)"] }, "Bash(*)"],
    [{ ask: ["Bash(rm *)"] }, "Bash(rm *)"],
  ])("no commands at all, or none that is not asked about, %j: nothing, the task is refused", async (rules, rule) => {
    const { refused, started } = await compiled(codex, { tools: { mode: "denylist", ...rules } });
    expect(refused).toContain(`codex cannot be held to ${rule}:`);
    expect(started).toBeUndefined();
  });

  it("says what it leaves out", async () => {
    const { narrowed } = await sandboxOf("rule on commands");
    expect(narrowed.join("\n")).toContain("these are not given: Bash(git diff *)");
    const asked = await sandboxOf("silent");
    expect(asked.narrowed.join("\n")).not.toContain("Bash");
    const reader = await sandboxOf("reader");
    expect(reader.narrowed.join("\n")).toContain("they run there although Bash is not among the tools");
    const { refused } = await compiled(codex, { tools: ["Read", "List"] });
    expect(refused).toContain("may not use Glob, Grep freely");
  });
});
