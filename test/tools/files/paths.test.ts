import { link, mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/schema/index.ts";
import { kit, type Kit } from "./kit.ts";

/** A call of each tool on one path. */
const calls = (path: string): readonly (readonly [string, Json])[] => [
  ["Read", { file_path: path }],
  ["Write", { file_path: path, content: "x" }],
  ["Edit", { file_path: path, old_string: "secret", new_string: "x" }],
  ["List", { path }],
  ["Glob", { pattern: "**", path }],
  ["Grep", { pattern: "secret", path, output_mode: "content" }],
];

describe("paths", () => {
  const outside = [
    "../secret.txt",
    "src/../../secret.txt",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/a",
    "/dev/zero",
    "//etc/passwd",
    "..",
    "/",
    "src/../..",
  ];

  test.each(outside)("%s leads nowhere with any tool", async (path) => {
    await using files = await kit();
    await files.put({ "src/a": "" });
    for (const [name, input] of calls(path)) {
      const planned = files.plan(name, input);
      expect(planned, name).toMatchObject({ ok: false });
      expect(await files.problem(name, input), name).toMatch(/outside of the workspace|belongs to the system/);
    }
  });

  test("a folder whose name only begins like the workspace's is outside", async () => {
    await using files = await kit();
    await mkdir(`${files.root}-evil`);
    await writeFile(`${files.root}-evil/a`, "secret");
    expect(files.plan("Read", { file_path: `${files.root}-evil/a` }).ok).toBe(false);
    expect(files.plan("Read", { file_path: "../project-evil/a" }).ok).toBe(false);
  });

  test.each([
    ["", "is missing|not empty|is empty"],
    ["   ", "is empty"],
    ["a\0b", "U\\+0000"],
    ["a\nb", "U\\+000A"],
    ["a\u202Etxt.exe", "U\\+202E"],
    ["a\u200Bb", "U\\+200B"],
    ["a\uD800", "half of a character"],
    ["~", '"~" is not expanded'],
    ["~/.ssh/id_rsa", '"~" is not expanded'],
    ["~root/.ssh", '"~" is not expanded'],
    ["x".repeat(5_000), "at most 4096"],
  ])("%j is refused in words", async (path, words) => {
    await using files = await kit();
    for (const [name, input] of calls(path)) {
      const planned = files.plan(name, input);
      expect(planned.ok ? "no problem" : planned.problem, name).toMatch(new RegExp(words));
    }
  });

  test("letters that look like dots and slashes are letters", async () => {
    await using files = await kit();
    for (const path of ["\uFF0E\uFF0E/secret.txt", "\u2025/secret.txt", "..\u2215secret.txt", "%2e%2e/secret.txt"]) {
      const planned = files.plan("Read", { file_path: path });
      expect(planned).toEqual({ ok: true, use: { effect: "read", path } });
      expect(await files.problem("Read", { file_path: path })).toContain("does not exist");
    }
  });

  test("the policy is told the path below the workspace, however it was written", async () => {
    await using files = await kit();
    const same = [
      "src/a.ts",
      "./src//a.ts",
      "src/x/../a.ts",
      join(files.root, "src/a.ts"),
      "../project/src/a.ts",
      "src/a.ts/",
    ];
    for (const file_path of same)
      expect(files.plan("Read", { file_path })).toEqual({ ok: true, use: { effect: "read", path: "src/a.ts" } });
    expect(files.plan("Edit", { file_path: "a", old_string: "x", new_string: "y" })).toEqual({
      ok: true,
      use: { effect: "write", path: "a" },
    });
    expect(files.plan("List", {})).toEqual({ ok: true, use: { effect: "read", path: "." } });
    expect(files.plan("Glob", { pattern: "src/lib/*.ts" })).toEqual({
      ok: true,
      use: { effect: "read", path: "src/lib" },
    });
    expect(files.plan("Glob", { pattern: join(files.root, "src/*") })).toMatchObject({ use: { path: "src" } });
    expect(files.plan("Glob", { pattern: "*/../../secret*" }).ok).toBe(false);
    expect(files.plan("Glob", { pattern: "../*" }).ok).toBe(false);
    expect(files.plan("Grep", { pattern: "x", path: "src" })).toMatchObject({ use: { path: "src" } });
  });

  test("names of new files that other systems take for others are refused", async () => {
    await using files = await kit();
    for (const file_path of ["a.txt ", "a.txt.", "src./a", " a", "src /a", "folder/"])
      expect(files.plan("Write", { file_path, content: "" }).ok, file_path).toBe(false);
    for (const file_path of [".env", "a.b.c", "./a", "src/../a"])
      expect(files.plan("Write", { file_path, content: "" }).ok, file_path).toBe(true);
  });
});

describe("what is the attempt's own", () => {
  test("is named absolutely outside of the workspace, and written without further ado", async () => {
    await using files = await kit();
    const file = join(files.own.folder, "notes/a.md");
    expect(files.plan("Write", { file_path: file, content: "x" })).toEqual({
      ok: true,
      use: { effect: "write", path: file },
    });
    expect(await files.text("Write", { file_path: file, content: "needle\n" })).toContain(`Created ${file}`);
    expect(await files.text("Read", { file_path: file })).toContain("needle");
    expect(await files.text("List", { path: files.own.folder })).toBe("notes/");
    expect(await files.text("Glob", { pattern: "**/*.md", path: files.own.folder })).toBe(file);
    expect(await files.text("Grep", { pattern: "needle", path: files.own.folder })).toBe(file);
    expect((await stat(files.own.folder)).mode & 0o777).toBe(0o700);
  });

  test("is the plan file, and nothing beside it", async () => {
    await using files = await kit();
    await files.text("Write", { file_path: files.own.plan, content: "# Plan\n" });
    expect(await readFile(files.own.plan, "utf8")).toBe("# Plan\n");
    const other = join(files.own.plan, "../other.md");
    for (const [name, input] of calls(other)) expect(files.plan(name, input).ok, name).toBe(false);
    expect(files.plan("List", { path: join(files.own.plan, "..") }).ok).toBe(false);
  });

  test("is named relatively where the home lies in the workspace", async () => {
    await using files = await kit({ home: (project) => join(project, ".cadre") });
    const planned = files.plan("Write", { file_path: join(files.own.folder, "a"), content: "" });
    expect(planned).toMatchObject({ use: { path: ".cadre/workspace/a" } });
    await files.text("Write", { file_path: ".cadre/workspace/a", content: "x" });
    expect(await readFile(join(files.own.folder, "a"), "utf8")).toBe("x");
  });
});

/** Whatever was tried, the secret is as it was, and was not shown. */
async function expectNoEscape(files: Kit, path: string): Promise<void> {
  for (const [name, input] of calls(path)) {
    const { ok, text } = await files.run(name, input);
    expect(`${ok} ${text}`, name).toMatch(/^false /);
    expect(text, name).not.toContain("top secret");
  }
  expect(await readFile(join(files.outside, "secret.txt"), "utf8")).toBe("top secret needle\n");
}

describe("links", () => {
  test("are not followed by any tool, inwards or outwards, at the end or on the way", async () => {
    await using files = await kit();
    await files.put({ "real/secret.txt": "inner secret" });
    await files.link(files.outside, "up");
    await files.link("../secret.txt", "file");
    await files.link("real", "inner");
    await files.link("/nowhere", "dangling");
    for (const path of ["up/secret.txt", "file", "inner/secret.txt", "dangling", "up"])
      await expectNoEscape(files, path);
    await expect(stat(join(files.outside, "made"))).rejects.toThrow("ENOENT");
  });

  test("that are hard are not written", async () => {
    await using files = await kit();
    await link(join(files.outside, "secret.txt"), join(files.root, "twin.txt"));
    await files.text("Read", { file_path: "twin.txt" });
    expect(await files.problem("Write", { file_path: "twin.txt", content: "x" })).toContain("2 hard links");
    expect(await files.problem("Edit", { file_path: "twin.txt", old_string: "top", new_string: "x" })).toContain(
      "2 hard links",
    );
    expect(await readFile(join(files.outside, "secret.txt"), "utf8")).toBe("top secret needle\n");
  });

  test("that take a folder's place between the policy's word and the work win nothing", async () => {
    for (const [name] of calls("a")) {
      await using files = await kit();
      await files.put({ "a/secret.txt": "harmless secret" });
      const path = name === "List" || name === "Glob" || name === "Grep" ? "a" : "a/secret.txt";
      const input = calls(path).find(([tool]) => tool === name)?.[1] ?? null;
      await files.run("Read", { file_path: "a/secret.txt" });
      expect(files.plan(name, input).ok, name).toBe(true);
      await rename(join(files.root, "a"), join(files.root, "b"));
      await symlink(files.outside, join(files.root, "a"));
      const { ok, text } = await files.run(name, input);
      expect(ok, `${name}: ${text}`).toBe(false);
      expect(text).not.toContain("top secret");
      expect(await readFile(join(files.outside, "secret.txt"), "utf8")).toBe("top secret needle\n");
    }
  });

  test("that take the workspace's place win nothing: it is held open", async () => {
    await using files = await kit();
    await files.put({ "secret.txt": "harmless" });
    await rename(files.root, `${files.root}-moved`);
    await symlink(files.outside, files.root);
    expect(await files.text("Read", { file_path: "secret.txt" })).toContain("harmless");
    await files.text("Write", { file_path: "secret.txt", content: "changed" });
    expect(await readFile(`${files.root}-moved/secret.txt`, "utf8")).toBe("changed");
    expect(await readFile(join(files.outside, "secret.txt"), "utf8")).toBe("top secret needle\n");
    const found = await files.run("Grep", { pattern: "needle", output_mode: "content" });
    expect(found.text).not.toContain("top secret");
    await rm(`${files.root}-moved`, { recursive: true });
  });

  test("that come and go while tools work lead nowhere else", async () => {
    await using files = await kit();
    await files.put({ "a/secret.txt": "harmless needle\n" });
    await files.link("..", "trap");
    const at = (name: string) => join(files.root, name);
    const enough = new AbortController();
    /** While "a" is away, Write may make a new folder of that name. */
    const takePlace = async (name: string): Promise<void> => {
      await rename(at(name), at("a")).catch(async () => {
        await rm(at("a"), { recursive: true, force: true });
        if (!enough.signal.aborted) await takePlace(name);
      });
    };
    const swapping = (async () => {
      while (!enough.signal.aborted) {
        await rename(at("a"), at("b"));
        await takePlace("trap");
        if (enough.signal.aborted) return;
        await rename(at("a"), at("trap"));
        await takePlace("b");
      }
    })();
    const texts: string[] = [];
    for (let round = 0; round < 150; round++) {
      const grep = round % 10 === 0 ? [{ pattern: "needle", path: "a", output_mode: "content" }] : [];
      for (const input of grep) texts.push((await files.run("Grep", input)).text);
      texts.push((await files.run("Read", { file_path: "a/secret.txt" })).text);
      await files.run("Write", { file_path: `a/new-${round}.txt`, content: "x" });
    }
    enough.abort();
    await swapping;
    expect(texts.filter((text) => text.includes("top secret"))).toEqual([]);
    expect(texts.some((text) => text.includes("harmless"))).toBe(true);
    await expect(stat(join(files.outside, "new-0.txt"))).rejects.toThrow("ENOENT");
  });
});
