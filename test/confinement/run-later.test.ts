// Files that somebody else runs later: not an agent's to write in the project itself.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { machines, openWorld } from "./kit.ts";

const laid = (files: readonly string[]) => (project: string) => {
  for (const file of files) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), "mine");
  }
};

describe.each(machines)("what is run later, as $user", () => {
  const files = ["package.json", "packages/a/package.json", "Makefile", "eslint.config.js", "node_modules/x/index.js"];
  const spoil = (paths: readonly string[]) =>
    paths.map((path) => `mkdir -p ${dirname(path)}; echo evil >${path}; rm -f ${path}`).join("; ");

  it("is held where it is there, and taken away where it is made", async () => {
    const world = await openWorld({ lay: laid(files) });
    await world.run(
      `${spoil(files)}; echo evil >justfile; mkdir -p sub/node_modules/y; echo evil >sub/node_modules/y/i.js; echo ok >src.ts`,
    );
    await world.end();
    for (const file of files) expect(readFileSync(join(world.project, file), "utf8")).toBe("mine");
    expect(readdirSync(world.project).toSorted()).not.toContain("justfile");
    expect(existsSync(join(world.project, "sub/node_modules"))).toBe(false);
    expect(existsSync(join(world.project, "src.ts"))).toBe(true);
    expect(world.warnings.map((text) => text.split(" ")[0])).toEqual(
      expect.arrayContaining([join(world.project, "justfile"), join(world.project, "sub/node_modules")]),
    );
    expect(readFileSync(join(world.home, "quarantine/task_1/justfile"), "utf8")).toBe("evil\n");
  });

  it("is open where a scope names it, and in a tree of its own", async () => {
    const named = await openWorld({ lay: laid(files), policy: { fs: { read: ["."], write: [".", "package.json"] } } });
    await named.run("echo new >package.json; echo new >Makefile");
    await named.end();
    expect(["package.json", "Makefile"].map((file) => readFileSync(join(named.project, file), "utf8"))).toEqual([
      "new\n",
      "mine",
    ]);
    const own = await openWorld({ lay: laid(files), isOwnTree: true });
    await own.run("for f in package.json Makefile node_modules/x/index.js justfile .npmrc; do echo new >$f; done");
    await own.end();
    for (const file of ["package.json", "Makefile", "node_modules/x/index.js", "justfile"])
      expect(readFileSync(join(own.project, file), "utf8")).toBe("new\n");
    expect(existsSync(join(own.project, ".npmrc"))).toBe(false);
  });

  it("is told of where a folder was closed so that it cannot be looked for", async () => {
    const world = await openWorld({ lay: laid(files) });
    await world.run("mkdir sub; echo evil >sub/justfile; chmod 300 sub");
    await world.end();
    const isAway = !existsSync(join(world.project, "sub/justfile"));
    expect(isAway || world.warnings.some((text) => text.includes("closed a folder"))).toBe(true);
  });

  it("does not keep tools from their caches, which are gone with them", async () => {
    const world = await openWorld({ lay: laid([...files, "node_modules/.vite/deps/old.js"]) });
    const ran = await world.run(
      "cat node_modules/.vite/deps/old.js; for c in .cache .vite .vite-temp; do echo evil >node_modules/$c/x && cat node_modules/$c/x; done",
    );
    expect(ran.out.split("\n")).toEqual(["evil", "evil", "evil"]);
    await world.end();
    expect(
      execFileSync("find", [join(world.project, "node_modules"), "-type", "f"], { encoding: "utf8" }),
    ).not.toContain("/x\n");
    expect(readFileSync(join(world.project, "node_modules/.vite/deps/old.js"), "utf8")).toBe("mine");
    expect(world.warnings).toEqual([]);
  });

  it("is put back where there is too much of it to be held", async () => {
    const many = Array.from({ length: 400 }, (_, number) => `packages/p${number}/package.json`);
    const world = await openWorld({ lay: laid(many) });
    await world.run(
      "for f in packages/*/package.json; do echo evil >$f; done; rm -rf packages/p399; mv packages/p398 packages/q; rm -f packages/p397/package.json; mkdir packages/p397/package.json",
    );
    await world.end();
    for (const file of many) expect(readFileSync(join(world.project, file), "utf8")).toBe("mine");
    expect(existsSync(join(world.project, "packages/q/package.json"))).toBe(false);
    expect(world.warnings.length).toBeGreaterThan(200);
  });

  it(
    "or protected: where there is more than can be looked through, nothing is started",
    { timeout: 60_000 },
    async () => {
      const world = await openWorld({
        lay: (project) => {
          laid(["src/a.ts"])(project);
          execFileSync("sh", ["-c", "mkdir many; cd many; seq 1 100001 | xargs touch"], { cwd: project });
        },
      });
      expect(() => world.confined.wrap(world.command("true"))).toThrow(
        /more files .*policy\.fs\.write.*workspace: worktree/,
      );
      const narrow = await openWorld({
        lay: laid(["src/a.ts", "src/package.json"]),
        policy: { fs: { read: ["."], write: ["src"] } },
      });
      await narrow.run("echo new >src/a.ts; echo new >src/package.json");
      expect(["src/a.ts", "src/package.json"].map((file) => readFileSync(join(narrow.project, file), "utf8"))).toEqual([
        "new\n",
        "mine",
      ]);
    },
  );
});
