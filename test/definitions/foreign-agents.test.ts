import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentLayers, fileRegistry, type ForeignFormats, trustFile } from "../../src/definitions/index.ts";
import type { Format, FormatId } from "../../src/definitions/formats/format.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { RegistryListing } from "../../src/ports/index.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

/** `name: description` in each line; a line without a colon is a mistake, and `throw` throws. */
const format = (id: FormatId): Format => ({
  id,
  label: id,
  places: [],
  read: ({ text, below }) =>
    text.split("\n").map((line) => {
      const [name = "", description] = line.split(": ");
      if (name === "throw") throw new Error("a reader may not\nthrow");
      if (description === undefined) return { ok: false, problem: `${below}:\n no description` } as const;
      const backend = name === "driven" ? "codex" : undefined;
      const definition = AgentDefinition.parse({ name, description, backend });
      const remarks = [
        { kind: "narrowed", field: "tools", message: "Task is not given" },
        { kind: "kept", field: "color", message: "red" },
      ] as const;
      return { ok: true, definition, remarks } as const;
    }),
});

async function setUp(files: Readonly<Record<string, string>>) {
  const root = await temporaryFolder();
  await mkdir(join(root, "project"));
  await mkdir(join(root, "user"));
  await write(root, files);
  const loaded: FormatId[] = [];
  const formats: ForeignFormats = {
    places: {
      claude: [
        { of: "user", path: ".claude/agents", isRecursive: true, endings: [".md"] },
        { of: "project", path: ".claude/agents", isRecursive: true, endings: [".md"] },
      ],
      gencode: [
        { of: "project", path: ".gen/agents", endings: [".md"] },
        { of: "user", path: ".gen/agents", endings: [".md"] },
      ],
      copilot: [{ of: "project", path: ".github/agents", endings: [".agent.md"] }],
      roo: [{ of: "project", path: ".roomodes", isFile: true, endings: [] }],
    },
    load: async (id) => {
      loaded.push(id);
      return format(id);
    },
  };
  const trust = trustFile(join(root, "trust/trust.json"), systemClock);
  const at = (path: string) => join(root, path);
  const layers = agentLayers({ home: at("project/.cadre"), project: at("project"), userHome: at("user") }, formats);
  const registry = fileRegistry({ trust, layers });
  return { registry, layers, loaded, at, trustProject: () => trust.grant(at("project")) };
}

const summary = ({ agents }: RegistryListing): string[] =>
  agents.map(
    ({ definition, trusted }) => `${definition.name}: ${definition.description}${trusted ? "" : " (untrusted)"}`,
  );

describe("agents of other programs", () => {
  it("are looked for after ours, program by program, each one's project before its user", async () => {
    const { layers, at } = await setUp({});
    expect(layers.map(({ label, folder, only = "" }) => `${label}: ${join(folder, only)}`)).toEqual([
      `project: ${at("project/.cadre/agents")}`,
      `user: ${at("user/.cadre/agents")}`,
      `gencode, project: ${at("project/.gen/agents")}`,
      `gencode, user: ${at("user/.gen/agents")}`,
      `claude, project: ${at("project/.claude/agents")}`,
      `claude, user: ${at("user/.claude/agents")}`,
      `copilot, project: ${at("project/.github/agents")}`,
      `roo, project: ${at("project/.roomodes")}`,
    ]);
  });

  it("hide each other in that order, and everybody who is hidden is named", async () => {
    const { registry, at, trustProject } = await setUp({
      "project/.cadre/agents/a.yml": "description: one\n",
      "user/.cadre/agents/a.yml": "description: two\n",
      "project/.gen/agents/x.md": "A: 3\nb: 3",
      "user/.gen/agents/x.md": "b: 4\nc: 4",
      "project/.claude/agents/x.md": "c: 5\nd: 5",
      "user/.claude/agents/x.md": "d: 6",
    });
    await trustProject();
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["a: one", "b: 3", "c: 4", "d: 5"]);
    expect(listing.problems.map(({ source, message }) => `${source}: ${message}`)).toEqual([
      `${at("user/.cadre/agents/a.yml")}: the agent "a" is hidden by "a" in ${at("project/.cadre/agents/a.yml")} (project)`,
      `${at("project/.gen/agents/x.md")}: the agent "A" is hidden by "a" in ${at("project/.cadre/agents/a.yml")} (project)`,
      `${at("user/.gen/agents/x.md")}: the agent "b" is hidden by "b" in ${at("project/.gen/agents/x.md")} (gencode, project)`,
      `${at("project/.claude/agents/x.md")}: the agent "c" is hidden by "c" in ${at("user/.gen/agents/x.md")} (gencode, user)`,
      `${at("user/.claude/agents/x.md")}: the agent "d" is hidden by "d" in ${at("project/.claude/agents/x.md")} (claude, project)`,
    ]);
  });

  it("say where they are from, prefer the program they were written for, and what was narrowed", async () => {
    const { registry, at } = await setUp({
      "user/.claude/agents/x.md": "a: 1\ndriven: 2",
      "user/.gen/agents/y.md": "g: 3",
    });
    expect(await registry.find("a")).toMatchObject({
      definition: { backend: ["claude", "native"], source: { from: "claude", file: at("user/.claude/agents/x.md") } },
      notes: ["narrowed: tools: Task is not given"],
    });
    expect((await registry.find("driven"))?.definition.backend).toBe("codex");
    expect((await registry.find("g"))?.definition.backend).toEqual(["native"]);
  });

  it("of a project need the trust in the project, like ours", async () => {
    const { registry, trustProject } = await setUp({
      "project/.claude/agents/x.md": "a: project's",
      "user/.claude/agents/x.md": "a: user's",
      "project/.roomodes": "mode: one",
    });
    expect(summary(await registry.list())).toEqual(["a: project's (untrusted)", "a: user's", "mode: one (untrusted)"]);
    expect((await registry.find("a"))?.definition.description).toBe("user's");
    await trustProject();
    expect((await registry.find("a"))?.definition.description).toBe("project's");
  });

  it("lie in folders below, in files of the right ending and in single files, and nowhere else", async () => {
    const { registry, trustProject } = await setUp({
      "project/.claude/agents/deep/er/x.md": "deep: 1",
      "project/.claude/agents/_drafts/x.md": "draft: 1",
      "project/.claude/agents/.hidden/x.md": "hidden: 1",
      "project/.claude/agents/node_modules/x.md": "module: 1",
      "project/.claude/agents/_x.md": "draft: 1",
      "project/.claude/agents/x.txt": "text: 1",
      "project/.gen/agents/deep/x.md": "not-recursive: 1",
      "project/.github/agents/x.md": "no: 1",
      "project/.github/agents/x.agent.md": "copilot: 1",
      "project/.roomodes": "mode: 1",
      "project/.other": "no: 1",
    });
    await trustProject();
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["deep: 1", "copilot: 1", "mode: 1"]);
    expect(listing.problems).toEqual([]);
  });

  it("are not read through links that leave their folder, or for ever", async () => {
    const { registry, at, trustProject } = await setUp({
      "project/.claude/agents/a.md": "a: 1",
      "secret/s.md": "secret: 1",
      "project/.claude/agents/1/2/3/4/5/6/7/x.md": "seven: 1",
      "project/.claude/agents/1/2/3/4/5/6/7/8/x.md": "eight: 1",
    });
    await symlink(at("secret"), at("project/.claude/agents/folder"));
    await symlink(at("secret/s.md"), at("project/.claude/agents/out.md"));
    await symlink("..", at("project/.claude/agents/loop"));
    await trustProject();
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["seven: 1", "a: 1"]);
    expect(listing.problems).toEqual([
      { source: at("project/.claude/agents/out.md"), message: "is a link that leads out of its folder" },
    ]);
  });

  it("whose file is wrong are one line, and hide no others", async () => {
    const { registry, at } = await setUp({
      "user/.claude/agents/a.md": "broken",
      "user/.claude/agents/b.md": "throw",
      "user/.claude/agents/c.md": "c: 1\nbroken\nd: 2",
    });
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["c: 1", "d: 2"]);
    expect(listing.problems).toEqual([
      { source: at("user/.claude/agents/a.md"), message: "a.md: no description" },
      { source: at("user/.claude/agents/b.md"), message: "cannot be read: a reader may not" },
      { source: at("user/.claude/agents/c.md"), message: "c.md: no description" },
    ]);
  });

  it("load the reader of a format only where there is something to read", async () => {
    const { registry, loaded } = await setUp({ "user/.claude/agents/a.md": "a: 1" });
    await registry.list();
    await registry.list();
    expect(loaded).toEqual(["claude"]);
  });

  it("of a program that is a file where a folder should be are none", async () => {
    const { registry, at } = await setUp({ "user/.claude": "a file", "user/.gen/agents": "a file" });
    expect(await registry.list()).toEqual({
      agents: [],
      problems: [{ source: at("user/.gen/agents"), message: expect.stringContaining("cannot be listed: ENOTDIR") }],
    });
  });
});
