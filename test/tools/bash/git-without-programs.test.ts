// Git where nothing confines it: what counts as reading runs nothing that the repository names. The table is held
// against a real git in a repository that names a program wherever it can.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shellEnvironment } from "../../../src/tools/bash/shell-environment.ts";
import { understand } from "../../../src/tools/bash/shell-grammar.ts";
import { samplePolicy, sampleSpec, taskAfter } from "../../domain/samples.ts";

const READS = [
  "git log",
  "git log --oneline -5",
  "git log -n 3 --stat --since='2 days ago' --author=a -- f",
  "git log --since yesterday --format='%h %s'",
  "git log --pretty=odd",
  "git log --graph --all --decorate --name-only",
  "git log -p --no-ext-diff --no-textconv",
  "git log -n 2 -p --no-ext-diff --no-textconv -- f",
  "git log --no-ext-diff --no-textconv -G 2 -S 2 --cc",
  "git log --no-ext-diff --no-textconv -L 1,2:f",
  "git show --stat HEAD",
  "git show --no-ext-diff --no-textconv HEAD",
  "git show --no-ext-diff --no-textconv HEAD:f",
  "git diff --no-ext-diff --no-textconv --cached",
  "git diff --staged --stat --no-ext-diff --no-textconv -- f",
  "git diff --no-ext-diff --no-textconv HEAD~1 HEAD --",
  "git diff --no-ext-diff --no-textconv HEAD~1..HEAD -- f",
  "git diff-index --cached -p --no-ext-diff --no-textconv HEAD",
  "git diff-tree -r HEAD~1 HEAD",
  "git diff-tree -p --no-ext-diff --no-textconv HEAD~1 HEAD",
  "git blame --no-textconv HEAD -- f",
  "git blame -L 1,2 -w --no-textconv HEAD -- f",
  "git stash list",
  "git stash show -p --no-ext-diff --no-textconv",
  "git reflog",
  "git shortlog -sn HEAD",
  "git ls-files",
  "git ls-files -o --exclude-standard",
  "git ls-tree -r HEAD",
  "git cat-file -p HEAD:f",
  "git rev-parse HEAD",
  "git rev-list --pretty=odd HEAD",
  "git describe --always",
  "git cherry main side",
  "git grep -n 2",
  "git grep 2 HEAD",
  "git branch -vv",
  "git tag -l",
  "git for-each-ref",
  "git check-attr -a f",
  "git config --list",
  "git remote -v",
] as const;

const RUNS = [
  "git status",
  "git diff",
  "git diff --no-ext-diff --no-textconv",
  "git diff --stat",
  "git diff --cached",
  "git diff HEAD~1 HEAD",
  "git diff --no-ext-diff --no-textconv HEAD",
  "git log -p",
  "git log -S 2",
  "git log -G 2",
  "git log -p -S --no-textconv --no-ext-diff",
  "git log --no-ext-diff --no-textconv -p -m --remerge-diff",
  "git show",
  "git show HEAD",
  "git blame f",
  "git blame --no-textconv f",
  "git blame HEAD -- f",
  "git blame --no-textconv -L 1,2 -- f",
  "git ls-files -m",
  "git describe --always --dirty",
  "git range-diff main~1..main side~1..side",
  "git stash list -p",
  "git reflog -p",
] as const;

/** They may run something by settings that this repository has not, or with another version of git. */
const MAY_RUN = [
  "git diff --no-ext-diff --no-textconv -n 1 HEAD --",
  "git log --grep -- -p",
  "git show --author --stat",
  "git diff -S --cached --no-ext-diff --no-textconv",
  "git diff --no-ext-diff --no-textconv HEAD~1 HEAD",
  "git diff --no-ext-diff --no-textconv -S 2 HEAD --",
  "git diff-index HEAD",
  "git diff-files",
  "git show HEAD:f",
  "git log --no-ext-diff --no-textconv -p --submodule=diff",
  "git log --no-ext-diff --no-textconv -p --diff-m=remerge",
  "git rev-list --alternate-refs HEAD",
  "git ls-files --recurse-submodules",
  "git whatchanged",
  "git stash show",
] as const;

const isReading = (line: string): boolean => understand(line, "/srv/project", "environment").isReadOnly;

describe("without a confinement", () => {
  it.each(READS)("%j reads", (line) => expect(isReading(line)).toBe(true));
  it.each([...RUNS, ...MAY_RUN])("%j is not proven to read, and what would be is said", (line) => {
    expect(isReading(line)).toBe(false);
    const { isReadOnly, unproven } = understand(line, "/srv/project", "environment");
    expect(unproven).toMatch(/^git may run programs that the repository's configuration names.*: /);
    expect(isReadOnly).toBe(false);
    expect(understand(line, "/srv/project", "os").isReadOnly).toBe(true);
  });

  it.each([
    ["git log -p", "put --no-ext-diff --no-textconv right behind the subcommand"],
    ["git diff", "`git diff --no-ext-diff --no-textconv --cached`"],
    ["ls && git status", "`git ls-files -o --exclude-standard` lists new files"],
    ["git blame f", "`git blame --no-textconv HEAD -- <file>`"],
  ])("%j is told %j", (line, hint) => {
    expect(understand(line, "/srv/project", "environment").unproven).toContain(hint);
  });

  it.each(["git log", "git status", "git rev-parse HEAD"])("somebody else's %j is not proven at all", (line) => {
    expect(understand(line, "/srv/project", "nothing")).toMatchObject({ isReadOnly: false, commands: [line] });
    expect(understand(line, "/srv/project")).toEqual(understand(line, "/srv/project", "nothing"));
  });

  it("what writes has no such hint", () => {
    expect(understand("git status; rm x", "/srv/project", "environment").unproven).toBeUndefined();
  });
});

describe("a real git in a repository that names programs", () => {
  const base = mkdtempSync(join(tmpdir(), "cadre-git-"));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "project");
  const bin = join(base, "bin");
  const log = join(base, "ran");
  const plain = { PATH: process.env["PATH"] ?? "", HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
  const sh = (script: string, env: Readonly<Record<string, string>> = plain) =>
    spawnSync("bash", ["--norc", "--noprofile", "-c", script], { cwd: root, env, encoding: "utf8", timeout: 20_000 });

  beforeAll(() => {
    mkdirSync(root);
    mkdirSync(join(bin, "hooks"), { recursive: true });
    writeFileSync(join(base, ".gitconfig"), "[user]\n  name = a\n  email = a@b\n");
    const program = (name: string): string => {
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${log}\ncat 2>/dev/null\n`);
      chmodSync(join(bin, name), 0o755);
      return join(bin, name);
    };
    program("hooks/post-index-change");
    const settings = {
      "diff.external": program("external"),
      "diff.ev.command": program("command"),
      "diff.ev.textconv": program("textconv"),
      "filter.ev.clean": program("clean"),
      "filter.ev.smudge": program("smudge"),
      "core.fsmonitor": program("fsmonitor"),
      "core.hooksPath": join(bin, "hooks"),
      "core.pager": program("pager"),
      "core.alternateRefsCommand": program("alternates"),
      "core.sshCommand": program("ssh"),
      "gpg.program": program("gpg"),
      "merge.ev.driver": program("merge"),
      "log.showSignature": "true",
      "log.diffMerges": "remerge",
      "format.pretty": "format:%h %G?",
      "pretty.odd": "format:%h %G?",
      "stash.showPatch": "true",
      "alias.log": `!${join(bin, "pager")}`,
    };
    const made = sh(`set -e
      git init -q -b main .; printf '1\\n2\\n3\\n' > f; echo h > h; git add .; git commit -qm one
      git checkout -q -b side; printf '1\\n2s\\n3\\n' > f; git commit -qam side
      git checkout -q main; printf '1\\n2m\\n3\\n' > f; git commit -qam two
      git merge -q side >/dev/null 2>&1 || { printf '1\\n2x\\n3\\n' > f; git add f; git commit -qm merge; }
      printf '1\\n2x\\n4\\n' > f; git stash -q
      sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n abc\\n -----END PGP SIGNATURE-----' \
        <(git cat-file commit HEAD) > ../commit
      git update-ref HEAD $(git hash-object -t commit -w ../commit)
      echo 'f diff=ev filter=ev merge=ev' > .git/info/attributes
      echo h2 > h; git add h; printf '1\\n2x\\n5\\n' > f
      ${Object.entries(settings)
        .map(([key, value]) => `git config ${key} '${value}'`)
        .join("\n")}`);
    if (made.status !== 0) throw new Error(made.stderr);
  });

  const task = { ...taskAfter(), spec: sampleSpec({ policy: samplePolicy({ modes: ["plan"] }) }) };
  const own = { plan: join(base, "plan.md"), folder: base, scopes: [] };
  const looking: Readonly<Record<string, string>> = { ...shellEnvironment({ task, token: "t", own }, base), ...plain };
  const ran = (line: string): string => {
    rmSync(log, { force: true });
    sh(`touch f h; ${line}`, looking);
    return existsSync(log) ? readFileSync(log, "utf8") : "";
  };

  it.each(READS)("runs none of them by %j", (line) => expect(ran(line)).toBe(""));
  it.each(RUNS)("would run some by %j", (line) => expect(ran(line)).not.toBe(""));

  it("fetches nothing that is missing, also by a version that would", () => {
    const other = join(base, "other");
    const made = sh(`set -e
      git init -q ${other}; cd ${other}; echo a > a; git add a; git commit -qm a
      blob=$(git rev-parse HEAD:a); rm -f .git/objects/\${blob:0:2}/\${blob:2}
      git config core.repositoryformatversion 1; git config extensions.partialClone origin
      git config remote.origin.promisor true; git config remote.origin.url ssh://host/x
      git config core.sshCommand ${join(bin, "ssh")}`);
    expect(made).toMatchObject({ status: 0 });
    const { ["GIT_NO_LAZY_FETCH"]: _, ...older } = looking;
    rmSync(log, { force: true });
    expect(sh(`cd ${other}; git cat-file -p HEAD:a`, older).status).not.toBe(0);
    expect(existsSync(log)).toBe(false);
  });
});
