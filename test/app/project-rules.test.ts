// AGENTS.md as agents are told it: which of them, how much, from where, and whose word it is.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectRules } from "../../src/app/project-rules.ts";
import { freshFolder } from "../fresh-folder.ts";

function projectWith(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): string {
  const base = freshFolder("rules");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    symlinkSync(target, join(base, path));
  }
  return base;
}

const rules = (base: string, folder = ".", isTrusted = true) =>
  projectRules({ base, root: join(base, folder), isTrusted });

describe("the rules of a project", () => {
  const files = {
    "AGENTS.md": "root",
    "packages/AGENTS.md": "packages",
    "packages/a/AGENTS.md": "a",
    "packages/a/src/AGENTS.md": "too deep",
    "packages/b/AGENTS.md": "beside",
  };

  test("are those from its root to where the agent works, in that order", async () => {
    expect(await rules(projectWith(files), "packages/a")).toEqual([
      { source: "file:AGENTS.md", isTrusted: true, text: "root" },
      { source: "file:packages/AGENTS.md", isTrusted: true, text: "packages" },
      { source: "file:packages/a/AGENTS.md", isTrusted: true, text: "a" },
    ]);
  });

  test("are only its own where the agent works at the root, and none where there are none", async () => {
    expect(await rules(projectWith(files))).toMatchObject([{ text: "root" }]);
    expect(await rules(projectWith({ "README.md": "x" }))).toEqual([]);
    expect(await rules(projectWith({ "AGENTS.md": " \n" }))).toEqual([]);
  });

  test("are nobody's word in a folder that nobody has trusted", async () => {
    expect(await rules(projectWith(files), ".", false)).toMatchObject([{ isTrusted: false }]);
  });

  test("are nobody's word from a repository of its own inwards", async () => {
    const base = projectWith({ ...files, "packages/a/.git/HEAD": "x", ".git/HEAD": "x" });
    expect((await rules(base, "packages/a")).map(({ isTrusted }) => isTrusted)).toEqual([true, true, false]);
  });

  test("have 32 KiB together: the nearest are kept, and what is cut is said", async () => {
    const base = projectWith({ "AGENTS.md": "r".repeat(20_000), "a/AGENTS.md": "é".repeat(10_000) });
    const [root, near] = await rules(base, "a");
    expect(near?.text).toBe("é".repeat(10_000));
    expect(root?.text).toMatch(/^r{12768}\n\(the rest is left out/);
    const [only, ...none] = await rules(projectWith({ "AGENTS.md": "r", "a/AGENTS.md": "n".repeat(40_000) }), "a");
    expect(none).toEqual([]);
    expect(only?.source).toBe("file:a/AGENTS.md");
  });
});

describe("a link in place of the rules", () => {
  test("is followed to another Markdown file of the project", async () => {
    const base = projectWith({ "CLAUDE.md": "same for all" }, { "AGENTS.md": "CLAUDE.md" });
    expect(await rules(base)).toEqual([{ source: "file:AGENTS.md", isTrusted: true, text: "same for all" }]);
  });

  test("is nobody's word where agents may write what it leads to", async () => {
    const base = projectWith({ "docs/rules.md": "as anybody likes" }, { "AGENTS.md": "docs/rules.md" });
    expect(await rules(base)).toEqual([{ source: "file:AGENTS.md", isTrusted: false, text: "as anybody likes" }]);
  });

  test.each([
    ["to a secret of the project", ".env"],
    ["to itself", "AGENTS.md"],
    ["to nothing", "missing.md"],
    ["out and in again", "../../etc/passwd"],
  ])("%s is as none", async (_, target) => {
    expect(await rules(projectWith({ ".env": "KEY=1" }, { "AGENTS.md": target }))).toEqual([]);
  });

  test("to a file of the user's is as none", async () => {
    const target = join(projectWith({ "notes.md": "private" }), "notes.md");
    expect(await rules(projectWith({}, { "AGENTS.md": target }))).toEqual([]);
  });

  test("leads nowhere through a folder that is a link out of the project", async () => {
    const outside = projectWith({ "AGENTS.md": "outside" });
    const base = projectWith({ "AGENTS.md": "root" }, { a: outside });
    expect(await rules(base, "a")).toEqual([{ source: "file:AGENTS.md", isTrusted: true, text: "root" }]);
  });

  test("a folder of that name is as none", async () => {
    expect(await rules(projectWith({ "AGENTS.md/x": "x" }))).toEqual([]);
  });
});
