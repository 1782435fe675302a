// What a program finds of the machine's files, and what it can do to them.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PLAIN_GIT } from "../plain-git.ts";
import { machines, openWorld } from "./kit.ts";

const CANARY = "canary-of-a-stranger";

describe.each(machines)("files, as $user", () => {
  it("reads and writes the project, and is nobody special in it", async () => {
    const world = await openWorld({ lay: (project) => writeFileSync(join(project, "seen"), "hello") });
    const ran = await world.run("cat seen; echo bye >made; id -u");
    expect(ran).toMatchObject({ end: 0, errors: "" });
    expect(ran.out).toMatch(/^hello[1-9]\d*$/);
    expect(readFileSync(join(world.project, "made"), "utf8")).toBe("bye\n");
  });

  it("finds nothing outside of it, and leaves nothing there", async () => {
    const world = await openWorld();
    mkdirSync(join(world.outside, ".ssh"));
    writeFileSync(join(world.outside, ".ssh", "id_ed25519"), CANARY);
    const ran = await world.run(
      [`ls -A ..`, `cat '${world.outside}/.ssh/id_ed25519'`, `echo x >'${world.outside}/made'`, `echo x >../made`].join(
        "; ",
      ),
    );
    expect(ran.out).toBe("project");
    expect(existsSync(join(world.outside, "made"))).toBe(false);
  });

  it("follows no link to what it may not see", async () => {
    const world = await openWorld();
    writeFileSync(join(world.outside, "secret"), CANARY);
    symlinkSync(join(world.outside, "secret"), join(world.project, "link"));
    symlinkSync(world.outside, join(world.project, "up"));
    const ran = await world.run("cat link up/secret; echo x >link; echo x >up/made");
    expect(ran.out).not.toContain(CANARY);
    expect(readFileSync(join(world.outside, "secret"), "utf8")).toBe(CANARY);
    expect(existsSync(join(world.outside, "made"))).toBe(false);
  });

  it("runs programs of a folder in PATH that is a link in the project", async () => {
    const world = await openWorld({
      lay(project) {
        const installed = join(project, "..", "elsewhere", "modules");
        mkdirSync(join(installed, ".bin"), { recursive: true });
        writeFileSync(join(installed, ".bin", "greet"), "#!/bin/sh\necho hello\n", { mode: 0o755 });
        symlinkSync(installed, join(project, "node_modules"));
      },
    });
    const env = { PATH: `${world.project}/node_modules/.bin:/usr/bin:/bin` };
    expect(await world.run("greet; ls", { env })).toEqual({ end: 0, errors: "", out: "hello\nnode_modules" });
    const write = await world.run("echo x >node_modules/.bin/greet", { env });
    expect(write.errors).toContain("Read-only file system");
  });

  it("writes only where it may: a scope, and its own folder", async () => {
    const world = await openWorld({
      policy: { fs: { read: ["."], write: ["out"] } },
      lay: (project) => mkdirSync(join(project, "src")),
    });
    const ran = await world.run(
      `for f in out/a src/a a .cadre/workspace/a; do echo x 2>/dev/null >$f && echo $f; done 2>/dev/null`,
    );
    expect(ran.out.split("\n")).toEqual(["out/a", ".cadre/workspace/a"]);
    expect(existsSync(join(world.project, "out", "a"))).toBe(true);
  });

  it("writes nothing at all in plan mode", async () => {
    const world = await openWorld({ policy: { modes: ["plan"] } });
    const ran = await world.run(`for f in a .cadre/workspace/a; do echo x >$f && echo $f; done`);
    expect(ran.out).toBe("");
    expect(existsSync(join(world.project, "a"))).toBe(false);
  });

  it("reads no more than it may where it may write more", async () => {
    const world = await openWorld({
      policy: { fs: { read: ["src"], write: ["."] } },
      lay: (project) => {
        mkdirSync(join(project, "src"));
        writeFileSync(join(project, "secret"), CANARY);
      },
    });
    const ran = await world.run("cat secret; echo x >src/a && echo written; ls -A");
    expect(ran.out.split("\n")).toEqual(["written", ".cadre", "src"]);
  });

  it("sees nothing of Cadre's state but its own plan and folder", async () => {
    const world = await openWorld({
      lay: (project) => {
        for (const name of ["cadre.db", "plans/1_plan.md", "plans/2_plan.md", "sessions/s.json"])
          writeFileSync(join(project, ".cadre", name), CANARY);
      },
    });
    const ran = await world.run("find .cadre -type f; echo more >>.cadre/plans/1_plan.md; echo x >.cadre/config.yml");
    expect(ran.out).toBe(".cadre/plans/1_plan.md");
    expect(readFileSync(join(world.home, "plans", "1_plan.md"), "utf8")).toBe(`${CANARY}more\n`);
    expect(existsSync(join(world.home, "config.yml"))).toBe(false);
  });

  it("sees what its own command line needs, and only that", async () => {
    const world = await openWorld();
    const [script, beside] = [join(world.outside, "script.sh"), join(world.outside, "beside")];
    for (const file of [script, beside]) writeFileSync(file, "echo ran; echo x >>$0");
    const more = { file: "/bin/sh", args: [script], reads: [script] };
    expect(await world.run("", more)).toMatchObject({ out: "ran" });
    expect((await world.run(`cat ${beside}`)).out).toBe("");
    expect(readFileSync(script, "utf8")).toBe("echo ran; echo x >>$0");
  });

  it("has a home and a folder for temporary files that nobody else sees, and that have an end", async () => {
    const world = await openWorld();
    const env = { PATH: "/usr/bin:/bin", HOME: join(world.outside, "nobody") };
    const fill = (folder: string) => `head -c 600000000 /dev/zero >${folder}/big; wc -c <${folder}/big`;
    const ran = await world.run(`${fill('"$HOME"')}; ${fill("/dev/shm")}; echo x >/etc/x; echo x >/dev/x`, { env });
    for (const size of ran.out.split("\n")) expect(Number(size)).toBeLessThan(600_000_000);
    expect(ran.out.split("\n")).toHaveLength(2);
    expect(existsSync(join(world.outside, "nobody"))).toBe(false);
    expect((await world.run(`ls -A /tmp "$HOME"`, { env })).out).not.toContain("big");
  });

  it("can ask git, and change nothing that git obeys", async () => {
    const world = await openWorld({
      lay: (project) => {
        const git = (...args: string[]) =>
          execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project, env: PLAIN_GIT });
        git("init", "-q");
        writeFileSync(join(project, "a"), "1");
        git("add", "a");
        git("commit", "-qm", "first");
      },
    });
    const before = readFileSync(join(world.project, ".git", "config"), "utf8");
    const ran = await world.run(
      [
        "git log --format=%s",
        "echo '[core] fsmonitor=/bin/evil' >>.git/config",
        "mkdir -p .git/hooks; echo evil >.git/hooks/post-checkout",
        "mv .git gone; rm -rf .git",
      ].join("; "),
    );
    expect(ran.out).toBe("first");
    expect(readFileSync(join(world.project, ".git", "config"), "utf8")).toBe(before);
    expect(existsSync(join(world.project, ".git", "hooks", "post-checkout"))).toBe(false);
  });
});
