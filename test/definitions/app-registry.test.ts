// The registry as an app has it: real formats in their real places.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { registryFor, trustFor } from "../../src/app/registry.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

async function setUp(files: Readonly<Record<string, string>>, trusted = true) {
  const root = await temporaryFolder();
  const at = (path: string) => join(root, path);
  for (const folder of ["project", "user"]) await mkdir(at(folder));
  await write(root, files);
  const place = { home: at("project/.cadre"), project: at("project"), userHome: at("user") };
  const trust = trustFor(place, trusted ? [at("project")] : []);
  const registry = registryFor({ place, trust, agents: [{ name: "coded", description: "from code" }], overrides: [] });
  const sourceOf = async (name: string) => (await registry.find(name))?.source;
  return { at, registry, sourceOf };
}

const claude = (name: string) =>
  `---\nname: ${name}\ndescription: ${name} of Claude Code\ntools: Read, Grep, Task\n---\nDo it.\n`;

describe("the agents of an app", () => {
  it("come from code, from files of all programs and from the package, in that order", async () => {
    const { at, registry, sourceOf } = await setUp({
      "project/.cadre/agents/coded.yml": "description: hidden\n",
      "project/.cadre/agents/explore.yml": "description: in the place of the built-in one\n",
      "user/.claude/agents/deep/api.md": claude("api-checker"),
      "project/.claude/agents/plan.md": claude("plan"),
    });
    expect(await sourceOf("coded")).toBe("code");
    expect(await sourceOf("Explore")).toBe(at("project/.cadre/agents/explore.yml"));
    expect(await sourceOf("api-checker")).toBe(at("user/.claude/agents/deep/api.md"));
    expect(await sourceOf("Plan")).toBe(at("project/.claude/agents/plan.md"));
    expect(await sourceOf("oracle")).toBe("built in");
    const hidden = (await registry.list()).problems.filter(({ message }) => message.includes("is hidden by"));
    expect(hidden.map(({ source }) => source)).toEqual([at("project/.cadre/agents/coded.yml"), "built in", "built in"]);
    expect((await registry.find("api-checker"))?.definition).toMatchObject({
      backend: ["claude", "native"],
      source: { from: "claude" },
      tools: expect.not.arrayContaining(["Task"]),
    });
  });

  it("of a project that nobody trusts stand beside, and the others are found", async () => {
    const { sourceOf } = await setUp({ "project/.claude/agents/plan.md": claude("plan") }, false);
    expect(await sourceOf("plan")).toBe("built in");
  });

  it("of Yeet are its profiles completed field by field by its config", async () => {
    const { at, registry } = await setUp({
      "user/.config/yeet/agents/helper.json": JSON.stringify({
        description: "helps",
        prompt: "Help.",
        model: "a/b",
        maxTurns: 5,
      }),
      "user/.config/yeet/agents/other.json": JSON.stringify({ description: "other", prompt: "Other." }),
      "user/.config/yeet/config.json": JSON.stringify({
        agents: { helper: { model: "c/d" }, inline: { description: "in the config", prompt: "In." } },
      }),
    });
    const { problems } = await registry.list();
    expect(problems).toEqual([]);
    expect(await registry.find("helper")).toMatchObject({
      source: at("user/.config/yeet/agents/helper.json"),
      definition: { description: "helps", model: "c/d", max_turns: 5, prompt: "Help." },
    });
    expect((await registry.find("other"))?.definition.prompt).toBe("Other.");
    expect((await registry.find("inline"))?.source).toBe(at("user/.config/yeet/config.json"));
    const before = (await registry.find("helper"))?.definition;
    expect((await registry.find("helper"))?.definition).toBe(before);
    await write(at("."), {
      "user/.config/yeet/config.json": JSON.stringify({ agents: { helper: { model: "changed/model" } } }),
    });
    expect((await registry.find("helper"))?.definition).toMatchObject({ model: "changed/model", max_turns: 5 });
    expect(await registry.find("inline")).toBeUndefined();
  });
});
