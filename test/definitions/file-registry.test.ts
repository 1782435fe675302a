import { execFileSync } from "node:child_process";
import { mkdir, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileRegistry, trustFile } from "../../src/definitions/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { RegistryListing } from "../../src/ports/index.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

const agent = (description: string, name?: string): string =>
  `---\n${name === undefined ? "" : `name: ${name}\n`}description: ${description}\n---\nDo it.\n`;

/** A project, a user's folder and a list of trusted folders, in the order in which an app would have them. */
async function setUp(files: Readonly<Record<string, string | Uint8Array>>) {
  const root = await temporaryFolder();
  await mkdir(join(root, "project"));
  await write(root, files);
  const trust = trustFile(join(root, "home/trust.json"), systemClock);
  const registry = fileRegistry({
    trust,
    layers: [
      { folder: join(root, "project/agents"), label: "project", trustRoot: join(root, "project") },
      { folder: join(root, "user/agents"), label: "user", trustRoot: null },
    ],
  });
  const at = (path: string) => join(root, path);
  return { registry, trust, at, trustProject: () => trust.grant(at("project")) };
}

/** Node has no call for this. */
const makePipe = (path: string): Buffer => execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', path]);

const summary = ({ agents }: RegistryListing): string[] =>
  agents.map(
    ({ definition, trusted }) => `${definition.name}: ${definition.description}${trusted ? "" : " (untrusted)"}`,
  );

describe("the agents of a folder", () => {
  it("are its Markdown and YAML files, in order of their names", async () => {
    const { registry, at } = await setUp({
      "user/agents/b.yml": "description: two\n",
      "user/agents/c.yaml": "description: three\n",
      "user/agents/a.md": agent("one"),
    });
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["a: one", "b: two", "c: three"]);
    expect(listing.problems).toEqual([]);
    expect(listing.agents.map(({ source }) => source)).toEqual(
      ["a.md", "b.yml", "c.yaml"].map((name) => at(`user/agents/${name}`)),
    );
  });

  it("are not drafts, hidden files, other files or those of folders inside", async () => {
    const { registry } = await setUp({
      "user/agents/_draft.md": "broken",
      "user/agents/.hidden.md": "broken",
      "user/agents/notes.txt": "broken",
      "user/agents/README": "broken",
      "user/agents/inside/x.md": agent("x"),
      "user/agents/a.md": agent("one"),
    });
    expect(await registry.list()).toMatchObject({ agents: [{ definition: { name: "a" } }], problems: [] });
  });

  it("are none where there is no folder", async () => {
    const { registry } = await setUp({});
    expect(await registry.list()).toEqual({ agents: [], problems: [] });
    expect(await registry.find("a")).toBeUndefined();
  });

  it("cannot be listed where the folder is something else", async () => {
    const { registry, at } = await setUp({ "user/agents": "a file" });
    const { agents, problems } = await registry.list();
    expect(agents).toEqual([]);
    expect(problems).toEqual([
      { source: at("user/agents"), message: expect.stringContaining("cannot be listed: ENOTDIR") },
    ]);
  });

  it("are found by name, without regard to case, `_` being `-`", async () => {
    const { registry } = await setUp({ "user/agents/Bug_Hunter.md": agent("hunts") });
    for (const name of ["Bug_Hunter", "bug-hunter", "BUG-HUNTER"]) {
      expect((await registry.find(name))?.definition.description, name).toBe("hunts");
    }
    expect(await registry.find("bughunter")).toBeUndefined();
  });
});

describe("a file that cannot be an agent", () => {
  it("is a problem at each of its places, and hides no other file", async () => {
    const { registry, at } = await setUp({
      "user/agents/a.md": agent("one"),
      "user/agents/bad.md": "---\nname: bad\nmax_turns: 0\nmodl: x\n---\n",
      "user/agents/z.md": agent("last"),
    });
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["a: one", "z: last"]);
    expect(listing.problems.map(({ source, message }) => `${source}: ${message}`)).toEqual([
      `${at("user/agents/bad.md")}:1:1: "description" is missing`,
      `${at("user/agents/bad.md")}:3:12: "max_turns" must be above 0, not 0`,
      `${at("user/agents/bad.md")}:4:1: unknown key "modl"; did you mean "model"?`,
    ]);
  });

  it("because it is no text, or too long, is a problem", async () => {
    const { registry, at } = await setUp({
      "user/agents/binary.md": Uint8Array.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]),
      "user/agents/long.md": agent("x".repeat(1024 * 1024)),
      "user/agents/a.md": agent("one"),
    });
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["a: one"]);
    expect(listing.problems).toEqual([
      { source: at("user/agents/binary.md"), message: "is not text in UTF-8" },
      { source: at("user/agents/long.md"), message: "has 1048605 bytes; at most 1048576 are read" },
    ]);
  });

  it("because it is a folder or a pipe is a problem, and holds nobody up", async () => {
    const { registry, at } = await setUp({ "user/agents/folder.md/x.md": agent("x") });
    makePipe(at("user/agents/pipe.md"));
    expect(await registry.list()).toEqual({
      agents: [],
      problems: ["folder.md", "pipe.md"].map((name) => ({
        source: at(`user/agents/${name}`),
        message: "is not a regular file",
      })),
    });
  });

  it("because a link leads out of the folder is a problem; one that stays inside is a file like any other", async () => {
    const { registry, at } = await setUp({
      "elsewhere/secret.md": agent("secret"),
      "user/agents/_shared.md": agent("shared"),
    });
    await symlink(at("elsewhere/secret.md"), at("user/agents/out.md"));
    await symlink(at("nowhere"), at("user/agents/lost.md"));
    await symlink("_shared.md", at("user/agents/in.md"));
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["in: shared"]);
    expect(listing.problems).toEqual([
      { source: at("user/agents/lost.md"), message: expect.stringContaining("cannot be read: ENOENT") },
      { source: at("user/agents/out.md"), message: "is a link that leads out of its folder" },
    ]);
  });

  it("is told from one with a warning, which is listed all the same", async () => {
    const { registry, at } = await setUp({ "user/agents/a.yml": "%YAML 3.0\n---\ndescription: one\n" });
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["a: one"]);
    expect(listing.problems).toEqual([
      { source: at("user/agents/a.yml"), message: "line 1: Unsupported YAML version 3.0" },
    ]);
  });
});

describe("two agents of one name", () => {
  it("in two folders: the first folder's wins, and the other is a problem that names both", async () => {
    const { registry, at, trustProject } = await setUp({
      "project/agents/x.md": agent("mine", "Bug_Hunter"),
      "user/agents/y.md": agent("theirs", "bug-hunter"),
      "user/agents/z.md": agent("other"),
    });
    await trustProject();
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["Bug_Hunter: mine", "z: other"]);
    expect(listing.problems).toEqual([
      {
        source: at("user/agents/y.md"),
        message: `the agent "bug-hunter" is hidden by "Bug_Hunter" in ${at("project/agents/x.md")} (project)`,
      },
    ]);
    expect((await registry.find("bug-hunter"))?.definition.description).toBe("mine");
  });

  it("in one folder: the first by the files' names wins", async () => {
    const { registry, at } = await setUp({
      "user/agents/a.md": agent("first", "same"),
      "user/agents/b.md": agent("second", "same"),
    });
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["same: first"]);
    expect(listing.problems).toEqual([
      {
        source: at("user/agents/b.md"),
        message: `the agent "same" is hidden by "same" in ${at("user/agents/a.md")} (user)`,
      },
    ]);
  });

  it("of which the first is broken: the second one counts", async () => {
    const { registry, trustProject } = await setUp({
      "project/agents/a.md": "broken",
      "user/agents/a.md": agent("one"),
    });
    await trustProject();
    expect((await registry.find("a"))?.definition.description).toBe("one");
  });
});

describe("agents of a folder that nobody trusts", () => {
  const files = {
    "project/agents/same.md": agent("project's"),
    "project/agents/own.md": agent("own"),
    "project/agents/other.md": agent("again", "own"),
    "user/agents/same.md": agent("user's"),
  };

  it("are listed as such, hide nobody and are hidden by nobody", async () => {
    const { registry } = await setUp(files);
    const listing = await registry.list();
    expect(summary(listing)).toEqual([
      "own: again (untrusted)",
      "own: own (untrusted)",
      "same: project's (untrusted)",
      "same: user's",
    ]);
    expect(listing.problems).toEqual([]);
  });

  it("are not found by name", async () => {
    const { registry } = await setUp(files);
    expect(await registry.find("own")).toBeUndefined();
    expect((await registry.find("same"))?.definition.description).toBe("user's");
  });

  it("take part once somebody does, and no longer once it is taken back", async () => {
    const { registry, trust, at, trustProject } = await setUp(files);
    await trustProject();
    expect((await registry.find("same"))?.definition.description).toBe("project's");
    expect((await registry.list()).problems.map(({ source }) => source)).toEqual([
      at("project/agents/own.md"),
      at("user/agents/same.md"),
    ]);
    await trust.revoke(at("project"));
    expect((await registry.find("same"))?.definition.description).toBe("user's");
  });

  it("are not trusted through a link from a folder that is", async () => {
    const { registry, trust, at, trustProject } = await setUp({ "elsewhere/a.md": agent("foreign") });
    await symlink(at("elsewhere"), at("project/agents"));
    await trustProject();
    expect(summary(await registry.list())).toEqual(["a: foreign (untrusted)"]);
    await trust.grant(at("elsewhere"));
    expect(summary(await registry.list())).toEqual(["a: foreign"]);
  });

  it("are trusted by the real path of their project", async () => {
    const { registry, at, trustProject } = await setUp(files);
    await trustProject();
    await rename(at("project"), at("moved"));
    await symlink(at("moved"), at("project"));
    expect(await registry.find("own")).toBeUndefined();
    expect(summary(await registry.list())).toContain("own: own (untrusted)");
  });
});

describe("one folder in two layers", () => {
  it("counts once, trusted if one of them is", async () => {
    const root = await temporaryFolder();
    await write(root, { "agents/a.md": agent("one") });
    await symlink(join(root, "agents"), join(root, "link"));
    const registry = fileRegistry({
      trust: trustFile(join(root, "trust.json"), systemClock),
      layers: [
        { folder: join(root, "agents"), label: "project", trustRoot: root },
        { folder: join(root, "link"), label: "user", trustRoot: null },
      ],
    });
    const listing = await registry.list();
    expect(summary(listing)).toEqual(["a: one"]);
    expect(listing.problems).toEqual([]);
  });
});

describe("a file that has not changed", () => {
  const time = new Date("2026-01-01T00:00:00Z");

  it("is not read again", async () => {
    const { registry, at } = await setUp({ "user/agents/a.md": agent("one") });
    const path = at("user/agents/a.md");
    await utimes(path, time, time);
    const before = await registry.find("a");
    expect(before?.definition.description).toBe("one");
    await writeFile(path, agent("two")); // as long as before
    await utimes(path, time, time);
    expect((await registry.find("a"))?.definition).toBe(before?.definition);
  });

  it("is read again once its time, its size or the file behind its link is another", async () => {
    const { registry, at } = await setUp({ "user/agents/_1.md": agent("one"), "user/agents/_2.md": agent("two") });
    for (const name of ["_1.md", "_2.md"]) await utimes(at(`user/agents/${name}`), time, time);
    const description = async () => (await registry.find("a"))?.definition.description;
    await symlink("_1.md", at("user/agents/a.md"));
    expect(await description()).toBe("one");

    await symlink("_2.md", at("user/agents/new"));
    await rename(at("user/agents/new"), at("user/agents/a.md"));
    expect(await description()).toBe("two");

    await writeFile(at("user/agents/_2.md"), agent("three"));
    await utimes(at("user/agents/_2.md"), time, time);
    expect(await description()).toBe("three");

    await writeFile(at("user/agents/_2.md"), agent("seven"));
    await utimes(at("user/agents/_2.md"), time, new Date(time.getTime() + 1_000));
    expect(await description()).toBe("seven");
  });
});
