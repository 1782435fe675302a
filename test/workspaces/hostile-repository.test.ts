// A repository that names programs wherever git lets one. None of them may run, at any step.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitDiff } from "../../src/platform/git-diff.ts";
import { gitIn, repository, taskWith, type TestProject, treesIn, WISH, write } from "./kit.ts";

const SESSION = taskWith().spec.session;
const HOOKS = [
  "post-checkout",
  "pre-commit",
  "commit-msg",
  "post-commit",
  "pre-merge-commit",
  "post-merge",
  "post-index-change",
  "reference-transaction",
];

/** Every way that is known to make git start something, each leaving its name in the canary. */
function hostile(): TestProject & { readonly canary: string } {
  const place = repository({
    "a.txt": "one\n",
    "b.sec": "secret\n",
    ".gitattributes": "*.sec filter=evil diff=evil merge=evil\n*.txt diff=evil merge=evil filter=evil2\n",
  });
  const canary = join(place.userHome, "canary");
  const program = (name: string): string => {
    const file = join(place.userHome, `run-${name}`);
    writeFileSync(file, `#!/bin/sh\necho ${name} >> ${canary}\nexec cat\n`);
    chmodSync(file, 0o755);
    return file;
  };
  for (const hook of HOOKS) {
    const file = join(place.project, ".git/hooks", hook);
    mkdirSync(join(place.project, ".git/hooks"), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho ${hook} >> ${canary}\n`);
    chmodSync(file, 0o755);
  }
  const settings: Readonly<Record<string, string>> = {
    "core.fsmonitor": program("fsmonitor"),
    "core.pager": program("pager"),
    "core.editor": program("editor"),
    "core.sshCommand": program("ssh"),
    "core.askPass": program("askpass"),
    "diff.external": program("external"),
    "diff.evil.textconv": program("textconv"),
    "diff.evil.command": program("diff-command"),
    "filter.evil.clean": program("clean"),
    "filter.evil.smudge": program("smudge"),
    "filter.evil.required": "true",
    "filter.evil2.process": program("process"),
    "filter.evil2.required": "true",
    "merge.evil.driver": `${program("driver")} %A %O %B`,
    "merge.default": "evil",
    "gpg.program": program("gpg"),
    "commit.gpgSign": "true",
    "credential.helper": `!${program("credential")}`,
    "protocol.ext.allow": "always",
  };
  for (const [key, value] of Object.entries(settings)) place.git("config", key, value);
  writeFileSync(join(place.project, ".git/included"), `[filter "third"]\n\tclean = ${program("included")}\n`);
  place.git("config", "include.path", "included");
  rmSync(canary, { force: true });
  return { ...place, canary };
}

const ran = (canary: string): string => (existsSync(canary) ? readFileSync(canary, "utf8") : "");

describe("nothing that the repository names is run:", () => {
  test("the canary works", () => {
    const place = hostile();
    write(place.project, { "b.sec": "changed\n" });
    try {
      place.git("add", "b.sec");
    } catch {
      // its process filter does not speak the protocol
    }
    expect(ran(place.canary)).toContain("clean");
  });

  test("not when a worktree is made, committed, shown, merged and removed", async () => {
    const place = hostile();
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    expect(readFileSync(join(workspace.root, "b.sec"), "utf8")).toBe("secret\n");
    write(workspace.root, { "b.sec": "more\n", "c.txt": "c\n" });
    expect(await workspace.release()).toMatchObject({ files: 2 });
    expect(await shelf.changes(SESSION)).toMatchObject({ patch: expect.stringContaining("+more") });
    expect((await shelf.list())[0]).toMatchObject({ isUncommitted: false });
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged", into: "main" });
    expect(readFileSync(join(place.project, "b.sec"), "utf8")).toBe("more\n");
    expect(ran(place.canary)).toBe("");
  });

  test("not in a conflict either, which is named although a driver would have settled it", async () => {
    const place = hostile();
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    write(workspace.root, { "a.txt": "theirs\n" });
    await workspace.release();
    write(place.project, { "a.txt": "ours\n" });
    place.git(
      "-c",
      "filter.evil2.process=",
      "-c",
      "filter.evil2.required=false",
      "-c",
      "core.fsmonitor=false",
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "commit.gpgSign=false",
      "commit",
      "--quiet",
      "--all",
      "--message=ours",
    );
    rmSync(place.canary, { force: true });
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "conflicts", paths: ["a.txt"] });
    expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("ours\n");
    expect(ran(place.canary)).toBe("");
  });

  test("not when a private copy is made, committed and merged", async () => {
    const place = hostile();
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(taskWith({ mode: "sandbox" }), "sandbox");
    write(workspace.root, { "b.sec": "more\n" });
    expect(await workspace.release()).toMatchObject({ mode: "sandbox", files: 1 });
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(readFileSync(join(place.project, "b.sec"), "utf8")).toBe("more\n");
    expect(ran(place.canary)).toBe("");
  });

  test("not from a `.git` that the agent has put in place of its own", async () => {
    const place = repository();
    const { trees, shelf } = treesIn(place);
    const canary = join(place.userHome, "canary");
    const workspace = await trees.prepare(taskWith(), "worktree");
    const fake = join(workspace.root, "fake");
    mkdirSync(fake);
    place.git("init", "--quiet", "--bare", fake);
    gitIn(fake)("config", "core.fsmonitor", `touch ${canary} #`);
    gitIn(fake)("config", "core.worktree", workspace.root);
    writeFileSync(join(workspace.root, ".git"), `gitdir: ${fake}\n`);
    write(workspace.root, { "b.txt": "b\n" });
    await workspace.release();
    await shelf.list();
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(existsSync(canary)).toBe(false);
    expect(readFileSync(join(place.project, "b.txt"), "utf8")).toBe("b\n");
  });

  test("not by a submodule that the agent has filled", async () => {
    const library = repository({ "lib.c": "int x;\n" });
    const place = repository();
    place.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.project, "vendor/lib");
    place.git("commit", "--quiet", "--message=with a submodule");
    const canary = join(place.userHome, "canary");
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    const sub = join(workspace.root, "vendor/lib");
    place.git("init", "--quiet", sub);
    write(sub, { "own.txt": "own\n" });
    gitIn(sub)("add", "--all");
    gitIn(sub)("commit", "--quiet", "--message=own");
    gitIn(sub)("config", "core.fsmonitor", `touch ${canary} #`);
    write(workspace.root, { "b.txt": "b\n" });
    const kept = await workspace.release();
    expect(kept).toMatchObject({ files: 1, left: ["vendor/lib"] });
    await shelf.changes(SESSION);
    await gitDiff(workspace.root, { of: "repository" });
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged", left: workspace.root });
    expect(readFileSync(join(sub, "own.txt"), "utf8")).toBe("own\n");
    expect(existsSync(canary)).toBe(false);
  });
});
