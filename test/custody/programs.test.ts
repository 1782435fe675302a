import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Custody } from "../../src/ports/index.ts";
import { custodies, fixture, namedPipe, openKeep, PATH, sh, temporaryFolder, textOf } from "./kit.ts";

const run = async (custody: Custody, script: string) => {
  const kept = openKeep(custody).spawn(sh(script));
  kept.endInput();
  const [stdout, stderr, exited] = await Promise.all([textOf(kept.stdout), textOf(kept.stderr), kept.exited]);
  return { stdout, stderr, exited };
};

describe.each(await custodies())("a program in custody ($how)", ({ how, custody }) => {
  it.each([0, 1, 3, 127, 255])("that exits with %i is said to have done so", async (code) => {
    expect((await run(custody, `exit ${code}`)).exited).toEqual({ kind: "exited", code });
  });

  it.each(["TERM", "KILL", "SEGV", "ABRT"])("that dies of SIG%s is said to have been killed", async (name) => {
    const { exited, stderr } = await run(custody, `ulimit -c 0; kill -${name} $$`);
    expect(exited).toEqual({ kind: "killed", signal: `SIG${name}` });
    expect(stderr).toBe("");
  });

  it("says what it says on two streams", async () => {
    const { stdout, stderr } = await run(custody, "echo out; echo err >&2; pwd");
    expect(stdout).toBe(`out\n${sh("").cwd}\n`);
    expect(stderr).toBe("err\n");
  });

  it("keeps what it said until somebody reads, also after it has ended", async () => {
    const kept = openKeep(custody).spawn(sh("echo early; echo bird >&2"));
    await kept.exited;
    await delay(50);
    expect(await textOf(kept.stdout)).toBe("early\n");
    expect(await textOf(kept.stderr)).toBe("bird\n");
  });

  it("loses nothing of what it said to a worker that was busy with something else", async () => {
    const kept = openKeep(custody).spawn(sh("sleep 30 & head -c 150000 /dev/zero"));
    const reading = textOf(kept.stdout);
    await kept.exited;
    const start = performance.now();
    while (performance.now() - start < 400); // nothing else happens meanwhile
    expect((await reading).length).toBe(150_000);
  });

  it("gets all of a long input, and gives it back", async () => {
    const kept = openKeep(custody).spawn(sh("exec cat"));
    const sent = "0123456789abcdef".repeat(640 * 1024); // 10 MB
    const reading = textOf(kept.stdout);
    await kept.write(sent);
    kept.endInput();
    const received = await reading;
    expect(received.length).toBe(sent.length);
    expect(received === sent).toBe(true);
    expect(await kept.exited).toEqual({ kind: "exited", code: 0 });
  });

  it("may stop listening: what is written then is lost without an error", async () => {
    const kept = openKeep(custody).spawn(sh("exec <&-; echo deaf; sleep 0.1"));
    const writing = kept.write(Buffer.alloc(4 * 1024 * 1024));
    expect(await textOf(kept.stdout)).toBe("deaf\n");
    await writing;
    await kept.write("more");
    kept.endInput();
    expect(await kept.exited).toEqual({ kind: "exited", code: 0 });
  });

  it("that floods its output while nobody reads just waits", async () => {
    const kept = openKeep(custody).spawn(sh("exec head -c 1000000000 /dev/zero"));
    const before = process.memoryUsage.rss();
    const first = await Promise.race([kept.exited, delay(500, "still running")]);
    expect(first).toBe("still running");
    expect(process.memoryUsage.rss() - before).toBeLessThan(50 * 1024 * 1024);
  });

  it("ends its output although a child that it left behind holds the pipe", async () => {
    const kept = openKeep(custody).spawn(sh("sleep 60 & echo hello"));
    const start = performance.now();
    expect(await textOf(kept.stdout)).toBe("hello\n");
    expect(await kept.exited).toEqual({ kind: "exited", code: 0 });
    expect(performance.now() - start).toBeLessThan(20_000); // long before the child ends
  });

  it("ends its output although a child that it left behind writes for ever", async () => {
    const script = '{ echo y; echo begun >"$1"; exec yes; } & read -r line <"$1"; sleep 0.05';
    const kept = openKeep(custody).spawn(sh(script, namedPipe()));
    expect((await textOf(kept.stdout)).startsWith("y\n")).toBe(true);
  });

  it("has exactly the environment that it was given", async () => {
    process.env["CADRE_CANARY"] = "canary-7c1";
    const env = { PATH, GREETING: "hello world", "odd-name": "1", PWD: "/not/here", EMPTY: "" };
    const kept = openKeep(custody).spawn({ file: "sh", args: [fixture("show-environments.sh")], cwd: "/", env });
    kept.endInput();
    const [own = "", others = ""] = (await textOf(kept.stdout)).split("--- others\n");
    const marked = /^CADRE_KEEP=work_test-\d+:task_1:\d+$/;
    const shown = own.trim().split("\n").toSorted();
    expect(shown.filter((entry) => marked.test(entry))).toHaveLength(how === "tracked" ? 1 : 0);
    const expected = ["EMPTY=", "GREETING=hello world", `PATH=${PATH}`, "PWD=/not/here", "odd-name=1"];
    expect(shown.filter((entry) => !marked.test(entry))).toEqual(expected);
    // At the other tier it sees the whole machine: that is the confinement's affair.
    const inNamespace = how === "tracked" ? "" : others;
    expect(inNamespace).not.toContain("canary-7c1");
  });

  it("has no environment at all where it was given none", async () => {
    const kept = openKeep(custody).spawn({ file: "cat", args: ["/proc/self/environ"], cwd: "/", env: {} });
    expect((await textOf(kept.stdout)).replace(/CADRE_KEEP=.*\0/, "")).toBe("");
  });

  it("is found by a path with an equals sign, a space or a relative one", async () => {
    const folder = join(temporaryFolder(), "a=b c");
    mkdirSync(folder);
    writeFileSync(join(folder, "x=1.sh"), '#!/bin/sh\necho "got $1"\n', { mode: 0o755 });
    const keep = openKeep(custody);
    for (const file of [join(folder, "x=1.sh"), "./x=1.sh"]) {
      const kept = keep.spawn({ file, args: ["A=1"], cwd: folder, env: {} });
      expect(await textOf(kept.stdout)).toBe("got A=1\n");
      expect(await kept.exited).toEqual({ kind: "exited", code: 0 });
    }
  });

  it("is not started, and says why, where it cannot be", async () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at("plain"), "echo no\n");
    writeFileSync(at("orphan"), "#!/no/such/interpreter\n", { mode: 0o755 });
    mkdirSync(at("folder"));
    symlinkSync(at("nowhere"), at("dangling"));
    const keep = openKeep(custody);
    const cases: [file: string, cwd: string, message: RegExp][] = [
      [at("absent"), folder, /there is no program/],
      ["no-such-program-anywhere", folder, /there is no program no-such-program-anywhere in /],
      ["", folder, /there is no program to start/],
      [at("plain"), folder, /is not executable/],
      ["./folder", folder, /no regular file/],
      [at("orphan"), folder, /needs \/no\/such\/interpreter/],
      [at("dangling"), folder, /there is no program/],
      ["sh", at("absent"), /the folder to start it in does not exist/],
    ];
    for (const [file, cwd, message] of cases) {
      const kept = keep.spawn({ file, args: [], cwd, env: { PATH } });
      expect(kept.pid).toBeUndefined();
      await kept.write("nobody reads this");
      kept.endInput();
      kept.signal("SIGTERM");
      expect(await textOf(kept.stdout)).toBe("");
      expect(await kept.exited).toEqual({ kind: "unstarted", message: expect.stringMatching(message) as string });
    }
  });

  it("is not started where its arguments are more than the system takes, or hold what none takes", async () => {
    const keep = openKeep(custody);
    for (const args of [["x".repeat(8 * 1024 * 1024)], ["a\0b"]]) {
      const { exited } = keep.spawn({ ...sh(""), args });
      expect((await exited).kind).toBe("unstarted");
    }
  });

  it("is looked for in the PATH that it is given, and nowhere else", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "greet"), "#!/bin/sh\necho hello\n");
    chmodSync(join(folder, "greet"), 0o755);
    const keep = openKeep(custody);
    const found = keep.spawn({ file: "greet", args: [], cwd: "/", env: { PATH: `/nowhere:${folder}` } });
    expect(await textOf(found.stdout)).toBe("hello\n");
    const absent = keep.spawn({ file: "greet", args: [], cwd: "/", env: {} });
    expect((await absent.exited).kind).toBe("unstarted");
  });
});
