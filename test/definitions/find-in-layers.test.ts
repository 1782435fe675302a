// One agent by its name, in layers: the same one that a listing would show, and no look further than it takes.
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentText, TextReader } from "../../src/definitions/agent-file.ts";
import { fileRegistry, trustFile } from "../../src/definitions/index.ts";
import { ownReader } from "../../src/definitions/own-reader.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

const PLACES = ["first", "second", "third"] as const;

interface Wishes {
  readonly files: Readonly<Record<string, string>>;
  /** Those whose trust has to be asked for; the others are the user's own. */
  readonly projects?: readonly string[];
  readonly readers?: Readonly<Partial<Record<string, TextReader>>>;
}

async function setUp({ files, projects = [], readers = {} }: Wishes) {
  const root = await temporaryFolder();
  await write(root, files);
  const trust = trustFile(join(root, "home/trust.json"), systemClock);
  const at = (path: string) => join(root, path);
  const layers = PLACES.map((label) => ({
    folder: at(`${label}/agents`),
    label,
    trustRoot: projects.includes(label) ? at(label) : null,
    reader: readers[label],
  }));
  return { registry: fileRegistry({ trust, layers }), trust, at };
}

const agent = (description: string): string => `description: ${description}\n`;

describe("an agent that is looked for by its name", () => {
  it("is the first layer's that has it, and what comes after that one is not read", async () => {
    const read: string[] = [];
    const reader: TextReader = {
      id: "counting",
      read: (text) => {
        read.push(text.below);
        return ownReader.read(text);
      },
    };
    const { registry } = await setUp({
      files: { "first/agents/a.yml": agent("one"), "second/agents/b.yml": agent("two"), "third/agents/c.yml": "{" },
      readers: { first: reader, second: reader, third: reader },
    });
    expect(await registry.find("a")).toMatchObject({ definition: { description: "one" } });
    expect(read).toEqual(["a.yml"]);
    expect(await registry.find("B")).toMatchObject({ definition: { description: "two" } });
    expect(read).toEqual(["a.yml", "b.yml"]);
    expect(await registry.find("c")).toBeUndefined();
    expect(read).toEqual(["a.yml", "b.yml", "c.yml"]);
  });

  it("is seen as it is now: a file that came, that changed, and trust that was taken back", async () => {
    const { registry, trust, at } = await setUp({
      files: { "first/agents/other.yml": agent("o"), "second/agents/a.yml": agent("two") },
      projects: ["first"],
    });
    await trust.grant(at("first"));
    expect(await registry.find("a")).toMatchObject({ definition: { description: "two" } });
    await write(at("first"), { "agents/a.yml": agent("one") });
    expect(await registry.find("a")).toMatchObject({ definition: { description: "one" } });
    await write(at("first"), { "agents/a.yml": agent("one, and changed") });
    expect(await registry.find("a")).toMatchObject({ definition: { description: "one, and changed" } });
    await trust.revoke(at("first"));
    expect(await registry.find("a")).toMatchObject({ definition: { description: "two" } });
  });

  it("is not another one where the first of that name is unseen", async () => {
    const { registry, trust, at } = await setUp({
      files: {
        "first/agents/a.yml": `${agent("one")}command: [rm, -rf, /]\n`,
        "second/agents/a.yml": agent("two"),
      },
      projects: ["first"],
    });
    expect(await registry.find("a")).toMatchObject({ definition: { description: "two" } });
    await trust.grant(at("first"));
    await expect(registry.find("a")).rejects.toMatchObject({ code: "agent.untrusted" });
  });

  it("has the rank of the first place that its folder is in, whichever of them is trusted", async () => {
    const { registry, at } = await setUp({
      files: { "third/agents/a.yml": agent("three"), "second/agents/a.yml": agent("two"), "first/x": "" },
      projects: ["first"],
    });
    await symlink(at("third/agents"), at("first/agents"));
    const { agents } = await registry.list();
    expect(agents).toMatchObject([{ definition: { description: "three" }, trusted: true }]);
    expect(await registry.find("a")).toEqual(agents[0]);
  });

  it("is made of all its files, where files complete each other", async () => {
    const reader: TextReader = {
      id: "together",
      read: async (text) => ({ agents: [], problems: [], text }),
      together: async (texts: readonly AgentText[]) => {
        const description = texts.map(({ text }) => text).join("+");
        const definition = AgentDefinition.parse({ name: "a", description });
        return [{ path: "joined", agents: [{ definition, notes: [] }], problems: [] }];
      },
    };
    const { registry } = await setUp({
      files: { "first/agents/x.yml": "one", "second/agents/a.yml": agent("alone"), "third/agents/y.yml": "three" },
      readers: { first: reader, third: reader },
    });
    expect(await registry.find("a")).toMatchObject({ definition: { description: "one+three" } });
  });
});
