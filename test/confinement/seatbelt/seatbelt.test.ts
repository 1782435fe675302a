// How programs are put behind `sandbox-exec`, with one that holds nothing in its place. On a Mac, with the real one.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PROGRAM_LIMITS } from "../../../src/confinement/bubblewrap/limits.ts";
import { nothingConfines } from "../../../src/confinement/none/nothing-confines.ts";
import { SeatbeltAttempt } from "../../../src/confinement/seatbelt/seatbelt-attempt.ts";
import { seatbeltConfinement } from "../../../src/confinement/seatbelt/seatbelt-confinement.ts";
import { SeatbeltMachine } from "../../../src/confinement/seatbelt/seatbelt-machine.ts";
import type { HostRefusal } from "../../../src/ports/index.ts";
import type { Policy } from "../../../src/schema/index.ts";
import { attemptWish } from "../attempt-wish.ts";
import { custody, openKeep, temporaryFolder } from "../kit.ts";
import { textOf } from "../text-of.ts";

/** Takes what the real one takes, and runs the program as it is. */
function openLauncher(): string {
  const file = join(temporaryFolder(), "sandbox-exec");
  writeFileSync(file, '#!/bin/sh\n[ "$1" = -f ] || exit 64\nshift 2\nexec "$@"\n');
  chmodSync(file, 0o755);
  return file;
}

function place(policy: Partial<Policy> = {}) {
  const project = join(temporaryFolder(), "project");
  const home = join(project, ".cadre");
  mkdirSync(join(home, "workspace"), { recursive: true });
  writeFileSync(join(project, ".npmrc"), "");
  const refusals: HostRefusal[] = [];
  const wish = attemptWish(project, {
    policy,
    own: { plan: join(home, "plan.md"), folder: join(home, "workspace"), scopes: [] },
    keep: openKeep(),
    custody: custody.tier,
    onRefused: (refusal) => void refusals.push(refusal),
  });
  return { project, home, wish, refusals };
}

function attemptIn({ home, wish }: ReturnType<typeof place>) {
  const parts = { tools: { launcher: openLauncher(), shell: "/bin/sh" }, limits: PROGRAM_LIMITS, privateHosts: [] };
  const own = { homes: [home], quarantine: () => join(home, "quarantine"), programs: [] };
  const attempt = new SeatbeltAttempt({ ...parts, ...own }, wish, { commands: "os", fileTools: "policy" });
  onTestFinished(() => attempt.release());
  return attempt;
}

const profileOf = ({ args }: { readonly args: readonly string[] }): string =>
  readFileSync(args[args.indexOf("-f") + 1] ?? "", "utf8");

/** What the proxy at this address answers to whoever wants to be connected. */
const connectBy = (proxy: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(proxy);
    request({ host: hostname, port, method: "CONNECT", path: host })
      .on("connect", ({ statusCode }, socket) => {
        socket.destroy();
        resolve(statusCode);
      })
      .on("error", reject)
      .end();
  });

describe("a program behind sandbox-exec", () => {
  it("runs with its own arguments, folder, output and exit code", async () => {
    const here = place();
    const attempt = attemptIn(here);
    const args = ["-c", 'echo "$1"; pwd; exit 7', "sh", "two  words"];
    const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent" };
    const kept = here.wish.keep.spawn(attempt.wrap({ file: "sh", args, cwd: here.project, env }));
    kept.endInput();
    expect(await textOf(kept.stdout)).toBe(`two  words\n${here.project}\n`);
    expect(await kept.exited).toEqual({ kind: "exited", code: 7 });
  });

  it("has a profile with its policy in it, and folders of its own where it would find none", () => {
    const here = place();
    const wrapped = attemptIn(here).wrap({ file: "sh", args: [], cwd: here.project, env: { HOME: "/nonexistent" } });
    const profile = profileOf(wrapped);
    expect(profile).toContain(`(allow file-read* file-write* (subpath "${here.project}"))`);
    expect(profile).toContain(`(deny file-write* (subpath "${here.project}/.npmrc"))`);
    expect(profile).toContain(`(deny file-read* file-write* (subpath "${here.home}"))`);
    expect(profile).toContain(`(allow file-read* file-write* (subpath "${here.home}/workspace"))`);
    expect(profile).not.toContain("network");
    expect(wrapped.env["HOME"]).toBe(wrapped.env["TMPDIR"]);
    expect(profile).toContain(`(allow file-read* file-write* (subpath "${wrapped.env["HOME"]}"))`);
  });

  it("with a network reaches one port, at which the policy is held to", async () => {
    const here = place({ network: ["allowed.example"] });
    const attempt = attemptIn(here);
    await attempt.openNetwork();
    const { env, ...wrapped } = attempt.wrap({ file: "sh", args: [], cwd: here.project, env: {} });
    const proxy = env["HTTPS_PROXY"] ?? "";
    const lines = profileOf(wrapped)
      .split("\n")
      .filter((line) => line.includes("network"));
    expect(lines).toEqual([`(allow network-outbound (remote ip "localhost:${new URL(proxy).port}"))`]);
    expect(await connectBy(proxy, "other.example:443")).toBe(403);
    expect(here.refusals).toEqual([expect.objectContaining({ host: "other.example", port: 443 })]);
  });

  it("that is let reach a server of this machine has that very port, too", async () => {
    const here = place();
    const attempt = attemptIn(here);
    await attempt.letReach([{ host: "127.0.0.1", port: 4711 }]);
    const wrapped = attempt.wrap({ file: "sh", args: [], cwd: here.project, env: {} });
    expect(profileOf(wrapped)).toContain('(allow network-outbound (remote ip "localhost:4711"))');
  });
});

describe("a machine without it", () => {
  const options = { home: "/nonexistent", homes: [], programs: [], privateHosts: [] };

  it("does not believe a sandbox-exec that holds nothing", async () => {
    const machine = new SeatbeltMachine({ launcher: openLauncher(), shell: "/bin/sh" });
    const tier = seatbeltConfinement({ ...options, otherwise: nothingConfines("best") }, machine);
    const { label } = await tier.prepare(place().wish);
    expect(label).toMatchObject({ commands: "policy", note: expect.stringContaining("files outside can be read") });
  });

  it("`required` refuses, and says what is missing", async () => {
    const machine = new SeatbeltMachine("there is no sandbox-exec on this machine");
    const tier = seatbeltConfinement({ ...options, otherwise: nothingConfines("required") }, machine);
    await expect(tier.prepare(place().wish)).rejects.toMatchObject({
      code: "admission.refused",
      message: expect.stringContaining("there is no sandbox-exec"),
    });
  });
});

describe.runIf(process.platform === "darwin")("on a Mac", () => {
  it("what a trial found is what the label says, and that nobody has tried it before", async () => {
    const here = place();
    const tier = seatbeltConfinement({
      home: here.home,
      homes: [],
      programs: [process.execPath],
      privateHosts: [],
      otherwise: nothingConfines("best"),
    });
    expect((await tier.prepare(here.wish)).label).toMatchObject({
      commands: "os",
      note: expect.stringContaining("untested"),
    });
  });
});
