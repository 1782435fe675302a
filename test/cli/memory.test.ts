import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileMemory } from "../../src/memory/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { cadre, place, type Place } from "./command-line.ts";

/** Somebody who has said in their own file that a person's decisions need no terminal. */
async function person(): Promise<Place> {
  const where = await place();
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security: { person_without_terminal: true }\n");
  return where;
}

const data = (stdout: string): unknown => (JSON.parse(stdout) as { data: unknown }).data;

describe("cadre memory", () => {
  test("remembers, finds, lists and forgets", async () => {
    const where = await person();
    const added = await cadre(where, "memory", "add", "The parser is hand-written.", "--category", "decisions");
    expect(added).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^mem_[0-9a-f]{20}\n$/) });
    const id = added.stdout.trim();
    expect((await cadre(where, "memory", "add", "The parser is hand-written.")).stdout).toBe(
      `${id} (it was there already)\n`,
    );
    const found = await cadre(where, "memory", "search", "who wrote the parser", "--json");
    expect(data(found.stdout)).toMatchObject([{ id, scope: "project", from: { isPerson: true, task: null } }]);
    expect((await cadre(where, "memory", "list")).stdout).toMatch(
      new RegExp(`^${id}  project  notes  \\(.+\\)\nThe parser is hand-written\\.\n$`),
    );
    expect(await cadre(where, "memory", "forget", id)).toMatchObject({ exit: 0, stdout: `Forgotten: ${id}\n` });
    expect((await cadre(where, "memory", "list")).stdout).toBe("Nothing is remembered.\n");
    expect(statSync(join(where.project, ".cadre", "memory", "memory.db")).mode & 0o777).toBe(0o600);
  });

  test("keeps the user's own beside the project's", async () => {
    const where = await person();
    await cadre(where, "memory", "add", "I like tea.", "--scope", "user");
    await cadre(where, "memory", "add", "We drink tea here.");
    expect(data((await cadre(where, "memory", "search", "tea", "--json")).stdout)).toHaveLength(2);
    const own = await cadre(where, "memory", "search", "tea", "--scope", "user", "--json");
    expect(data(own.stdout)).toMatchObject([{ content: "I like tea.", scope: "user" }]);
    expect(data((await cadre(where, "memory", "list", "--limit", "1", "--json")).stdout)).toHaveLength(1);
  });

  test("takes an id by its beginning or its end, where that fits one only", async () => {
    const where = await person();
    const texts = Array.from({ length: 17 }, (_, n) => `Fact ${n}.`);
    const [project, user] = [where.project, where.userHome].map((at) => join(at, ".cadre", "memory", "memory.db"));
    const memory = fileMemory({ project: project ?? "", user: user ?? "" }, systemClock);
    const from = { by: "me", isPerson: true, task: null };
    for (const content of texts) await memory.add({ scope: "project", category: "notes", content, from });
    const ids = [...(await memory.ids({ scopes: ["project"] }))].toSorted();
    // Seventeen ids begin with sixteen digits: two have the same.
    const shared = ids.map((id) => id.slice(0, 5)).find((start, index, all) => all.indexOf(start) !== index);
    const [first = "", second = ""] = ids;
    expect(await cadre(where, "memory", "forget", `${shared}`)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/fits \d+ memories\nhint: Give more of the id/),
    });
    expect(await cadre(where, "memory", "forget", first.slice(0, 14))).toMatchObject({
      stdout: `Forgotten: ${first}\n`,
    });
    expect((await cadre(where, "memory", "accept", second.slice(-8))).stdout).toContain(second);
    expect(await memory.ids({ scopes: ["project"] })).toHaveLength(16);
  });

  test("without a terminal is for the project only, is nobody's word, and neither accepts nor forgets", async () => {
    const where = await place();
    const added = await cadre(where, "memory", "add", "Seen by a script.", "--json");
    expect(data(added.stdout)).toMatchObject({ isNew: true, entry: { from: { isPerson: false } } });
    for (const args of [
      ["add", "x", "--scope", "user"],
      ["list", "--scope", "user"],
      ["accept", "mem_0"],
      ["forget", "mem_0"],
    ])
      expect(await cadre(where, "memory", ...args)).toMatchObject({ exit: 4, stdout: "" });
    for (const args of [["search", "script"], ["list"]])
      expect(data((await cadre(where, "memory", ...args, "--json")).stdout)).toEqual([]);
  });

  test("says where it does not show all, and does not say that there is nothing", async () => {
    const where = await place();
    await cadre(where, "memory", "add", "Seen by a script.");
    expect(await cadre(where, "memory", "list")).toMatchObject({
      stdout: "Nothing counts here yet.\n",
      stderr: "Only what counts of this project is shown without a terminal, not what waits, nor your own.\n",
    });
    expect((await cadre(where, "memory", "search", "script")).stdout).toBe("Nothing that is remembered fits.\n");
  });

  test("shows a person what waits for their word, and takes it", async () => {
    const where = await place();
    const { stdout, stderr } = await cadre(where, "memory", "add", "Seen by a script.");
    const id = stdout.trim();
    expect(stderr).toContain(`cadre memory accept ${id}`);
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security: { person_without_terminal: true }\n");
    const listed = await cadre(where, "memory", "list");
    expect(listed.stdout).toMatch(/ {2}\(by cli \(.+\), without a person\) {2}waits for your word/);
    expect(listed.stderr).toBe("");
    expect(await cadre(where, "memory", "accept", id)).toMatchObject({ exit: 0, stdout: expect.stringContaining(id) });
    expect((await cadre(where, "memory", "list")).stdout).not.toContain("waits");
    expect((await cadre(where, "memory", "search", "script")).stdout).toContain("Seen by a script.");
  });

  test.each([
    [["add"], "this needs something to remember"],
    [["add", " "], "this needs something to remember"],
    [["search"], "this needs words to look for"],
    [["accept"], "this needs the id of a memory"],
    [["accept", "mem_0"], 'there is no memory "mem_0"'],
    [["forget"], "this needs the id of a memory"],
    [["forget", "mem_0"], 'there is no memory "mem_0"'],
    [["add", "x", "--category", "two words"], "cannot be a category"],
    [["add", "x", "--scope", "world"], "scope"],
    [["recall"], "hint: See: cadre memory --help"],
  ])("%j is refused", async (args, says) => {
    const { exit, stderr } = await cadre(await person(), "memory", ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });

  test("shows nothing that a terminal would obey", async () => {
    const where = await person();
    await cadre(where, "memory", "add", "evil \u001b]0;title\u0007 text");
    const { stdout } = await cadre(where, "memory", "list");
    expect(stdout).toContain("evil \\u001b]0;title\\u0007 text");
  });
});
