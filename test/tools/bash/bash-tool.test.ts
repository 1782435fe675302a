import { mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../../../src/testing/index.ts";
import { findShell } from "../../../src/tools/bash/find-shell.ts";
import { custodies, eventually, fixture, namedPipe, waitingAt } from "../../custody/kit.ts";
import { shellWorld } from "./kit.ts";

const kinds = await custodies();

describe.each(kinds)("a command in the shell ($how)", ({ custody }) => {
  it("says what came out, both streams in the order of writing, and the exit code", async () => {
    const world = await shellWorld(custody);
    const script = "echo one; echo two >&2; echo three; exit 3";
    expect(await world.run(script)).toEqual({ ok: false, text: "one\ntwo\nthree\n[exit code 3]" });
    expect(await world.run("true")).toEqual({ ok: true, text: "[no output]\n[exit code 0]" });
  });

  it("that is not started says why, in the words of what was to start it", async () => {
    const script = 'echo "bwrap: Can\'t bind mount" >&2; exit 1';
    const world = await shellWorld(custody, { wrap: (command) => ({ ...command, file: "sh", args: ["-c", script] }) });
    expect(await world.run("echo hi")).toEqual({ ok: false, text: "bwrap: Can't bind mount\n[exit code 1]" });
    await world.run("echo hi", { run_in_background: true });
    const inBackground = await world.set.shells.output("bash_1", 5_000, world.abort.signal);
    expect(inBackground).toMatchObject({ output: "bwrap: Can't bind mount\n" });
  });

  it("keeps its folder for the next one, however it ends", async () => {
    const world = await shellWorld(custody);
    const at = async () => (await world.run("pwd -P")).text.split("\n")[0];
    await world.run("cd sub && exit 7");
    expect(await at()).toBe(join(world.root, "sub"));
    await world.run("cd ..; exec true"); // replaced by another program: nobody says where it was
    expect(await at()).toBe(join(world.root, "sub"));
    await world.run("cd ..");
    expect(await at()).toBe(world.root);
    await world.run("cd sub; )");
    expect(await at()).toBe(world.root);
  });

  it("starts in the workspace again after leaving it, and says so", async () => {
    const world = await shellWorld(custody);
    const { text } = await world.run("cd /");
    expect(text).toContain(`left the workspace for /: the next one starts in ${world.root} again`);
    expect((await world.run("pwd")).text).toBe(`${world.root}\n[exit code 0]`);
  });

  it("does not follow a link out of the workspace into its next folder", async () => {
    const world = await shellWorld(custody);
    symlinkSync("/", join(world.root, "out"));
    expect((await world.run("cd out")).text).toContain("left the workspace");
    expect((await world.run("pwd")).text).toContain(world.root);
  });

  it("starts in the workspace when its folder is gone", async () => {
    const world = await shellWorld(custody);
    mkdirSync(join(world.root, "gone"));
    await world.run("cd gone");
    rmSync(join(world.root, "gone"), { recursive: true });
    expect((await world.run("pwd")).text).toContain(world.root);
  });

  it("is ended by force at its time limit, with all that it started", async () => {
    const pipe = namedPipe();
    const world = await shellWorld(custody);
    const { ok, text } = await world.run(`sh ${fixture("hold.sh")} ${pipe} stubborn`, { timeout: 1_000 });
    expect({ ok, text }).toEqual({ ok: false, text: expect.stringContaining("ended after 1000 ms") });
    await eventually("all is gone", () => waitingAt(pipe).length === 0);
  });

  it("is ended when the task is stopped", async () => {
    const pipe = namedPipe();
    const world = await shellWorld(custody);
    const running = world.run(`sh ${fixture("hold.sh")} ${pipe}`);
    await eventually("it is up", () => world.parts.length > 0);
    world.abort.abort(new Error("stopped"));
    expect(await running).toEqual({ ok: false, text: expect.stringContaining("[stopped with the task]") });
    await eventually("all is gone", () => waitingAt(pipe).length === 0);
    expect(await world.run("echo late")).toEqual({ ok: false, text: "not started: the task is being stopped" });
  });

  it("runs in the background under an id, until it is stopped or the tools go", async () => {
    const pipe = namedPipe();
    const world = await shellWorld(custody);
    const { signal } = world.abort;
    expect((await world.run("echo soon", { run_in_background: true })).text).toContain("bash_1");
    expect(await world.set.shells.output("bash_1", 5_000, signal)).toEqual({
      id: "bash_1",
      command: "echo soon",
      exited: { kind: "exited", code: 0 },
      output: "soon\n",
    });
    const hold = `sh ${fixture("hold.sh")} ${pipe}`;
    await world.run(hold, { run_in_background: true });
    await world.run(hold, { run_in_background: true });
    await eventually(
      "both are up",
      () => world.set.shells.list().filter(({ output }) => output.includes("up")).length === 2,
    );
    expect(await world.set.shells.output("bash_2", 0, signal)).toMatchObject({ exited: null });
    expect(await world.set.shells.stop("bash_2")).toMatchObject({ exited: { kind: expect.any(String) } });
    expect(world.set.shells.list().map(({ exited }) => exited === null)).toEqual([false, false, true]);
    expect(await world.set.shells.stop("bash_9")).toBeUndefined();
    await world.set[Symbol.asyncDispose]();
    await eventually("all is gone", () => waitingAt(pipe).length === 0);
  });
});

describe("a command in the shell", () => {
  const [{ custody }] = [kinds[0] ?? { custody: undefined }];
  if (custody === undefined) throw new Error("there is no custody");

  it("has another id in the background of a later attempt, which goes on with the same conversation", async () => {
    const world = await shellWorld(custody, { attempt: 2 });
    expect((await world.run("true", { run_in_background: true })).text).toContain("in the background as bash_2_1:");
  });

  it("sees no more of the environment than the policy names, and none that would change the shell", async () => {
    process.env["CADRE_CANARY"] = "secret";
    process.env["BASH_ENV"] = "/dev/null";
    const world = await shellWorld(custody, { policy: { env: { allow: ["PATH", "BASH_ENV", "CADRE_MISSING"] } } });
    const { text } = await world.run("env");
    delete process.env["CADRE_CANARY"];
    delete process.env["BASH_ENV"];
    expect(text).not.toContain("secret");
    expect(text).not.toContain("BASH_ENV");
    expect(text).toContain("CADRE_TOKEN=token-of-this-attempt");
    expect(text).toContain(`PATH=${process.env["PATH"] ?? ""}`);
  });

  it("is shown while it runs, in parts that are named by the call", async () => {
    const world = await shellWorld(custody);
    await world.run("echo héllo");
    const texts = world.parts.map((part) => (part.type === "output-delta" && part.call === "call_1" ? part.text : ""));
    expect(texts.join("")).toBe("héllo\n");
  });

  it("keeps the beginning and the end of what is too long, and says how much is missing", async () => {
    const world = await shellWorld(custody);
    const { text, leftOut } = await world.run("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
    expect(text.startsWith("first\n")).toBe(true);
    expect(text).toContain("[… 902860 bytes are left out here …]");
    expect(text).toContain("last\n[exit code 0]");
    expect(text.length).toBeLessThan(2_100_000);
    expect(leftOut).toBe("902860 bytes in the middle of the output were not kept");
    const whole = await world.run("seq 1 200000");
    expect([whole.text, whole.leftOut]).toEqual([
      `${Array.from({ length: 200_000 }, (_, at) => at + 1).join("\n")}\n[exit code 0]`,
      undefined,
    ]);
  });

  it("has nothing to read from", async () => {
    const world = await shellWorld(custody);
    expect((await world.run("cat; echo done")).text).toBe("done\n[exit code 0]");
  });

  it("waits for the one before it", async () => {
    const world = await shellWorld(custody);
    const both = await Promise.all([world.run("sleep 0.2; cd sub"), world.run("pwd -P")]);
    expect(both[1]?.text).toContain(join(world.root, "sub"));
  });

  it("has its time by the clock that it is given", async () => {
    const clock = fakeClock();
    const world = await shellWorld(custody, { clock });
    const running = world.run("echo up; sleep 60", { timeout: 30_000 });
    await eventually("it is up", () => world.parts.length > 0);
    await clock.advance(30_000);
    expect((await running).text).toMatch(/^up\n(?:.*\n)?\[ended after 30000 ms, which was its time limit\]$/);
  });

  it("is refused before it starts where the input does not fit", async () => {
    const { tool } = await shellWorld(custody);
    expect(tool.plan({ command: " " })).toEqual({ ok: false, problem: "`command` there is no command" });
    expect(tool.plan({ command: "a\0b" })).toMatchObject({ ok: false });
    expect(tool.plan({ command: "ls", timeout: 600_001 })).toMatchObject({ ok: false });
    expect(tool.plan({ command: "ls", cwd: "/" })).toMatchObject({ ok: false });
    expect(tool.plan("ls")).toMatchObject({ ok: false });
    expect(tool.plan({ command: "x".repeat(100_001) })).toMatchObject({ ok: false });
  });

  it("is planned as what the grammar proves", async () => {
    const { tool, root } = await shellWorld(custody, { held: "os" });
    const use = (command: string, more = {}) => tool.plan({ command, ...more });
    expect(use("git diff | head")).toEqual({
      ok: true,
      use: { effect: "exec", commands: ["git diff", "head"], isReadOnly: true },
    });
    expect(use(`cat ${realpathSync(root)}/a`)).toMatchObject({ use: { isReadOnly: true } });
    expect(use("ls", { run_in_background: true })).toMatchObject({ use: { isReadOnly: false } });
    expect(use("$x")).toMatchObject({ use: { commands: null, isReadOnly: false } });
  });

  it("that a repository could let run programs is no reading where nothing confines these", async () => {
    const { tool } = await shellWorld(custody, { held: "policy" });
    const use = (command: string) => tool.plan({ command });
    expect(use("git diff | head")).toMatchObject({
      ok: true,
      use: { isReadOnly: false, unproven: expect.stringContaining("--no-ext-diff --no-textconv") as string },
    });
    expect(use("git log --oneline | head")).toMatchObject({ ok: true, use: { isReadOnly: true } });
  });

  it("is not understood where the shell is not bash", async () => {
    const shell = { file: "/bin/sh", options: [], isBash: false, supervisor: [] };
    const world = await shellWorld(custody, { shell });
    expect(world.tool.plan({ command: "ls" })).toMatchObject({ use: { commands: null, isReadOnly: false } });
    expect((await world.run("cd sub; echo hi")).text).toBe("hi\n[exit code 0]");
    expect((await world.run("pwd -P")).text).toContain(join(world.root, "sub"));
  });

  it("is not offered where there is no shell", () => {
    expect(findShell([])).toBeUndefined();
  });
});
