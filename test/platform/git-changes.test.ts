// What has changed, in real repositories.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitDiff } from "../../src/platform/git-diff.ts";
import { freshFolder } from "../fresh-folder.ts";

const WHO = ["-c", "user.name=t", "-c", "user.email=t@t.invalid"];

function repository(files: Readonly<Record<string, string>>) {
  const folder = freshFolder("changes");
  const git = (...args: readonly string[]) => execFileSync("git", [...WHO, ...args], { cwd: folder, stdio: "ignore" });
  const write = (name: string, text: string | Buffer) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  git("init", "--quiet");
  if (Object.keys(files).length > 0) {
    for (const [name, text] of Object.entries(files)) write(name, text);
    git("add", "--all");
    git("commit", "--quiet", "--message=first");
  }
  const diff = (against?: string) => gitDiff(folder, { against, of: "repository" });
  return { folder, git, write, diff };
}

describe("what has changed", () => {
  test("holds files that are new, as diffs against nothing, and none that git ignores", async () => {
    const { write, diff } = repository({ "a.txt": "a\n", ".gitignore": "*.log\n" });
    expect(await diff()).toBe("");
    write("src/new file's.ts", "one\ntwo\n");
    write("big.log", "noise\n");
    write("blob", Buffer.from([0, 1, 2, 0]));
    const text = await diff();
    expect(text).toContain("new file mode 100644\nindex 0000000..");
    expect(text).toContain("+++ b/src/new file's.ts");
    expect(text).toContain("@@ -0,0 +1,2 @@\n+one\n+two\n");
    expect(text).toContain("Binary files /dev/null and b/blob differ");
    expect(text).not.toContain("big.log");
  });

  test("holds what was changed, staged or deleted, and leaves the index as it is", async () => {
    const { folder, git, write, diff } = repository({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    write("a.txt", "A\n");
    write("b.txt", "B\n");
    git("add", "b.txt");
    rmSync(join(folder, "c.txt"));
    write("d.txt", "d\n");
    const before = readFileSync(join(folder, ".git", "index"));
    const text = await diff();
    for (const line of ["-a\n+A\n", "-b\n+B\n", "deleted file mode 100644", "-c\n", "+d\n"])
      expect(text).toContain(line);
    expect(readFileSync(join(folder, ".git", "index")).equals(before)).toBe(true);
  });

  test("without a commit, all is new; since a commit, all that came after it", async () => {
    const { git, write, diff } = repository({});
    write("staged.txt", "staged\n");
    git("add", "staged.txt");
    write("other.txt", "other\n");
    const first = await diff();
    expect(first).toContain("+staged\n");
    expect(first).toContain("+other\n");
    git("add", "--all");
    git("commit", "--quiet", "--message=first");
    write("third.txt", "third\n");
    git("add", "--all");
    git("commit", "--quiet", "--message=second");
    write("fourth.txt", "fourth\n");
    const since = await diff("HEAD~1");
    expect(since).toContain("+third\n");
    expect(since).toContain("+fourth\n");
    expect(since).not.toContain("+staged\n");
  });

  test("of much, the beginning is shown, and the rest by name", async () => {
    const { write, diff } = repository({ "a.txt": "a\n" });
    write("a.txt", "long line of text\n".repeat(20_000));
    write("new.txt", "new\n");
    const text = await diff();
    expect(text.length).toBeLessThan(201_000);
    expect(text).toMatch(/\[The rest of the diff is left out\. Changed in all:\]\nM a\.txt\nA new\.txt\n$/);
  });

  test("is that of the whole repository, also in a folder of it, with paths from its top", async () => {
    const { folder, write } = repository({ "a.txt": "a\n", "sub/b.txt": "b\n" });
    write("a.txt", "A\n");
    write("sub/new.txt", "new\n");
    const all = await gitDiff(join(folder, "sub"), { of: "repository" });
    expect(all).toContain("+++ b/a.txt");
    expect(all).toContain("+++ b/sub/new.txt");
    const below = await gitDiff(join(folder, "sub"), { of: "folder" });
    expect(below).not.toContain("a.txt");
    expect(below).toContain("+++ b/sub/new.txt");
  });

  test("leaves out what it is told to", async () => {
    const { folder, write, diff } = repository({ ".cadre/config.yml": "a: 1\n", "a.txt": "a\n" });
    rmSync(join(folder, ".cadre", "config.yml"));
    write(".cadre/hatches/letter", "x\n");
    expect(await diff()).toContain("deleted file mode");
    expect(await gitDiff(folder, { of: "folder", without: [join(folder, ".cadre")] })).toBe("");
  });

  test("runs no program that the repository names", async () => {
    const { folder, git, write, diff } = repository({ "a.txt": "a\n", ".gitattributes": "*.txt diff=own\n" });
    const canary = join(folder, "canary");
    git("config", "diff.external", `touch ${canary} #`);
    git("config", "diff.own.textconv", `touch ${canary} #`);
    git("config", "diff.own.command", `touch ${canary} #`);
    git("config", "core.fsmonitor", `touch ${canary} #`);
    write("a.txt", "A\n");
    write("new.txt", "new\n");
    expect(await diff()).toMatch(/\+A\n[^]*\+new\n/);
    expect(existsSync(canary)).toBe(false);
  });

  test("where git cannot say, its words are told", async () => {
    await expect(gitDiff(freshFolder("changes"), { of: "repository" })).rejects.toThrow(
      /^git cannot say what has changed in .*: fatal: not a git repository/,
    );
    const { diff } = repository({ "a.txt": "a\n" });
    await expect(diff("nowhere")).rejects.toThrow(/fatal: bad revision 'nowhere'/);
  });
});
