import { describe, expect, it } from "vitest";
import { joinRegistries, memoryRegistry } from "../../src/definitions/index.ts";
import { agentKey } from "../../src/domain/agent-names.ts";
import type { RegisteredAgent, Registry } from "../../src/ports/index.ts";
import { AgentDefinition } from "../../src/schema/index.ts";

const define = (name: string, description: string): AgentDefinition => AgentDefinition.parse({ name, description });

function registryWith(agents: readonly RegisteredAgent[], source: string): Registry {
  return {
    list: async () => ({ agents, problems: [{ source, message: "broken" }] }),
    find: async (name) => agents.find(({ definition }) => agentKey(definition.name) === agentKey(name)),
  };
}

describe("agents from code", () => {
  it("are trusted, and found without regard to case", async () => {
    const registry = memoryRegistry([define("Fixer", "fixes")]);
    const expected = { definition: define("Fixer", "fixes"), source: "code", trusted: true };
    expect(await registry.list()).toEqual({ agents: [expected], problems: [] });
    expect(await registry.find("fixer")).toEqual(expected);
    expect(await registry.find("other")).toBeUndefined();
  });

  it("of one name: the first wins, and the other is a problem", async () => {
    const registry = memoryRegistry([define("a_b", "first"), define("A-B", "second")]);
    expect((await registry.find("a-b"))?.definition.description).toBe("first");
    const { agents, problems } = await registry.list();
    expect(agents).toHaveLength(1);
    expect(problems).toEqual([{ source: "code", message: 'the agent "A-B" is hidden by "a_b" in code' }]);
  });
});

describe("registries that are joined", () => {
  const file = (name: string, trusted: boolean): RegisteredAgent => ({
    definition: define(name, `from a file`),
    source: `agents/${name}.md`,
    trusted,
  });

  it("have the agents of all, and the problems of all", async () => {
    const joined = joinRegistries(memoryRegistry([define("a", "from code")]), registryWith([file("b", true)], "x.md"));
    const { agents, problems } = await joined.list();
    expect(agents.map(({ source }) => source)).toEqual(["code", "agents/b.md"]);
    expect(problems).toEqual([{ source: "x.md", message: "broken" }]);
    expect((await joined.find("B"))?.source).toBe("agents/b.md");
  });

  it("give each name to the first that has it, and say whom that hides", async () => {
    const joined = joinRegistries(memoryRegistry([define("A", "from code")]), registryWith([file("a", true)], "x.md"));
    expect((await joined.find("a"))?.source).toBe("code");
    const { agents, problems } = await joined.list();
    expect(agents.map(({ source }) => source)).toEqual(["code"]);
    expect(problems).toContainEqual({ source: "agents/a.md", message: 'the agent "a" is hidden by "A" in code' });
  });

  it("let nobody be hidden or found that is not trusted", async () => {
    const joined = joinRegistries(
      registryWith([file("a", false), file("b", false)], "x.md"),
      memoryRegistry([define("a", "from code")]),
      registryWith([file("A", false)], "y.md"),
    );
    expect((await joined.find("a"))?.source).toBe("code");
    expect(await joined.find("b")).toBeUndefined();
    const { agents, problems } = await joined.list();
    expect(agents.map(({ source, trusted }) => [source, trusted])).toEqual([
      ["agents/a.md", false],
      ["agents/b.md", false],
      ["code", true],
      ["agents/A.md", false],
    ]);
    expect(problems.map(({ source }) => source)).toEqual(["x.md", "y.md"]);
  });

  it("are none when there are none", async () => {
    expect(await joinRegistries().list()).toEqual({ agents: [], problems: [] });
  });
});
