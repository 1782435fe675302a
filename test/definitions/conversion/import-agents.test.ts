import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { definitionIn } from "../read.ts";
import { write } from "../temporary-folder.ts";
import { importWish, project } from "./a-project.ts";

const REVIEWER = "---\nname: reviewer\ndescription: Reviews code\ntools: Read, Grep\ncolor: blue\n---\nReview it.\n";
const CLAUDE = { ".claude/agents/reviewer.md": REVIEWER };
const OURS = ".cadre/agents/reviewer.yml";

const fromClaude = importWish({ from: "claude" });

describe("what an import writes:", () => {
  test("one file of ours per agent, which says where it came from and who is to run it", async () => {
    const { conversion, text, files } = await project(CLAUDE);
    const rows = await conversion.import(fromClaude);
    expect(rows).toMatchObject([
      { agent: "reviewer", from: "claude", source: ".claude/agents/reviewer.md", file: OURS, result: "written" },
    ]);
    expect(rows[0]?.remarks.map(({ kind, field }) => `${kind} ${field}`)).toContain("kept color");
    expect(definitionIn(await text(OURS), OURS)).toMatchObject({
      name: "reviewer",
      description: "Reviews code",
      prompt: "Review it.",
      tools: ["Read", "Grep"],
      backend: "claude",
      source: { from: "claude", file: ".claude/agents/reviewer.md", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      x: { claude: { color: "blue" } },
    });
    expect(await files()).toEqual([OURS, ".claude/agents/reviewer.md"]);
  });

  test("nothing, when it is dry", async () => {
    const { conversion, files } = await project(CLAUDE);
    expect(await conversion.import({ ...fromClaude, dry: true })).toMatchObject([{ result: "written", file: OURS }]);
    expect(await files()).toEqual([".claude/agents/reviewer.md"]);
  });

  test("the user's own agents only with --all, by a path that does not name the user", async () => {
    const { conversion, userHome } = await project(CLAUDE);
    await write(userHome, { ".claude/agents/mine.md": REVIEWER.replace("name: reviewer", "name: mine") });
    expect((await conversion.import(fromClaude)).map(({ agent }) => agent)).toEqual(["reviewer"]);
    const rows = await conversion.import({ ...fromClaude, all: true });
    expect(rows).toMatchObject([{ result: "unchanged" }, { agent: "mine", source: "~/.claude/agents/mine.md" }]);
  });

  test("agents of programs that Cadre does not drive run on native", async () => {
    const { conversion, text } = await project({ ".glee/agents/a.yml": "name: a\ndescription: d\nprompt: p\n" });
    await conversion.import(importWish({ from: "glee" }));
    expect(definitionIn(await text(".cadre/agents/a.yml"), "a.yml").backend).toBe("native");
  });

  test("a prompt that is too long for YAML becomes a body", async () => {
    const prompt = "A long line of a long prompt.\n".repeat(4000).trim();
    const { conversion, text } = await project({
      ".claude/agents/a.md": `---\nname: a\ndescription: d\n---\n${prompt}\n`,
    });
    expect(await conversion.import(fromClaude)).toMatchObject([{ result: "written", file: ".cadre/agents/a.md" }]);
    expect(definitionIn(await text(".cadre/agents/a.md"), "a.md").prompt).toBe(prompt);
    expect(await conversion.import(fromClaude)).toMatchObject([{ result: "unchanged" }]);
  });

  test("what only looks like an input is escaped where there are inputs", async () => {
    const glee = "name: a\ndescription: d\nprompt: Look at ${target}, and at ${HOME}.\ninputs:\n  - { name: target }\n";
    const { conversion, text } = await project({ ".glee/agents/a.yml": glee });
    expect(await conversion.import(importWish({ from: "glee" }))).toMatchObject([{ result: "written" }]);
    expect(definitionIn(await text(".cadre/agents/a.yml"), "a.yml").prompt).toBe("Look at ${target}, and at $${HOME}.");
  });
});

describe("importing again:", () => {
  test("changes nothing while the original is the same, whenever it is", async () => {
    const { conversion, text, wait } = await project(CLAUDE);
    await conversion.import(fromClaude);
    const before = await text(OURS);
    await wait(60_000);
    expect(await conversion.import(fromClaude)).toMatchObject([{ result: "unchanged" }]);
    expect(await text(OURS)).toBe(before);
  });

  test("takes up what is new in the original if nobody has edited the import", async () => {
    const { conversion, put, text } = await project(CLAUDE);
    await conversion.import(fromClaude);
    await put({ ".claude/agents/reviewer.md": REVIEWER.replace("Review it.", "Review it well.") });
    expect(await conversion.import(fromClaude)).toMatchObject([{ result: "updated" }]);
    expect(await text(OURS)).toContain("Review it well.");
  });

  test.each([
    ["a changed field", (text: string) => text.replace("Reviews code", "Reviews")],
    ["only a comment", (text: string) => `${text}# mine\n`],
    ["a mistake", (text: string) => `${text}nonsense\n`],
    ["no checksum any more", (text: string) => text.replace(/^# checksum.*\n/m, "")],
  ])("an import with %s is overwritten only with --update", async (what, edit) => {
    const { conversion, put, text } = await project(CLAUDE);
    await conversion.import(fromClaude);
    const edited = edit(await text(OURS));
    await put({ [OURS]: edited, ".claude/agents/reviewer.md": `${REVIEWER}More.\n` });
    const [row] = await conversion.import(fromClaude);
    expect(row, what).toMatchObject({ result: "refused", message: expect.stringContaining("--update") });
    expect(await text(OURS)).toBe(edited);
    expect(await conversion.import({ ...fromClaude, update: true })).toMatchObject([{ result: "updated" }]);
    expect(await text(OURS)).toContain("More.");
  });

  test("an agent that was not imported from that file is never overwritten", async () => {
    const own = "description: Mine\nprompt: Mine.\n";
    const { conversion, text } = await project({ ...CLAUDE, [OURS]: own });
    expect(await conversion.import({ ...fromClaude, update: true })).toMatchObject([
      { result: "refused", message: expect.stringContaining("written here") },
    ]);
    expect(await text(OURS)).toBe(own);
  });

  test("nor is a second file made for a name that another file of ours has", async () => {
    const { conversion, files } = await project({
      ...CLAUDE,
      ".cadre/agents/Other.md": "---\nname: Reviewer\ndescription: d\n---\nx\n",
    });
    expect(await conversion.import({ ...fromClaude, update: true })).toMatchObject([
      { result: "refused", message: expect.stringContaining(".cadre/agents/Other.md") },
    ]);
    expect(await files()).not.toContain(OURS);
  });
});

describe("one bad file does not stop the others:", () => {
  test("what cannot be read is a row that failed", async () => {
    const { conversion } = await project({
      ...CLAUDE,
      ".claude/agents/a-broken.md": "---\nname: broken\n---\nx\n",
      ".claude/agents/z-same.md": REVIEWER,
    });
    expect(await conversion.import(fromClaude)).toMatchObject([
      { agent: null, result: "failed", message: expect.stringContaining("description") },
      { agent: "reviewer", result: "written" },
      { agent: "reviewer", result: "refused", message: expect.stringContaining("taken already") },
    ]);
  });

  test("a program that nobody knows, or none, is the caller's mistake", async () => {
    const { conversion } = await project({});
    await expect(conversion.import(importWish({ from: "claud" }))).rejects.toThrow('did you mean "claude"?');
    await expect(conversion.import(importWish({}))).rejects.toThrow("needs a program or a file");
  });
});

describe("one file:", () => {
  test("is read as what it is, wherever it lies", async () => {
    const { conversion } = await project({
      "elsewhere/reviewer.md": REVIEWER,
      "x.toml": 'name = "x"\ndescription = "d"\ndeveloper_instructions = "p"\n',
    });
    expect(await conversion.import(importWish({ file: "elsewhere/reviewer.md" }))).toMatchObject([
      { from: "claude", result: "written" },
    ]);
    expect(await conversion.import(importWish({ file: "x.toml" }))).toMatchObject([
      { from: "codex", result: "written" },
    ]);
  });

  test("is read as the program that was named", async () => {
    const { conversion } = await project({ "reviewer.md": REVIEWER });
    expect(await conversion.import(importWish({ file: "reviewer.md", from: "qwen" }))).toMatchObject([
      { from: "qwen" },
    ]);
  });

  test("that could be anybody's needs a word", async () => {
    const { conversion } = await project({ "reviewer.txt": "hello" });
    await expect(conversion.import(importWish({ file: "reviewer.txt" }))).rejects.toThrow("nobody can tell");
    expect(await conversion.import(importWish({ file: "missing.md" }))).toMatchObject([{ result: "failed" }]);
  });
});

describe("nothing leads out of the folder:", () => {
  test.each(["../../escape", "a/b", "..", "/etc/x"])("an agent that is called %j", async (name) => {
    const { conversion, files } = await project({
      ".claude/agents/a.md": `---\nname: "${name}"\ndescription: d\n---\nx\n`,
    });
    const rows = await conversion.import(fromClaude);
    for (const { file } of rows) expect(file ?? ".cadre/agents/").toMatch(/^\.cadre\/agents\/[\w-]*(\.yml)?$/);
    expect((await files()).filter((path) => !/^\.(cadre|claude)\/agents\/[\w.-]+$/.test(path))).toEqual([]);
  });

  test("an agents folder that is a link is refused", async () => {
    const { conversion, root, files } = await project({ ...CLAUDE, ".gemini/agents/keep.md": "" });
    await mkdir(join(root, ".cadre"));
    await symlink(join(root, ".gemini/agents"), join(root, ".cadre/agents"));
    expect(await conversion.import(fromClaude)).toMatchObject([
      { result: "refused", message: expect.stringContaining("is a link") },
    ]);
    expect((await files()).filter((path) => path.endsWith(".yml"))).toEqual([]);
  });

  test("a target that is a link is left alone, and so is what it leads to", async () => {
    const { conversion, root, text } = await project({ ...CLAUDE, "precious.yml": "precious" });
    await mkdir(join(root, ".cadre/agents"), { recursive: true });
    await symlink(join(root, "precious.yml"), join(root, OURS));
    expect(await conversion.import({ ...fromClaude, update: true })).toMatchObject([{ result: "refused" }]);
    expect(await text("precious.yml")).toBe("precious");
  });

  test("a hard link is replaced, not written through", async () => {
    const { conversion, root, text } = await project({ ...CLAUDE });
    await conversion.import(fromClaude);
    await link(join(root, OURS), join(root, "other.yml"));
    const before = await text("other.yml");
    await writeFile(join(root, ".claude/agents/reviewer.md"), `${REVIEWER}More.\n`);
    expect(await conversion.import(fromClaude)).toMatchObject([{ result: "updated" }]);
    expect(await text("other.yml")).toBe(before);
  });
});
