import { chmod, chown, mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kit } from "./kit.ts";

describe("Write", () => {
  test("makes a file, and the folders on the way", async () => {
    await using files = await kit();
    expect(await files.text("Write", { file_path: "a/b/c.txt", content: "one\ntwo\n" })).toBe(
      "Created a/b/c.txt (2 lines, 8 bytes).",
    );
    expect(await readFile(join(files.root, "a/b/c.txt"), "utf8")).toBe("one\ntwo\n");
    expect(await files.text("Write", { file_path: "empty", content: "" })).toContain("(0 lines, 0 bytes)");
  });

  test("does not overwrite what was not read", async () => {
    await using files = await kit();
    await files.put({ "a.txt": "theirs" });
    expect(await files.problem("Write", { file_path: "a.txt", content: "mine" })).toContain(
      "exists, and has not been read in this attempt. Read it first",
    );
    expect(await readFile(join(files.root, "a.txt"), "utf8")).toBe("theirs");
    await files.text("Read", { file_path: join(files.root, "a.txt") });
    expect(await files.text("Write", { file_path: "a.txt", content: "mine" })).toContain("Replaced a.txt");
  });

  test("does not overwrite what has changed since it was read", async () => {
    await using files = await kit();
    await files.put({ "a.txt": "old" });
    await files.text("Read", { file_path: "a.txt" });
    await files.put({ "a.txt": "newer" });
    expect(await files.problem("Write", { file_path: "a.txt", content: "mine" })).toContain(
      "has changed since it was read. Read it again",
    );
    expect(await readFile(join(files.root, "a.txt"), "utf8")).toBe("newer");
  });

  test("notices a change that keeps size and time", async () => {
    await using files = await kit();
    await files.put({ "a.txt": "old" });
    const path = join(files.root, "a.txt");
    const before = await stat(path, { bigint: true });
    await files.text("Read", { file_path: "a.txt" });
    await writeFile(path, "new");
    const at = Number(before.mtimeNs / 1_000_000n) / 1_000;
    // Until the system's clock has ticked: it is that coarse.
    do await utimes(path, at, at);
    while ((await stat(path, { bigint: true })).ctimeNs === before.ctimeNs);
    expect(await files.problem("Write", { file_path: "a.txt", content: "mine" })).toContain("has changed");
  });

  test("may write again what it has written, and make again what was deleted", async () => {
    await using files = await kit();
    await files.text("Write", { file_path: "a.txt", content: "1" });
    await files.text("Write", { file_path: "a.txt", content: "2" });
    await files.text("Edit", { file_path: "a.txt", old_string: "2", new_string: "3" });
    await files.text("Write", { file_path: "a.txt", content: "4" });
    expect(await readFile(join(files.root, "a.txt"), "utf8")).toBe("4");
  });

  test("keeps the permissions of what it replaces", async () => {
    await using files = await kit();
    await files.put({ "run.sh": "old" });
    await chmod(join(files.root, "run.sh"), 0o751);
    await files.text("Read", { file_path: "run.sh" });
    await files.text("Write", { file_path: "run.sh", content: "new" });
    await files.text("Edit", { file_path: "run.sh", old_string: "new", new_string: "newer" });
    expect((await stat(join(files.root, "run.sh"))).mode & 0o777).toBe(0o751);
  });

  test("keeps the owner of what it replaces", async () => {
    await using files = await kit();
    await files.put({ "a.txt": "old" });
    const { uid, gid } = await stat(files.root);
    const owner = uid === 0 ? { uid: 12_345, gid: 54_321 } : { uid, gid }; // only root can give files away
    await chown(join(files.root, "a.txt"), owner.uid, owner.gid);
    await files.text("Edit", { file_path: "a.txt", old_string: "old", new_string: "new" });
    expect(await stat(join(files.root, "a.txt"))).toMatchObject(owner);
  });

  test("leaves no traces when it is refused", async () => {
    await using files = await kit();
    await files.put({ "a.txt": "theirs", "folder/x": "" });
    await files.problem("Write", { file_path: "a.txt", content: "mine" });
    await files.problem("Write", { file_path: "folder", content: "mine" });
    await files.problem("Write", { file_path: "a.txt/below", content: "mine" });
    expect((await readdir(files.root)).toSorted()).toEqual(["a.txt", "folder"]);
  });

  test("calls at once on one file are done one after the other", async () => {
    await using files = await kit();
    await files.put({ "a.txt": "top\n" });
    await files.text("Read", { file_path: "a.txt" });
    const numbers = Array.from({ length: 30 }, (_, index) => index + 1);
    const results = await Promise.all(
      numbers.map((number) =>
        files.run("Edit", {
          file_path: number % 2 ? "a.txt" : "./a.txt",
          old_string: "top\n",
          new_string: `top\n${number}\n`,
        }),
      ),
    );
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    const text = await readFile(join(files.root, "a.txt"), "utf8");
    expect(text).toBe(`top\n${numbers.toReversed().join("\n")}\n`);
  });

  test("of two new contents at once, the second knows the first", async () => {
    await using files = await kit();
    const both = await Promise.all(["1", "2"].map((content) => files.run("Write", { file_path: "n", content })));
    expect(both.map(({ text }) => text.split(" ")[0])).toEqual(["Created", "Replaced"]);
    expect(await readFile(join(files.root, "n"), "utf8")).toBe("2");
  });

  test("text that is no text, or too much of it, is refused", async () => {
    await using files = await kit();
    expect(files.plan("Write", { file_path: "a", content: "\uD800" })).toMatchObject({ ok: false });
    expect(files.plan("Write", { file_path: "a", content: "x".repeat(10 * 1024 * 1024 + 1) })).toMatchObject({
      ok: false,
    });
  });

  test("knows after a worker's death whether it was done", async () => {
    await using files = await kit();
    const input = { file_path: "a.txt", content: "text" };
    expect(await files.reattach("Write", input)).toBeUndefined();
    await files.text("Write", input);
    expect(await files.reattach("Write", input)).toMatchObject({ ok: true });
    expect(await files.reattach("Write", { ...input, content: "texT" })).toBeUndefined();
    expect(await readFile(join(files.root, "a.txt"), "utf8")).toBe("text");
  });

  test("a folder of that name is not replaced", async () => {
    await using files = await kit();
    await mkdir(join(files.root, "folder"));
    expect(await files.problem("Write", { file_path: "folder", content: "" })).toContain(
      "not a regular file. It is a folder",
    );
  });
});

describe("input", () => {
  test.each([
    ["Read", { file_path: "a", offset: "abc" }, '`offset` must be a whole number ≥ 1, got "abc"'],
    ["Read", { file_path: "a", offset: 0 }, "`offset` must be a whole number ≥ 1, got 0"],
    ["Read", { file_path: "a", limit: 1.5 }, "`limit` must be a whole number ≥ 1 and ≤ 10000, got 1.5"],
    ["Read", {}, "`file_path` is missing: it must be a text that is not empty"],
    ["Read", { file_path: 7 }, "`file_path` must be a text that is not empty, got 7"],
    ["Read", { file_path: "a", ofset: 1 }, "`ofset` is not a field of Read: did you mean `offset`?"],
    ["Read", { file_path: "a", encoding: "x" }, "`encoding` is not a field of Read: it takes file_path, offset, limit"],
    ["Read", "a.txt", 'Read takes an object with file_path, offset, limit, got "a.txt"'],
    ["Read", null, "Read takes an object with file_path, offset, limit, got null"],
    ["Read", [], "Read takes an object with file_path, offset, limit, got []"],
    [
      "Edit",
      { file_path: "a", old_string: "x", new_string: "y", replace_all: "yes" },
      '`replace_all` must be true or false, got "yes"',
    ],
    [
      "Grep",
      { pattern: "x", output_mode: "lines" },
      'must be one of "files_with_matches", "content", "count", got "lines"',
    ],
    ["Grep", { pattern: "x", "-C": 99 }, "`-C` must be a whole number ≥ 0 and ≤ 50, got 99"],
    ["List", { ignore: "x" }, '`ignore` must be a list of a length ≤ 50, got "x"'],
    ["List", { ignore: [1] }, "`ignore[0]` must be a text that is not empty, got 1"],
    [
      "TodoWrite",
      { todos: [{ content: "x", status: "done" }] },
      '`todos[0].status` must be one of "pending", "in_progress", "completed"',
    ],
    ["TodoWrite", { todos: [{ content: "x", status: "pending", id: 1 }] }, "`id` is not a field of todos[0]"],
  ])("of %s: %j", async (name, input, words) => {
    await using files = await kit();
    const planned = files.plan(name, input);
    expect(planned.ok ? "no problem" : planned.problem).toContain(words);
    expect(await files.problem(name, input)).toContain(words);
  });

  test("has a strict schema for every tool", async () => {
    await using files = await kit();
    for (const { name, inputSchema, effect } of await files.again()) {
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(inputSchema, name).not.toHaveProperty("$schema");
      expect(effect).toBe({ Write: "write", Edit: "write", TodoWrite: "none" }[name] ?? "read");
    }
  });
});
