// What a program in there can do to the worker, and what is left when it is over.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEgress } from "../../../src/confinement/egress/open-egress.ts";
import { listening, machines, openAttempt, serve } from "./kit.ts";

const MB = 1024 * 1024;
const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** A child's end without waiting for luck: bounded, and looked at often. */
async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const limit = performance.now() + 20_000;
  while (!isSo()) {
    if (performance.now() > limit) throw new Error(`not within 20 seconds: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe.each(machines)("the bounds of an attempt's network (as $user)", () => {
  it("carries a big download as fast as it is taken, and holds next to nothing of it", async () => {
    const size = 64 * MB;
    let sent = 0;
    const { port } = await serve((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, 7);
      const more = (): void => {
        while (sent < size) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    const { run } = await openAttempt({ network: [`ok.test:${port}`], privateHosts: ["ok.test"] });
    const slow = await run(`
      const socket = net.connect(proxy, "127.0.0.1", () => socket.write("CONNECT ok.test:${port} HTTP/1.1\\r\\n\\r\\n"));
      await new Promise((open) => socket.once("data", open));
      socket.pause();
      socket.write("GET / HTTP/1.0\\r\\n\\r\\n");
      await new Promise((later) => setTimeout(later, 300));
      console.log("paused");
      socket.destroy();`);
    expect(slow.out).toBe("paused");
    expect(sent).toBeLessThan(16 * MB); // what is in the buffers of five sockets, and not what was asked for
    sent = 0;
    const whole = await run(`
      let bytes = 0;
      await new Promise((done) => require("node:http").get("http://ok.test:${port}/", (answer) =>
        answer.on("data", (part) => (bytes += part.length)).on("end", done)));
      return bytes;`);
    expect(whole.out).toBe(String(size));
  });

  it("carries 200 connections at once", async () => {
    const echo = createServer((socket) => socket.pipe(socket));
    const port = await listening(echo);
    const { run } = await openAttempt({ network: [`ok.test:${port}`], privateHosts: ["ok.test"] });
    const { out } = await run(`
      const one = (n) => new Promise((done, fail) => {
        let said = "";
        const socket = net.connect(proxy, "127.0.0.1", () => socket.write("CONNECT ok.test:${port} HTTP/1.1\\r\\n\\r\\n"));
        socket.setEncoding("utf8").on("error", fail).on("data", (part) => {
          said += part;
          if (said.endsWith("established\\r\\n\\r\\n")) socket.write("number " + n + ".");
          if (said.endsWith("number " + n + ".")) done(socket);
        });
      });
      const all = await Promise.all(Array.from({ length: 200 }, (_, n) => one(n)));
      for (const socket of all) socket.destroy();
      return all.length;`);
    expect(out).toBe("200");
  });

  it("takes no header without end, and nothing that is no request", async () => {
    const { run } = await openAttempt({ network: true });
    const { out } = await run(`
      console.log((await raw(proxy, "GET http://a.test/ HTTP/1.1\\r\\nx: " + "y".repeat(70000) + "\\r\\n\\r\\n")).split("\\r\\n")[0]);
      console.log((await raw(proxy, "\\x16\\x03\\x01 hello\\r\\n\\r\\n")).split("\\r\\n")[0]);
      console.log((await raw(proxy, "GET / HTTP/1.1\\r\\nhost: a.test\\r\\nconnection: close\\r\\n\\r\\n")).split("\\r\\n")[0]);
      console.log((await raw(proxy, "GET https://a.test/ HTTP/1.1\\r\\nhost: a.test\\r\\nconnection: close\\r\\n\\r\\n")).split("\\r\\n")[0]);
      console.log((await connect("a.test")).split("\\r\\n")[0]);`);
    expect(out.split("\n")).toEqual([
      "HTTP/1.1 431 Request Header Fields Too Large",
      ...Array.from({ length: 4 }, () => "HTTP/1.1 400 Bad Request"),
    ]);
  });

  it("reports no more hosts than anybody would read", async () => {
    const { run, refusals } = await openAttempt();
    await run(`for (let n = 0; n < 80; n++) await connect("host-" + n + ".test:443");`);
    expect(refusals.map(({ host }) => host)).toEqual(Array.from({ length: 50 }, (_, n) => `host-${n}.test`));
  });

  it("lets go of everything: connections, ports, descriptors", async () => {
    const { port } = await serve((_, response) => response.write("never whole"));
    const before = await stableDescriptors();
    const { egress, start, end } = await openAttempt({ network: [`ok.test:${port}`], privateHosts: ["ok.test"] });
    await egress.letReach([{ host: "127.0.0.1", port }]);
    const program = start(`await get("http://ok.test:${port}/")`);
    await eventually("the program is served", () => networkDescriptors() > before + 4);
    await end();
    expect(await program.exited).toMatchObject({ kind: "killed" });
    await eventually("no descriptor is left", () => networkDescriptors() === before);
  });

  it("ends with its worker, by SIGKILL too, without anything being left in there", async () => {
    const worker = spawn(process.execPath, [fixture("worker.ts")], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void worker.kill("SIGKILL"));
    let said = "";
    worker.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    await eventually("its program is up", () => said.includes("up in"));
    const network = /up in (net:\[\d+\])/.exec(said)?.[1] ?? "nowhere";
    expect(processesIn(network)).toBeGreaterThan(0);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    await eventually("nobody is in there", () => processesIn(network) === 0);
  });

  it("says what is missing where it cannot be had, and leaves programs without a network", async () => {
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = "/nowhere";
    onTestFinished(() => {
      process.env["PATH"] = path;
    });
    await expect(
      openEgress({ network: true, privateHosts: [], onRefused: () => undefined, carriesSecret: () => false }),
    ).rejects.toThrow(
      /^the network of this attempt could not be set up: there is no program bwrap in \/nowhere\. .*bubblewrap/,
    );
  });

  it("is not there where it can be made and not entered", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-egress-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "nsenter"), "#!/bin/sh\necho 'reassociate failed: not permitted' >&2\nexit 1\n", {
      mode: 0o755,
    });
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = `${folder}:${path}`;
    onTestFinished(() => {
      process.env["PATH"] = path;
    });
    const before = await stableDescriptors();
    await expect(
      openEgress({ network: true, privateHosts: [], onRefused: () => undefined, carriesSecret: () => false }),
    ).rejects.toThrow("not permitted");
    await eventually("no descriptor is left", () => networkDescriptors() === before);
  });

  it("starts nobody elsewhere when its network is gone", async () => {
    const attempt = await openAttempt({ network: true });
    await attempt.egress.release();
    const { out, errors, code } = await attempt.run(`console.log("ran")`);
    expect([out, code]).toEqual(["", 1]);
    expect(errors).toContain("nsenter");
  });
});

/** Sockets of this process, and networks that it holds. */
const networkDescriptors = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => /^(socket|net):/.test(linkOf(`/proc/self/fd/${fd}`))).length;

/** Once nothing of what was there before is still being closed. */
async function stableDescriptors(): Promise<number> {
  let count = networkDescriptors();
  let looks = 0;
  await eventually("the number of descriptors stays", () => {
    const now = networkDescriptors();
    looks = now === count ? looks + 1 : 0;
    count = now;
    return looks === 20;
  });
  return count;
}

const processesIn = (network: string): number =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && linkOf(`/proc/${pid}/ns/net`) === network).length;

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // it has ended meanwhile
  }
}
