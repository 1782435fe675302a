// From start to end: signals, limits, several attempts at once, and machines that cannot do it.
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { bubblewrapConfinement } from "../../src/confinement/bubblewrap/bubblewrap-confinement.ts";
import { PROGRAM_LIMITS } from "../../src/confinement/bubblewrap/limits.ts";
import { SandboxMachine } from "../../src/confinement/bubblewrap/sandbox-machine.ts";
import { attemptWish } from "./attempt-wish.ts";
import { custody, found, machines, node, openKeep, openWorld, temporaryFolder } from "./kit.ts";
import { textOf } from "./text-of.ts";

const isRoot = process.getuid?.() === 0;
const hasCgroup = found.kind === "parts" && found.parts.cgroups !== undefined;

/** Looks again and again, in real time; throws when it takes too long. */
async function eventually(what: string, isSo: () => boolean, limitMs = 20_000): Promise<void> {
  const start = performance.now();
  while (!isSo()) {
    if (performance.now() - start > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await delay(10);
  }
}

describe.each(machines)("lives, as $user", () => {
  it("is asked to end, not killed: the program itself hears the signal", async () => {
    const world = await openWorld();
    const kept = world.start(`trap 'echo heard; exit 7' TERM; echo up; while :; do sleep 0.05; done`);
    kept.endInput();
    let said = "";
    const reading = (async () => {
      for await (const chunk of kept.stdout) {
        said += Buffer.from(chunk).toString();
        if (said === "up\n") kept.signal("SIGTERM");
      }
    })();
    expect(await kept.exited).toEqual({ kind: "exited", code: 7 });
    await reading;
    expect(said).toBe("up\nheard\n");
  });

  it("passes on what the program reads, writes and ends with", async () => {
    const world = await openWorld();
    const kept = world.start('read line; echo "$line"; echo bad >&2; exit 42');
    await kept.write("hello\n");
    kept.endInput();
    const [out, errors, exited] = await Promise.all([textOf(kept.stdout), textOf(kept.stderr), kept.exited]);
    expect([out, errors, exited]).toEqual(["hello\n", "bad\n", { kind: "exited", code: 42 }]);
  });

  it("leaves nothing behind: no process, no file, no group", async () => {
    const world = await openWorld();
    const mark = `left-${process.pid}`;
    const kept = world.start(`(setsid sh -c 'while :; do sleep 1; done' ${mark} &) ; echo up; exec sleep 60`);
    for await (const chunk of kept.stdout) if (Buffer.from(chunk).includes("up")) break;
    const { args } = world.confined.wrap(world.command("true"));
    const files = args.join(" ").match(/\/[^ ']*\/cadre-\d+\/\d+-[^/]+/)?.[0] ?? "";
    expect(existsSync(files)).toBe(true);
    await world.end();
    expect(existsSync(files)).toBe(false);
    expect(processesWith(mark)).toEqual([]);
    const groups = ["/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory"].filter(existsSync);
    const left = groups
      .flatMap((folder) => readdirSync(folder))
      .filter((name) => name.startsWith(`cadre-${process.pid}-`));
    expect(left).toEqual([]);
  });

  it("two attempts with two policies run at once", async () => {
    const [free, bound] = await Promise.all([openWorld(), openWorld({ policy: { modes: ["plan"] } })]);
    const script = "for i in 1 2 3; do echo x >made && echo wrote; sleep 0.05; done";
    const [one, two] = await Promise.all([free.run(script), bound.run(script)]);
    expect(one.out.split("\n")).toEqual(["wrote", "wrote", "wrote"]);
    expect(two.out).toBe("");
  });

  it("dies with its worker, also by SIGKILL", async () => {
    const folder = temporaryFolder();
    const mark = `orphan-${process.pid}`;
    const script = fileURLToPath(new URL("fixtures/worker.ts", import.meta.url));
    const worker = spawn(process.execPath, [script, folder, mark], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void worker.kill("SIGKILL"));
    await new Promise<void>((resolve, reject) => {
      worker.stdout.on("data", (data: Buffer) => data.includes("up") && resolve());
      worker.once("exit", () => reject(new Error("the worker ended by itself")));
    });
    expect(processesWith(mark).length).toBeGreaterThan(0);
    worker.kill("SIGKILL");
    await eventually("nothing of it runs", () => processesWith(mark).length === 0);
  });

  it("bounds what one program takes", async () => {
    const limits = { ...PROGRAM_LIMITS, openFiles: 64, fileBytes: 1024 * 1024 };
    const world = await openWorld({ machine: new SandboxMachine({ limits }) });
    const ran = await world.run("ulimit -n; ulimit -c; head -c 3000000 /dev/zero >big; wc -c <big");
    expect(ran.out.split("\n")).toEqual(["64", "0", "1048576"]);
  });

  // As root only where a group counts: nothing else would stop them.
  it.runIf(hasCgroup || !isRoot)("a program that takes all memory ends, and nothing else does", async () => {
    const limits = { ...PROGRAM_LIMITS, memoryBytes: 200 * 1024 * 1024 };
    const world = await openWorld({ machine: new SandboxMachine({ limits }) });
    const takes = (megabytes: number) =>
      world.run("", { file: "perl", args: ["-e", `my $all = "x" x ${megabytes * 1024 * 1024}; print "had it all"`] });
    expect(await takes(50)).toMatchObject({ out: "had it all", end: 0 });
    const hog = await takes(400);
    expect(hog.out).toBe("");
    expect(hog.end).not.toBe(0);
    expect((await world.run("echo alive")).out).toBe("alive");
  });

  it.runIf(hasCgroup || !isRoot)("a program that starts ever more is stopped at a number", async () => {
    const limits = { ...PROGRAM_LIMITS, processes: 60 };
    const world = await openWorld({ machine: new SandboxMachine({ limits }) });
    // No bomb that could go off: it wants two hundred, and counts how many it gets.
    const many = `
      const { spawn } = require("node:child_process");
      let started = 0;
      for (let i = 0; i < 200; i++) spawn("sleep", ["3"]).on("spawn", () => started++).on("error", () => undefined);
      setTimeout(() => { console.log(started); process.exit(); }, 500);
    `;
    const started = Number((await world.run("", node(many))).out);
    expect(started).toBeGreaterThan(0);
    expect(started).toBeLessThan(60);
  });
});

describe("machines that cannot do it", () => {
  const wish = () => attemptWish(temporaryFolder(), { keep: openKeep(), custody: custody.tier });
  const options = { home: "/nonexistent/home", homes: [], programs: [], privateHosts: [] };

  it("`best` runs programs as they are, and its label says so and why", async () => {
    const confinement = bubblewrapConfinement(
      { setting: "best", ...options },
      new SandboxMachine({ tools: "there is none" }),
    );
    const confined = await confinement.prepare(wish());
    expect(confined.label).toEqual({ commands: "policy", fileTools: "policy", note: "there is none" });
    const command = { file: "true", args: [], cwd: "/", env: {} };
    expect(confined.wrap(command)).toEqual(command);
  });

  it("`required` refuses the attempt", async () => {
    const confinement = bubblewrapConfinement(
      { setting: "required", ...options },
      new SandboxMachine({ tools: "there is none" }),
    );
    await expect(confinement.prepare(wish())).rejects.toMatchObject({
      code: "admission.refused",
      message: expect.stringContaining("there is none"),
    });
  });

  it.runIf(found.kind === "parts")("does not believe a bubblewrap that confines nothing", async () => {
    if (found.kind !== "parts") return;
    const liar = join(temporaryFolder(), "bwrap");
    writeFileSync(liar, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n');
    chmodSync(liar, 0o755);
    const machine = new SandboxMachine({ tools: { ...found.parts.tools, bwrap: liar } });
    const confinement = bubblewrapConfinement({ setting: "best", ...options }, machine);
    expect((await confinement.prepare(wish())).label).toMatchObject({ commands: "policy" });
  });

  it.runIf(found.kind === "parts")("runs nothing when bubblewrap is gone after all was well", async () => {
    if (found.kind !== "parts") return;
    const bwrap = join(temporaryFolder(), "bwrap");
    copyFileSync(found.parts.tools.bwrap, bwrap);
    chmodSync(bwrap, 0o755);
    const world = await openWorld({ machine: new SandboxMachine({ tools: { ...found.parts.tools, bwrap } }) });
    expect((await world.run("echo ran")).out).toBe("ran");
    rmSync(bwrap);
    const ran = await world.run("echo ran >made");
    expect(ran.end).not.toBe(0);
    expect(existsSync(join(world.project, "made"))).toBe(false);
  });
});

/** Of this machine, by a word in their arguments. */
function processesWith(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textIn(`/proc/${pid}/cmdline`).includes(mark) && Number(pid) !== process.pid);
}

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
