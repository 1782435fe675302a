// What has changed, in real repositories.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitDiff } from "../../src/platform/git-diff.ts";
import { freshFolder } from "../fresh-folder.ts";
import { PLAIN_GIT } from "../plain-git.ts";

const WHO = ["-c", "user.name=t", "-c", "user.email=t@t.invalid"];

function repository(files: Readonly<Record<string, string>>) {
  const folder = freshFolder("changes");
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...WHO, ...args], { cwd: folder, env: PLAIN_GIT, stdio: "ignore" });
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

  test("a file that became a folder is a deletion, and what is in the folder is new, staged or not", async () => {
    for (const isStaged of [true, false]) {
      const { folder, git, write, diff } = repository({ lib: "good\n" });
      rmSync(join(folder, "lib"));
      write("lib/evil.js", "evil()\n");
      if (isStaged) git("add", "--all");
      const text = await diff();
      expect(text).toContain("--- a/lib\n");
      expect(text).toContain("+++ b/lib/evil.js\n@@ -0,0 +1 @@\n+evil()\n");
    }
  });

  test("a file that is there, and was taken out of the index, is deleted", async () => {
    const { git, write, diff } = repository({ "conf.ts": "conf\n", ".gitignore": "x\n" });
    git("rm", "--quiet", "--cached", "conf.ts");
    write(".gitignore", "x\nconf.ts\n");
    expect(await diff()).toContain("--- a/conf.ts\n+++ /dev/null\n");
  });

  test("what lies behind a link that took a folder's place is deleted, and the link is told in words", async () => {
    const { folder, diff } = repository({ "lib/a.ts": "a\n" });
    const other = join(freshFolder("changes"), "lib");
    renameSync(join(folder, "lib"), other);
    symlinkSync(other, join(folder, "lib"));
    const text = await diff();
    expect(text).toContain("--- a/lib/a.ts\n+++ /dev/null\n");
    expect(text).toContain(`new link: lib -> ${other}\n`);
    expect(text).not.toContain("+a\n");
  });

  test("new files are those of the folder, and none where the repository's settings want none", async () => {
    const { folder, git, write } = repository({ "a.txt": "a\n", "sub/b.txt": "b\n" });
    write("a.txt", "A\n");
    write(".ssh/id_rsa", "secret\n");
    write("sub/new.txt", "new\n");
    const text = await gitDiff(join(folder, "sub"), { of: "repository" });
    expect(text).toContain("+A\n");
    expect(text).toContain("+new\n");
    expect(text).not.toContain("id_rsa");
    git("config", "status.showUntrackedFiles", "no");
    const less = await gitDiff(join(folder, "sub"), { of: "repository" });
    expect(less).toContain("+A\n");
    expect(less).not.toContain("new.txt");
    expect(less).toContain("[New files are left out: status.showUntrackedFiles says so.]\n");
  });

  test("leaves out files that are closed, by their exact names, and says that there are some", async () => {
    const odd = "o[d]d*";
    const { folder, git, write } = repository({ lib: "good\n", [odd]: "odd\n", odd: "plain\n", "open.ts": "open\n" });
    rmSync(join(folder, "lib"));
    write("lib/evil.js", "evil()\n");
    git("add", "--all");
    for (const name of [odd, "odd", "open.ts", "closed-new.ts"]) write(name, `changed ${name}\n`);
    const closed = ["lib", odd, "closed-new.ts"].map((name) => join(folder, name));
    const text = await gitDiff(folder, { of: "folder", isClosed: (path) => closed.includes(path) });
    for (const line of ["+evil()\n", "+changed odd\n", "+changed open.ts\n"]) expect(text).toContain(line);
    for (const line of ["-good\n", "o[d]d", "closed-new"]) expect(text).not.toContain(line);
    expect(text).toContain("[Some changes are left out: the policy closes those files.]\n");
  });

  test("a closed file is left out whatever bytes its name has", async () => {
    const { folder, git } = repository({ "open.ts": "open\n" });
    const name = Buffer.concat([Buffer.from(`${folder}/secret-`), Buffer.from([0xff])]);
    writeFileSync(name, "secret one\n");
    git("add", "--all");
    const text = await gitDiff(folder, { of: "folder", isClosed: (path) => path.includes("secret") });
    expect(text).toBe("[Some changes are left out: the policy closes those files.]\n");
  });

  test("in the list of names, none can pass for another line", async () => {
    const { write, diff } = repository({ "a.txt": "a\n" });
    write("a.txt", "long line of text\n".repeat(20_000));
    write("x\nM safe.txt", "new\n");
    expect(await diff()).toMatch(/:\]\nM a\.txt\nA "x\\nM safe\.txt"\n$/);
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

  test("runs no filter that the repository names, whatever it is called, and needs none", async () => {
    for (const name of ["own", "o=w.n"]) {
      const { folder, git, write, diff } = repository({ "a.txt": "a\n", ".gitattributes": `*.txt filter=${name}\n` });
      const canary = join(folder, "canary");
      for (const key of ["clean", "process", "smudge"]) git("config", `filter.${name}.${key}`, `touch ${canary} #`);
      git("config", `filter.${name}.required`, "true");
      write("a.txt", "A\n");
      write("new.txt", "new\n");
      expect(await diff()).toMatch(/-a\n\+A\n[^]*\+new\n/);
      expect(existsSync(canary)).toBe(false);
    }
  });

  test("tells another commit of a submodule, says what it does not tell of one, and runs nothing there", async () => {
    const inner = repository({ "a.txt": "a\n" });
    const { folder, git, diff } = repository({ "b.txt": "b\n" });
    const canary = join(folder, "canary");
    const names = ["same", "sub"];
    for (const name of names)
      git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", inner.folder, name);
    git("commit", "--quiet", "--message=with submodules");
    git("config", "diff.submodule", "diff");
    git("config", "diff.ignoreSubmodules", "all");
    const there = (name: string, ...args: readonly string[]) =>
      execFileSync("git", [...WHO, ...args], { cwd: join(folder, name), env: PLAIN_GIT, stdio: "ignore" });
    there("sub", "commit", "--quiet", "--allow-empty", "--message=second");
    for (const name of names) {
      there(name, "config", "diff.external", `touch ${canary} #`);
      // A git that looks at what is not committed there has the file filtered.
      there(name, "config", "filter.own.clean", `touch ${canary}; cat`);
      writeFileSync(join(folder, ".git", "modules", name, "info", "attributes"), "*.txt filter=own\n");
      writeFileSync(join(folder, name, "a.txt"), "A\n");
    }
    const told = await diff();
    expect(existsSync(canary)).toBe(false);
    expect(told).toMatch(
      /^diff --git a\/sub b\/sub\n[^]*-Subproject commit \w+\n\+Subproject commit \w+\n\[What is not committed in these submodules is left out:\]\nsame\nsub\n$/,
    );
    there("same", "status");
    expect(existsSync(canary)).toBe(true); // or it could say nothing
  });

  const UNWATCHED = "[git was told not to look at these files. What has changed in them is left out:]\n";

  test("names files that git was told not to look at, there or not, and none that is closed", async () => {
    const { folder, git, write, diff } = repository({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n" });
    git("update-index", "--assume-unchanged", "a.txt", "d.txt");
    git("update-index", "--skip-worktree", "b.txt", "c.txt");
    write("a.txt", "evil\n");
    for (const name of ["c.txt", "d.txt"]) rmSync(join(folder, name));
    expect(await diff()).toBe(`${UNWATCHED}a.txt\nb.txt\nc.txt\nd.txt\n`);
    const isClosed = (path: string): boolean => path.endsWith("d.txt");
    expect(await gitDiff(folder, { of: "folder", isClosed })).toBe(`${UNWATCHED}a.txt\nb.txt\nc.txt\n`);
  });

  test("of a sparse checkout, names those that are there all the same", async () => {
    const { folder, git, write, diff } = repository({ "a.txt": "a\n", "in/b.txt": "b\n", "out/c.txt": "c\n" });
    git("sparse-checkout", "set", "in");
    expect(existsSync(join(folder, "out/c.txt"))).toBe(false);
    expect(await diff()).toBe("");
    git("config", "sparse.expectFilesOutsideOfPatterns", "true");
    write("out/c.txt", "evil\n");
    expect(await diff()).toBe(`${UNWATCHED}out/c.txt\n`);
    git("update-index", "--assume-unchanged", "in/b.txt");
    rmSync(join(folder, "in/b.txt"));
    expect(await diff()).toBe(`${UNWATCHED}in/b.txt\nout/c.txt\n`);
  });

  test("names a submodule whose folder holds something, though git does not look there", async () => {
    const inner = repository({ "in.txt": "in\n" });
    const { folder, git, write, diff } = repository({ "a.txt": "a\n" });
    git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", inner.folder, "sub");
    git("commit", "--quiet", "--message=with a submodule");
    git("submodule", "deinit", "--force", "sub");
    expect(await diff()).toBe("");
    write("sub/new.txt", "evil\n");
    expect(existsSync(join(folder, "sub", ".git"))).toBe(false);
    expect(await diff()).toBe("[What is not committed in these submodules is left out:]\nsub\n");
    git("update-index", "--assume-unchanged", "sub");
    expect(await diff()).toContain(`${UNWATCHED}sub\n`);
  });

  test("is against the last commit itself, and none that stands for it", async () => {
    const { folder, git, write, diff } = repository({ "a.txt": "a\n" });
    write("a.txt", "evil\n");
    git("commit", "--quiet", "--all", "--message=second");
    git("update-ref", "refs/other", "HEAD");
    git("reset", "--quiet", "--soft", "HEAD~1");
    git("replace", "HEAD", "refs/other");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("evil\n");
    expect(await diff()).toContain("-a\n+evil\n");
  });

  test("a new file beside one that differs in case only is told, whatever the settings say", async () => {
    const { folder, git, write, diff } = repository({ "index.js": "a\n" });
    git("config", "core.ignoreCase", "true");
    write("INDEX.js", "evil\n");
    const isSame = readFileSync(join(folder, "index.js"), "utf8") === "evil\n";
    expect(await diff()).toContain(isSame ? "-a\n+evil\n" : "+++ b/INDEX.js\n@@ -0,0 +1 @@\n+evil\n");
  });

  test("a new file is shown, also one whose name means to git what it is given to read", async () => {
    const { write, diff } = repository({ "a.txt": "a\n" });
    write("-", "hidden\n");
    expect(await diff()).toContain("+hidden\n");
  });

  test("a repository that is about another folder is not asked", async () => {
    const { folder, git, diff } = repository({ "a.txt": "a\n" });
    const other = freshFolder("changes");
    writeFileSync(join(other, "a.txt"), "secret\n");
    git("config", "core.worktree", other);
    await expect(diff()).rejects.toThrow(`git cannot say what has changed in ${folder}: the repository is about`);
  });

  test("behind a diff that is cut, every line is one of its own", async () => {
    const { folder, write, diff } = repository({ "a.txt": "a\n" });
    write("a.txt", `${"x".repeat(300_000)}\n`);
    symlinkSync("a.txt", join(folder, "link"));
    expect(await diff()).toContain("\nnew link: link -> a.txt\n");
  });

  test("where git cannot say, its words are told", async () => {
    await expect(gitDiff(freshFolder("changes"), { of: "repository" })).rejects.toThrow(
      /^git cannot say what has changed in .*: fatal: not a git repository/,
    );
    const { diff } = repository({ "a.txt": "a\n" });
    await expect(diff("nowhere")).rejects.toThrow(/fatal: bad revision 'nowhere'/);
  });
});
