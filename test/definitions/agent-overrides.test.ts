import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { builtInRegistry, fileRegistry, joinRegistries, trustFile } from "../../src/definitions/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { RegistryProblem } from "../../src/ports/index.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

interface Configs {
  readonly project?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const AGENTS = {
  "user/.cadre/agents/mine.yml":
    "description: mine\nmax_turns: 20\ntools: [Read, Bash]\nworkspace: {allow_writes: true}\n",
  "project/.cadre/agents/theirs.yml": "description: theirs\nmax_turns: 20\n",
};

async function setUp({ project = "", user = "", env = {} }: Configs) {
  const root = await temporaryFolder();
  await write(root, { ...AGENTS, "project/.cadre/config.yml": project, "user/.cadre/config.yml": user });
  const at = (path: string) => join(root, path);
  const { overrides } = await loadConfig({ userHome: at("user"), home: at("project/.cadre"), env });
  const trust = trustFile(at("trust/trust.json"), systemClock);
  await trust.grant(at("project"));
  const layers = [
    { folder: at("project/.cadre/agents"), label: "project", trustRoot: at("project") },
    { folder: at("user/.cadre/agents"), label: "user", trustRoot: null },
  ];
  const registry = joinRegistries(fileRegistry({ trust, layers, overrides }), builtInRegistry({ overrides }));
  const definition = async (name: string) => (await registry.find(name))?.definition;
  const problems = async () =>
    (await registry.list()).problems.map(({ source, message }: RegistryProblem) => `${source}: ${message}`);
  return { at, trust, registry, definition, problems };
}

describe("agents.<name> of the user's own file", () => {
  it("has other values for an agent's fields, also wider ones, and of any agent", async () => {
    const { definition, problems } = await setUp({
      user: "agents:\n  MINE: {max_turns: 99, model: a/b, workspace: {path: docs}}\n  theirs: {permission_mode: auto}\n  explore: {timeout_mins: 3}\n",
    });
    expect(await definition("mine")).toMatchObject({
      max_turns: 99,
      model: "a/b",
      workspace: { path: "docs", allow_writes: true },
      tools: ["Read", "Bash"],
    });
    expect(await definition("theirs")).toMatchObject({ permission_mode: "auto", max_turns: 20 });
    expect(await definition("Explore")).toMatchObject({ timeout_mins: 3, max_turns: 30 });
    expect(await problems()).toEqual([]);
  });

  it("has the last word over the project's", async () => {
    const { definition } = await setUp({
      user: "agents: {mine: {max_turns: 15}}",
      project: "agents: {mine: {max_turns: 5}}",
    });
    expect((await definition("mine"))?.max_turns).toBe(15);
  });

  it("may only tighten inside an attempt, where it may be an agent's own", async () => {
    const { definition } = await setUp({ user: "agents: {mine: {max_turns: 99}}", env: { CADRE_ATTEMPT: "task_x" } });
    expect((await definition("mine"))?.max_turns).toBe(20);
  });
});

describe("agents.<name> of a project's file", () => {
  it("may tighten what is not its own", async () => {
    const { definition, problems } = await setUp({
      project:
        "agents:\n  mine: {max_turns: 5, budget_usd: 1, tools: [Read], permission_mode: plan, workspace: {allow_writes: false}}\n  explore: {max_turns: 10}\n",
    });
    expect(await definition("mine")).toMatchObject({
      max_turns: 5,
      budget_usd: 1,
      tools: ["Read"],
      permission_mode: "plan",
      workspace: { allow_writes: false },
    });
    expect((await definition("explore"))?.max_turns).toBe(10);
    expect(await problems()).toEqual([]);
  });

  const wider: [field: string, why: string][] = [
    ["max_turns: 21", "a project's file may not raise it above 20"],
    ["timeout_mins: 11", "a project's file may not raise it above 10"],
    ["permission_mode: auto", "a project's file may not widen it (permission mode: auto)"],
    ["tools: [Read, Bash, Write]", "a project's file may not widen it (tools: Write)"],
    ["policy: {network: true}", "a project's file may not widen it (permission mode: default; network: every host)"],
    ["workspace: {path: ..}", "a project's file may only tighten agents that are not its own"],
    ["command: [sh]", "a project's file may only tighten agents that are not its own"],
    ["prompt: Obey me", "a project's file may only tighten agents that are not its own"],
    ["model: evil/model", "a project's file may only tighten agents that are not its own"],
    ["capabilities: [orchestrator]", "a project's file may only tighten agents that are not its own"],
  ];

  it.each(wider)("may not widen what is not its own: %s", async (field, why) => {
    const { at, registry, definition, problems } = await setUp({
      project: `agents: {mine: {${field}, max_output_kb: 7}}`,
    });
    const plain = (await setUp({})).definition;
    expect(await definition("mine")).toEqual({ ...(await plain("mine")), max_output_kb: 7 });
    const name = field.split(":")[0];
    expect(await problems()).toEqual([
      `${at("project/.cadre/config.yml")}:1:10: "${name}" of the agent "mine" stays as it is: ${why}`,
    ]);
    expect((await registry.list()).agents.length).toBeGreaterThan(2);
  });

  it("may do with its own agents as it likes, and what comes of it has to be seen", async () => {
    const calm = await setUp({ project: "agents: {theirs: {model: a/b, max_turns: 99}}" });
    expect(await calm.definition("theirs")).toMatchObject({ model: "a/b", max_turns: 99 });
    const wild = await setUp({ project: "agents: {theirs: {command: [sh, -c, x]}}" });
    await expect(wild.definition("theirs")).rejects.toMatchObject({
      code: "agent.untrusted",
      message: expect.stringContaining("runs: sh -c x"),
    });
  });
});

describe("a configuration with agents", () => {
  const wrong: [text: string, message: string][] = [
    ["agents: 5", 'config.yml:1:1: "agents" is a map: write the names of agents below it'],
    ["agents:\n  mine: 5", 'config.yml:2:3: "agents.mine" is a map: write fields of the agent below it'],
    ["agents:\n  a b: {}", 'config.yml:2:3: "a b" cannot be an agent\'s name'],
    ["agents:\n  mine: {max_turnz: 5}", 'unknown key "max_turnz" of "agents.mine"; did you mean "max_turns"?'],
    ["agents:\n  mine: {max_turns: many}", '"max_turns" of "agents.mine": '],
    ["agents:\n  mine: {name: other}", '"name" of "agents.mine" cannot be set here'],
    ["agents:\n  mine: {}\n  MINE: {}", 'config.yml:3:3: "agents.MINE" stands here twice'],
    ["agents:\n  mine: {max_turns: 1, max_turns: 2}", 'config.yml:2:3: "agents.mine": "max_turns" stands there twice'],
    ["agents:\n  mine: {__proto__: {max_turns: 1}}", '"agents.mine": "__proto__" cannot be a key'],
    ["agents:\n  __proto__: {max_turns: 1}", '"__proto__" cannot be an agent\'s name'],
    ["agents:\n  mine: {prompt: &p x, query: *p}", '"agents.mine": aliases are not supported here'],
    [`agents:\n  mine: {output: {schema: ${"{a: ".repeat(40)}1${"}".repeat(40)}}}`, "this is nested more than 32 deep"],
    ["agents:\n  mine: {source: {from: x, file: y}}", '"source" of "agents.mine" cannot be set here'],
  ];

  it.each(wrong)("that is wrong is refused with its place: %j", async (user, message) => {
    await expect(setUp({ user })).rejects.toMatchObject({
      code: "definition.invalid",
      message: expect.stringContaining(message),
    });
  });

  it("that names nobody who is there, or nobody at all, changes nothing", async () => {
    const { problems } = await setUp({ user: "agents:\n  nobody: {max_turns: 1}\n", project: "agents:\n" });
    expect(await problems()).toEqual([]);
  });
});
