import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FORMATS } from "../../../src/definitions/formats/format.ts";
import { loadFormat } from "../../../src/definitions/formats/index.ts";
import type { ExportWish } from "../../../src/ports/index.ts";
import { importWish, project } from "./a-project.ts";

const wish = (change: Partial<ExportWish>): ExportWish => ({
  agents: [],
  all: false,
  to: "claude",
  dry: false,
  update: false,
  allowLoss: false,
  ...change,
});

const READER = { name: "reader", description: "Reads", prompt: "Read it.", tools: ["Read", "Grep"] };
const BOUND = { ...READER, name: "bound", max_turns: 5 };

/** Odd on purpose: comments, quotes, order, line ends and a missing last line break all have to come back. */
const ODD =
  '---\r\n# mine\r\ndescription:   "Reviews: code"\r\nname: odd\r\ntools:   [Read,Grep]\r\ncolor: blue # sky\r\n---\r\n\r\nReview it.\r\n\r\n';

describe("byte for byte:", () => {
  test("an imported file that nobody touched comes back as it was", async () => {
    const { conversion, text } = await project({ ".claude/agents/odd.md": ODD });
    await conversion.import(importWish({ from: "claude" }));
    const rows = await conversion.export(wish({ agents: ["odd"], out: "back" }));
    expect(rows).toMatchObject([{ result: "written", isOriginal: true, file: "back/odd.md", remarks: [] }]);
    expect(await text("back/odd.md")).toBe(ODD);
  });

  test("and one that was only found, not imported", async () => {
    const { conversion } = await project({ ".claude/agents/odd.md": ODD });
    expect(await conversion.export(wish({ agents: ["odd"], out: null }))).toMatchObject([
      { text: ODD, isOriginal: true },
    ]);
  });

  test.each([
    ["the import was edited", ".cadre/agents/odd.yml", (text: string) => text.replace("Review it.", "Review all.")],
    ["the original was edited", ".claude/agents/odd.md", (text: string) => text.replace("Review it.", "Review none.")],
  ])("not if %s: then it is written anew, with what was kept aside", async (_, path, edit) => {
    const { conversion, text, put } = await project({ ".claude/agents/odd.md": ODD });
    await conversion.import(importWish({ from: "claude" }));
    await put({ [path]: edit(await text(path)) });
    const [row] = await conversion.export(wish({ agents: ["odd"], out: null }));
    expect(row).toMatchObject({ isOriginal: false, result: "shown" });
    expect(row?.text).toContain("color: blue");
    expect(row?.text).not.toContain("none");
  });

  test("not if the original is gone", async () => {
    const { conversion, text, put } = await project({ "odd.md": ODD });
    await conversion.import(importWish({ file: "odd.md" }));
    await put({ "odd.md": "" });
    const [row] = await conversion.export(wish({ agents: ["odd"], out: null }));
    expect(row).toMatchObject({ isOriginal: false, result: "shown" });
    expect(await text("odd.md")).toBe("");
  });

  test("a source that points anywhere else gives nothing of that file away", async () => {
    const { conversion, put } = await project({ "secret.md": "---\nname: other\ndescription: d\n---\nThe secret.\n" });
    await put({
      ".cadre/agents/a.yml": "description: d\nprompt: p\nsource: { from: claude, file: secret.md }\ntools: [Read]\n",
    });
    const [row] = await conversion.export(wish({ agents: ["a"], out: null }));
    expect(row?.text).not.toContain("secret");
  });
});

describe("import, then export to the same format, means the same:", () => {
  const PLAIN = { name: "same", description: "Stays the same", prompt: "Do it.\n\nWell.", tools: ["Read", "Grep"] };

  test.each(FORMATS.filter((id) => id !== "yeet"))("%s", async (id) => {
    const format = await loadFormat(id);
    const first = await project({}, [PLAIN]);
    const [written] = await first.conversion.export(wish({ agents: ["same"], to: id, out: null, allowLoss: true }));
    const second = await project({ [`in/${written?.file}`]: written?.text ?? "" });
    const imported = await second.conversion.import(importWish({ from: id, file: `in/${written?.file}` }));
    expect(imported).toMatchObject([{ agent: "same", result: "written" }]);
    await second.put({ [`in/${written?.file}`]: "" });
    const [again] = await second.conversion.export(wish({ agents: ["same"], to: id, out: null }));
    expect(again).toMatchObject({ isOriginal: false, result: "shown" });
    const read = (text: string) => format.read({ path: "x", below: written?.file ?? "", text });
    expect(read(again?.text ?? "")).toEqual(read(written?.text ?? ""));
  });
});

describe("losing a restriction:", () => {
  test("is refused with the fields that are lost, and the text is not given away", async () => {
    const { conversion, files } = await project({}, [BOUND]);
    expect(await conversion.export(wish({ agents: ["bound"], to: "copilot", out: "out" }))).toMatchObject([
      { result: "refused", text: "", message: expect.stringContaining("(max_turns); --allow-loss") },
    ]);
    expect(await files()).toEqual([]);
  });

  test("is done where it was allowed, and said", async () => {
    const { conversion, text } = await project({}, [BOUND]);
    const rows = await conversion.export(wish({ agents: ["bound"], to: "copilot", out: "out", allowLoss: true }));
    expect(rows).toMatchObject([
      {
        result: "written",
        remarks: expect.arrayContaining([expect.objectContaining({ field: "max_turns", isRestriction: true })]),
      },
    ]);
    expect(await text("out/bound.agent.md")).toContain("Read it.");
  });

  test("of one agent does not stop the others", async () => {
    const { conversion, files } = await project({}, [READER, BOUND]);
    const rows = await conversion.export(wish({ all: true, to: "copilot" }));
    expect(rows.map(({ agent, result }) => [agent, result])).toEqual([
      ["reader", "written"],
      ["bound", "refused"],
    ]);
    expect(await files()).toEqual([".cadre/export/copilot/reader.agent.md"]);
  });
});

describe("where it is written:", () => {
  test("nowhere, when it is only shown or dry", async () => {
    const { conversion, files } = await project({}, [READER]);
    expect(await conversion.export(wish({ agents: ["reader"], out: null }))).toMatchObject([
      { result: "shown", file: "reader.md" },
    ]);
    expect(await conversion.export(wish({ agents: ["reader"], dry: true }))).toMatchObject([{ result: "written" }]);
    expect(await files()).toEqual([]);
  });

  test("into another program's folder only if that was named", async () => {
    const { conversion, files } = await project({}, [READER]);
    await conversion.export(wish({ agents: ["reader"] }));
    expect(await files()).toEqual([".cadre/export/claude/reader.md"]);
    await conversion.export(wish({ agents: ["reader"], out: ".claude/agents" }));
    expect(await files()).toContain(".claude/agents/reader.md");
  });

  test("never through a link of the home, which would lead there", async () => {
    const { conversion, root, files } = await project({ ".claude/keep": "" }, [READER]);
    await mkdir(join(root, ".cadre/export"), { recursive: true });
    await symlink(join(root, ".claude"), join(root, ".cadre/export/claude"));
    await expect(conversion.export(wish({ agents: ["reader"] }))).rejects.toThrow("is a link or a file");
    expect(await files()).not.toContain(".claude/reader.md");
  });

  test("never outside of the folder, whatever a format calls its file", async () => {
    const { conversion, files } = await project({}, [READER]);
    await conversion.export(wish({ agents: ["reader"], to: "goose", out: "out", allowLoss: true }));
    expect(await files()).toEqual(["out/reader.yaml"]);
  });

  test("over another file only with --update", async () => {
    const { conversion, text } = await project({ "out/reader.md": "mine" }, [READER]);
    expect(await conversion.export(wish({ agents: ["reader"], out: "out" }))).toMatchObject([{ result: "refused" }]);
    expect(await text("out/reader.md")).toBe("mine");
    expect(await conversion.export(wish({ agents: ["reader"], out: "out", update: true }))).toMatchObject([
      { result: "updated" },
    ]);
    expect(await conversion.export(wish({ agents: ["reader"], out: "out" }))).toMatchObject([{ result: "unchanged" }]);
  });

  test("one agent per file, where a program has one file for all", async () => {
    const { conversion } = await project({}, [READER, BOUND]);
    const rows = await conversion.export(wish({ all: true, to: "roo", allowLoss: true }));
    expect(rows.map(({ result }) => result)).toEqual(["written", "refused"]);
  });
});

describe("which agents:", () => {
  test("names are found without regard to case; one that is not there is nearly named", async () => {
    const { conversion } = await project({}, [READER]);
    expect(await conversion.export(wish({ agents: ["Reader"], out: null }))).toMatchObject([{ agent: "reader" }]);
    await expect(conversion.export(wish({ agents: ["raeder"] }))).rejects.toMatchObject({ code: "agent.not-found" });
    await expect(conversion.export(wish({}))).rejects.toThrow("needs the names of agents, or --all");
  });

  test("a format that is only read is an answer, not a crash", async () => {
    const { conversion } = await project({}, [READER]);
    expect(await conversion.export(wish({ agents: ["reader"], to: "yeet" }))).toMatchObject([
      { result: "failed", message: "Yeet is only read, not written" },
    ]);
  });
});

test("originals of one file name, from two folders, do not overwrite each other", async () => {
  const claude = (name: string) => `---\nname: ${name}\ndescription: ${name}\n---\n${name}\n`;
  const files = { ".claude/agents/a/same.md": claude("one"), ".claude/agents/b/same.md": claude("two") };
  const { conversion, text } = await project(files);
  const rows = await conversion.export(wish({ all: true, out: "out" }));
  expect(rows).toMatchObject([
    { file: "out/same.md", isOriginal: true },
    { file: "out/two.md", isOriginal: true },
  ]);
  expect([await text("out/same.md"), await text("out/two.md")]).toEqual([claude("one"), claude("two")]);
});
