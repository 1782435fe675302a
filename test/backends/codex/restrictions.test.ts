import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { codex } from "../../../src/backends/codex/codex.ts";
import { PROTECTED_NAMES } from "../../../src/domain/protected-paths.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

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
    ["no secrets", "Read(secrets/**)"],
    ["no rm", "Bash(rm *)"],
    ["no tools", "codex always reads"],
  ] as const)("%s: nothing, the task is refused", async (name, why) => {
    const { refused, started } = await sandboxOf(name);
    expect(refused).toContain(why);
    expect(started).toBeUndefined();
  });

  it("says what it leaves out", async () => {
    const { narrowed } = await sandboxOf("rule on commands");
    expect(narrowed.join("\n")).toContain("these are not given: Bash(git diff *)");
    const asked = await sandboxOf("silent");
    expect(asked.narrowed.join("\n")).not.toContain("Bash");
  });
});
