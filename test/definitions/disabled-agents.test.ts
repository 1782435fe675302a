import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import {
  builtInRegistry,
  fileRegistry,
  joinRegistries,
  memoryRegistry,
  trustFile,
  withoutDisabled,
} from "../../src/definitions/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

interface Configs {
  readonly project?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function setUp({ project = "", user = "", env = {} }: Configs) {
  const root = await temporaryFolder();
  await write(root, {
    "user/.cadre/agents/mine.yml": "description: mine\n",
    "project/.cadre/agents/theirs.yml": "description: theirs\n",
    "project/.cadre/config.yml": project,
    "user/.cadre/config.yml": user,
  });
  const at = (path: string) => join(root, path);
  const { overrides } = await loadConfig({ userHome: at("user"), home: at("project/.cadre"), env });
  const trust = trustFile(at("trust/trust.json"), systemClock);
  const layers = [
    { folder: at("project/.cadre/agents"), label: "project", trustRoot: at("project") },
    { folder: at("user/.cadre/agents"), label: "user", trustRoot: null },
  ];
  const joined = joinRegistries(
    memoryRegistry([AgentDefinition.parse({ name: "coded", description: "from code" })]),
    fileRegistry({ trust, layers, overrides }),
    builtInRegistry({ overrides }),
  );
  const registry = withoutDisabled(joined, overrides);
  const names = async () => (await registry.list()).agents.map(({ definition }) => definition.name);
  const messages = async () => (await registry.list()).problems.map(({ message }) => message);
  return { at, registry, names, messages };
}

const off = (...names: string[]) => `agents:\n${names.map((name) => `  ${name}: { enabled: false }\n`).join("")}`;
const on = (name: string) => `agents:\n  ${name}: { enabled: true }\n`;

describe("an agent that the settings disable", () => {
  it.each(["mine", "theirs", "coded", "Explore"])(
    "is not listed, nor found, wherever it comes from: %s",
    async (name) => {
      const { at, registry, names, messages } = await setUp({ user: off(name.toUpperCase()) });
      expect(await names()).not.toContain(name);
      const where = `${at("user/.cadre/config.yml")}:2:3`;
      expect(await messages()).toEqual([
        `the agent "${name}" is disabled by the user's settings (${where}). To enable it, take "enabled: false" out there.`,
      ]);
      await expect(registry.find(name)).rejects.toMatchObject({
        code: "agent.disabled",
        message: expect.stringContaining(where),
        hint: 'To enable it, take "enabled: false" out there.',
      });
    },
  );

  it("is not found by another name either", async () => {
    const { registry } = await setUp({ user: off("help") });
    await expect(registry.find("cli-help")).rejects.toMatchObject({ code: "agent.disabled" });
  });

  it("leaves the others as they are, also where nobody has that name", async () => {
    const { registry, names, messages } = await setUp({ user: off("nobody") });
    expect(await names()).toContain("mine");
    expect(await messages()).toEqual([]);
    expect(await registry.find("nobody")).toBeUndefined();
    expect((await registry.find("mine"))?.source).toContain("mine.yml");
  });

  it("keeps its other fields to itself", async () => {
    const { registry } = await setUp({ user: "agents: { mine: { enabled: true, max_turns: 3 } }" });
    expect((await registry.find("mine"))?.definition.max_turns).toBe(3);
    expect((await registry.list()).problems).toEqual([]);
  });
});

describe("who has the last word on it:", () => {
  it("a project may disable any agent, and says how the user enables it", async () => {
    const { registry, names, messages } = await setUp({ project: off("mine", "Explore") });
    expect(await names()).not.toContain("mine");
    expect(await messages()).toContainEqual(
      expect.stringContaining("To enable it, set agents.mine.enabled to true in the user's own settings."),
    );
    await expect(registry.find("explore")).rejects.toMatchObject({ code: "agent.disabled" });
  });

  it("the user enables again what a project disabled", async () => {
    const { names, messages } = await setUp({ project: off("mine"), user: on("mine") });
    expect(await names()).toContain("mine");
    expect(await messages()).toEqual([]);
  });

  it("a project does not enable what the user disabled", async () => {
    const { names } = await setUp({ project: on("mine"), user: off("mine") });
    expect(await names()).not.toContain("mine");
  });

  it("inside of an attempt a file may be an agent's own: it only disables", async () => {
    const env = { CADRE_ATTEMPT: "x" };
    expect(await (await setUp({ project: off("mine"), user: on("mine"), env })).names()).not.toContain("mine");
    expect(await (await setUp({ user: off("mine"), env })).names()).not.toContain("mine");
  });
});

it("enabled is true or false, and guessed at", async () => {
  await expect(setUp({ user: "agents: { mine: { enabled: maybe } }" })).rejects.toThrow(
    '"enabled" of "agents.mine" must be true or false, not "maybe"',
  );
  await expect(setUp({ user: "agents: { mine: { enable: false } }" })).rejects.toThrow('did you mean "enabled"?');
});
