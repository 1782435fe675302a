// Files that decide what other programs run: held where they are, taken away where a program makes one.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { machines, openWorld } from "./kit.ts";

describe.each(machines)("protected files, as $user", () => {
  it("holds those that are there, at any depth", async () => {
    const files = [".npmrc", "deep/er/.npmrc", ".vscode/settings.json", ".github/workflows/ci.yml"];
    const world = await openWorld({
      lay: (project) => {
        for (const folder of ["deep/er", ".vscode", ".github/workflows"])
          mkdirSync(join(project, folder), { recursive: true });
        for (const file of files) writeFileSync(join(project, file), "mine");
      },
    });
    const ran = await world.run(
      `for f in ${files.join(" ")}; do echo evil >$f; rm -f $f; mv $f $f.old; done; mkdir .vscode/x; echo ok >.github/notes`,
    );
    expect(ran.errors).toContain("Read-only file system");
    for (const file of files) expect(readFileSync(join(world.project, file), "utf8")).toBe("mine");
    expect(existsSync(join(world.project, ".vscode", "x"))).toBe(false);
    await world.end();
    expect(world.warnings).toEqual([]);
    expect(readFileSync(join(world.project, ".github", "notes"), "utf8")).toBe("ok\n");
  });

  it("takes those away that a program has made, and says where they are", async () => {
    const world = await openWorld();
    await world.run("echo evil >.npmrc; mkdir -p sub/.git/hooks; echo evil >sub/.git/hooks/post-commit; echo ok >fine");
    await world.end();
    expect(existsSync(join(world.project, ".npmrc"))).toBe(false);
    expect(existsSync(join(world.project, "sub", ".git"))).toBe(false);
    expect(existsSync(join(world.project, "fine"))).toBe(true);
    const quarantine = join(world.home, "quarantine", "task_1");
    expect(readFileSync(join(quarantine, ".npmrc"), "utf8")).toBe("evil\n");
    expect(readFileSync(join(quarantine, "sub", ".git", "hooks", "post-commit"), "utf8")).toBe("evil\n");
    expect(world.warnings).toHaveLength(2);
    expect(world.warnings[0]).toContain(`moved to ${join(quarantine, ".npmrc")}`);
  });

  it("notices one that was put in the place of another", async () => {
    const world = await openWorld({
      lay: (project) => {
        mkdirSync(join(project, "sub"));
        writeFileSync(join(project, "sub", ".npmrc"), "mine");
      },
    });
    await world.run("mv sub old && mkdir sub && echo evil >sub/.npmrc");
    await world.end();
    expect(existsSync(join(world.project, "sub", ".npmrc"))).toBe(false);
    // The person's own is moved too, with its content: nothing is lost.
    const quarantine = join(world.home, "quarantine", "task_1");
    const left = [join(world.project, "old", ".npmrc"), join(quarantine, "old", ".npmrc")].filter(existsSync);
    expect(left.map((file) => readFileSync(file, "utf8"))).toEqual(["mine"]);
  });

  it("opens one that a scope names", async () => {
    const world = await openWorld({
      policy: { fs: { read: ["."], write: [".", ".vscode/settings.json", ".git/config"] } },
      lay: (project) => {
        for (const folder of [".vscode", ".git"]) mkdirSync(join(project, folder));
        for (const file of [".vscode/settings.json", ".vscode/tasks.json", ".git/config"])
          writeFileSync(join(project, file), "mine");
      },
    });
    await world.run("for f in .vscode/settings.json .vscode/tasks.json .git/config; do echo new >$f; done");
    const texts = [".vscode/settings.json", ".vscode/tasks.json", ".git/config"].map((file) =>
      readFileSync(join(world.project, file), "utf8"),
    );
    expect(texts).toEqual(["new\n", "mine", "mine"]);
  });
});
