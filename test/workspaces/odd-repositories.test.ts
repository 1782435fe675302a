// Repositories that do not hold all of themselves, or hold it otherwise: trees are made of them, and merged all the same.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { gitIn, repository, taskWith, type TestProject, treesIn, WISH, write } from "./kit.ts";

const SESSION = taskWith().spec.session;
const FILES = { "a.txt": "one\n", "odd\nname.txt": "x\n", "deep/er/b.txt": "b\n" };

function clonedWith(...args: readonly string[]): TestProject {
  const origin = repository(FILES);
  write(origin.project, { "a.txt": "second\n" });
  origin.git("commit", "--quiet", "--all", "--message=second");
  origin.git("config", "uploadpack.allowFilter", "true");
  const project = join(origin.userHome, "clone");
  const from = args.includes("--shared") ? origin.project : pathToFileURL(origin.project).href;
  gitIn(origin.userHome)("clone", "--quiet", ...args, from, project);
  return { project, home: join(project, ".cadre"), userHome: origin.userHome, git: gitIn(project) };
}

function withOtherHashes(): TestProject {
  const place = repository(FILES);
  const project = join(place.userHome, "other");
  place.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256", project);
  const git = gitIn(project);
  write(project, { ".gitignore": ".cadre\n", ...FILES });
  git("add", "--all");
  git("commit", "--quiet", "--message=first");
  return { project, home: join(project, ".cadre"), userHome: place.userHome, git };
}

const ODD: readonly (readonly [string, () => TestProject])[] = [
  ["shallow", () => clonedWith("--depth=1")],
  ["shared with another, by alternates", () => clonedWith("--shared")],
  ["partial, without the files of its past", () => clonedWith("--filter=blob:none")],
  ["of the other format of objects", withOtherHashes],
];

describe.each(ODD)("a repository that is %s", (_name, make) => {
  test.each(["worktree", "sandbox"] as const)(
    "has a %s made of it and merged, with a sweep in between",
    async (mode) => {
      const place = make();
      const { trees, shelf } = treesIn(place);
      const workspace = await trees.prepare(taskWith({ mode }), mode);
      write(workspace.root, { "a.txt": "agent\n", "new\nline.txt": "n\n" });
      place.git("gc", "--quiet", "--prune=now");
      expect(await workspace.release()).toMatchObject({ files: 2 });
      place.git("gc", "--quiet", "--prune=now");
      expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
      expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("agent\n");
      expect(readFileSync(join(place.project, "new\nline.txt"), "utf8")).toBe("n\n");
      expect(place.git("fsck", "--no-progress", "--connectivity-only")).not.toContain("missing");
    },
  );
});
