// Ways out that have worked elsewhere. Each is tried for real, by a program that the sandbox holds.
import { existsSync } from "node:fs";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { machines, node, openWorld, temporaryFolder } from "./kit.ts";

const CANARY = "canary-of-a-stranger";

describe.each(machines)("escapes, as $user", () => {
  it("reads no environment but its own, neither by /proc nor otherwise", async () => {
    process.env["CADRE_TEST_CANARY"] = CANARY;
    onTestFinished(() => void delete process.env["CADRE_TEST_CANARY"]);
    const world = await openWorld();
    const env = { PATH: "/usr/bin:/bin", MINE: "1" };
    const ran = await world.run("env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'", { env });
    expect(ran.out).toContain("MINE=1");
    expect(ran.out).not.toContain(CANARY);
    const names = ran.out.split("\n").map((line) => line.split("=")[0]);
    expect(new Set(names)).toEqual(new Set(["PATH", "MINE", "PWD"]));
  });

  it("sees no process but those of its own sandbox", async () => {
    const world = await openWorld();
    const ran = await world.run(`ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} && echo seen`);
    expect(Number(ran.out)).toBeLessThan(8);
  });

  it("has no capability, and cannot get one", async () => {
    const world = await openWorld();
    const ran = await world.run("grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; su -c id; mount");
    expect(ran.out).toMatch(/CapEff:\s+0{16}\n/);
    expect(ran.out).toMatch(/CapBnd:\s+0{16}\n/);
    expect(ran.out).toMatch(/NoNewPrivs:\s+1/);
    expect(ran.out).not.toContain("uid=0");
  });

  it.each([
    "mount -o remount,rw,bind /usr",
    "mount -o remount,rw /",
    "mount -t tmpfs none /usr",
    "mount --bind /tmp /usr",
    "umount /proc/sys",
    "umount -l /usr",
    "unshare -r true",
    "unshare -Ur mount -t tmpfs none /usr",
    "unshare -m true",
    "unshare -n true",
    "nsenter -t 1 -m true",
    "chroot / true",
    "echo x >/proc/sys/kernel/core_pattern",
    "echo x >/proc/sys/kernel/modprobe",
    "echo b >/proc/sysrq-trigger",
    "echo x >/usr/bin/made-by-a-test",
    "head -c 1 /proc/kcore",
    "dmesg",
  ])("is refused: %s", async (line) => {
    const world = await openWorld();
    const ran = await world.run(`(${line}) >/dev/null 2>&1; echo $?`, {
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    });
    expect(ran.end).toBe(0);
    expect(Number(ran.out)).toBeGreaterThan(0);
  });

  it("is told by the kernel itself that these calls are not for it", async () => {
    const world = await openWorld();
    // Shells have no way to make them; perl has the numbers for x64, and other machines are covered above.
    if (process.arch !== "x64") return;
    const calls = { ptrace: 101, unshare: 272, setns: 308, bpf: 321, keyctl: 250, userfaultfd: 323, perf: 298 };
    const probe = `for (@ARGV) { $! = 0; my $r = syscall($_, 0, 0, 0, 0, 0); print "$_ $r " . ($! + 0) . "\\n"; }`;
    const ran = await world.run("", { file: "perl", args: ["-e", probe, ...Object.values(calls).map(String)] });
    expect(ran.out.split("\n")).toEqual(Object.values(calls).map((number) => `${number} -1 1`));
    const absent = await world.run("", { file: "perl", args: ["-e", probe, "435", "425"] });
    expect(absent.out.split("\n")).toEqual(["435 -1 38", "425 -1 38"]);
  });

  it("reaches no server of this machine, by no protocol, and no name is asked for", async () => {
    const heard: string[] = [];
    const tcp = createServer(() => heard.push("tcp")).listen(0, "127.0.0.1");
    const udp = createSocket("udp4", () => heard.push("udp")).bind(0, "127.0.0.1");
    await Promise.all([
      new Promise((done) => tcp.once("listening", done)),
      new Promise((done) => udp.once("listening", done)),
    ]);
    onTestFinished(() => {
      tcp.close();
      udp.close();
    });
    const ports = { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port };
    const world = await openWorld();
    const ran = await world.run(
      "",
      node(`
        const dns = new (require("node:dns").Resolver)({ timeout: 300, tries: 1 });
        dns.setServers(["127.0.0.1:${ports.udp}"]);
        const said = [];
        const udp = require("node:dgram").createSocket("udp4");
        udp.on("error", () => said.push("udp refused"));
        udp.send("x", ${ports.udp}, "127.0.0.1", () => udp.close());
        require("node:net").connect(${ports.tcp}, "127.0.0.1").on("connect", () => said.push("tcp connected")).on("error", (e) => said.push("tcp " + e.code));
        require("node:net").connect(80, "192.0.2.1").on("error", (e) => said.push("far " + e.code));
        dns.resolve4("secret.example", (e) => said.push("dns " + e.code));
        setTimeout(() => { console.log(said.sort().join("\\n")); process.exit(); }, 1500);
      `),
    );
    expect(ran.out).toContain("tcp ECONNREFUSED");
    expect(ran.out).toContain("far ENETUNREACH");
    expect(ran.out).toMatch(/dns E/);
    expect(heard).toEqual([]);
  });

  it("talks to no other program by a socket with a path, be it in the project", async () => {
    const heard: string[] = [];
    const world = await openWorld();
    const path = join(world.project, "host.sock");
    const server = createServer(() => heard.push("connected")).listen(path);
    await new Promise((done) => server.once("listening", done));
    onTestFinished(() => void server.close());
    const ran = await world.run(
      "",
      node(
        `require("node:net").connect(${JSON.stringify(path)}).on("connect", () => console.log("in")).on("error", (e) => console.log(e.code))`,
      ),
    );
    expect(ran.out).toBe("EPERM");
    expect(heard).toEqual([]);
  });

  it("still starts programs of its own, and talks to them", async () => {
    const world = await openWorld();
    const ran = await world.run(
      "",
      node(`
        const { fork, execFileSync } = require("node:child_process");
        const fs = require("node:fs");
        fs.writeFileSync("/tmp/child.js", "process.send(process.pid > 1 ? 'hello' : 'no'); process.disconnect()");
        console.log(String(execFileSync("sh", ["-c", "echo sub"])).trim());
        fork("/tmp/child.js").on("message", (m) => console.log(m));
      `),
    );
    expect(ran).toMatchObject({ out: "sub\nhello", end: 0 });
  });

  it("cannot reach the files that hold the sandbox, also where it may write all around them", async () => {
    const folder = temporaryFolder();
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder; // where those files lie
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    const world = await openWorld({ policy: { fs: { read: [".", folder], write: [".", folder] } } });
    const ran = await world.run(
      `echo new >${folder}/made; ls -A ${folder}/cadre-*; for at in ${folder}/cadre-*; do touch $at/x; done`,
    );
    expect(ran.out).toBe("");
    expect(ran.errors).toContain("Read-only file system");
    expect(existsSync(join(folder, "made"))).toBe(true);
  });
});
