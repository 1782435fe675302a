// What Landlock holds where there is no bubblewrap, and what it does not: found out by real programs.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LandlockMachine } from "../../../src/confinement/landlock/landlock-machine.ts";
import { isRecent } from "../../../src/confinement/landlock/find-launcher.ts";
import { node, temporaryFolder } from "../kit.ts";
import { folderElsewhere, foundLandlock, openLandlockWorld, WHY } from "./kit.ts";

const parts = foundLandlock.kind === "parts" ? foundLandlock.parts : undefined;
const isHere = parts !== undefined;
const hasNamespaces = parts?.tools.namespaces !== undefined;
const withoutNamespaces = () =>
  new LandlockMachine({ tools: parts === undefined ? "none" : { ...parts.tools, namespaces: undefined } });

/** On this machine, outside of any attempt. */
async function listening(): Promise<{ readonly port: number; readonly met: () => number }> {
  let met = 0;
  const server = createServer((socket) => {
    met++;
    socket.end("hello\n");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, met: () => met };
}

const connectTo = (port: number): string =>
  `require("node:net").connect(${port}, "127.0.0.1").on("data", (text) => process.stdout.write(text)).on("error", (e) => console.log(e.code))`;

describe.runIf(isHere)("files, whatever the machine has besides", () => {
  it.each([
    ["with namespaces", undefined],
    ["without", withoutNamespaces],
  ])("%s: nothing outside is read or written, and what is inside is", async (_name, machine) => {
    const world = await openLandlockWorld(machine === undefined ? {} : { machine: machine() });
    const atHome = join(homedir(), `landlock-${process.pid}`);
    writeFileSync(join(world.outside, "canary"), "secret");
    writeFileSync(join(world.project, "own.txt"), "own");
    const { out } = await world.run(
      `cat own.txt; cat ../canary; cat /etc/shadow; echo x >../made; echo x >"${atHome}"; ls "${world.outside}"; mkdir new && echo x >new/file && mv new/file moved && cat moved`,
    );
    expect(out).toBe("ownx");
    expect(existsSync(join(world.outside, "made"))).toBe(false);
    expect(existsSync(atHome)).toBe(false);
    expect(readFileSync(join(world.project, "moved"), "utf8")).toBe("x\n");
  });

  it("links that lead out are followed to nothing", async () => {
    const world = await openLandlockWorld();
    writeFileSync(join(world.outside, "canary"), "secret");
    const { out } = await world.run("ln -s ../canary link; cat link; ln ../canary hard; cat hard; echo x >link");
    expect(out).toBe("");
    expect(readFileSync(join(world.outside, "canary"), "utf8")).toBe("secret");
  });

  it("in the mode `plan` nothing is written at all", async () => {
    const world = await openLandlockWorld({ policy: { modes: ["plan"] } });
    const { out } = await world.run("echo x >made; echo x >.cadre/workspace/made; ls -A");
    expect(out).toContain(".cadre");
    expect(existsSync(join(world.project, "made"))).toBe(false);
  });

  it("a program is nobody with rights, has a home and a folder for temporary files, and cannot look into the worker", async () => {
    const world = await openLandlockWorld();
    const { out, errors } = await world.run(
      `grep CapEff /proc/self/status; echo x >"$HOME/file" && echo x >"$TMPDIR/file" && echo kept; cat /proc/${process.pid}/environ; mknod disk b 8 0`,
    );
    expect(out).toMatch(/^CapEff:\t0+\nkept$/);
    expect(errors).toContain("disk");
    expect(existsSync(join(world.project, "disk"))).toBe(false);
  });

  it("its exit code, input and output are its own", async () => {
    const world = await openLandlockWorld();
    const ran = await world.run("echo out; echo err >&2; exit 7");
    expect(ran).toEqual({ out: "out", errors: "err\n", end: 7 });
  });

  it("a launcher that has something to say at every start is not heard", async () => {
    if (parts === undefined) return;
    const tools = { ...parts.tools, launcher: { ...parts.tools.launcher, isWhole: false } };
    const world = await openLandlockWorld({ machine: new LandlockMachine({ tools }) });
    expect(await world.run("echo out; echo err >&2; exit 7")).toEqual({ out: "out", errors: "err\n", end: 7 });
  });
});

describe.runIf(hasNamespaces)("what Landlock cannot take away again, by mounts", () => {
  const lay = (project: string) => {
    mkdirSync(join(project, ".git", "hooks"), { recursive: true });
    writeFileSync(join(project, ".git", "config"), "[core]\n");
    writeFileSync(join(project, ".npmrc"), "registry=own\n");
    writeFileSync(join(project, ".cadre", "sessions", "other.json"), "of another task");
    writeFileSync(join(project, ".cadre", "workspace", "common.txt"), "common");
  };

  it("protected files are read and not written, where all around them is", async () => {
    const world = await openLandlockWorld({ lay });
    const { out } = await world.run(
      `cat .git/config .npmrc; echo x >.git/hooks/pre-commit; echo x >.git/config; echo x >.npmrc; mv .npmrc other; echo x >made && cat made; umount .git`,
    );
    expect(out).toBe("[core]\nregistry=own\nx");
    expect(readFileSync(join(world.project, ".npmrc"), "utf8")).toBe("registry=own\n");
    expect(existsSync(join(world.project, ".git", "hooks", "pre-commit"))).toBe(false);
  });

  it("of Cadre's own state a program sees what is the attempt's own, and can write it", async () => {
    const world = await openLandlockWorld({ lay });
    const { out } = await world.run(
      `ls -A .cadre; cat .cadre/sessions/other.json; cat .cadre/workspace/common.txt; echo x >.cadre/workspace/made; echo x >.cadre/made`,
    );
    expect(out).toBe("workspace\ncommon");
    expect(readFileSync(join(world.home, "workspace", "made"), "utf8")).toBe("x\n");
    expect(existsSync(join(world.home, "made"))).toBe(false);
  });
});

describe.runIf(isHere)("the network", () => {
  it("`best` does not hold it, and says so in the label and to the person", async () => {
    const world = await openLandlockWorld();
    const { port, met } = await listening();
    expect((await world.run("", node(connectTo(port)))).out).toBe("hello");
    expect(met()).toBe(1);
    expect(world.confined.label).toMatchObject({ commands: "files", fileTools: "policy" });
    expect(world.confined.label.note).toContain(`${WHY}; files are held by Landlock; the network`);
    expect(world.warnings).toEqual([expect.stringContaining("the network is not enforced")]);
  });

  it.runIf(hasNamespaces)("`required` closes it: TCP and UDP lead nowhere", async () => {
    const world = await openLandlockWorld({ setting: "required" });
    const { port, met } = await listening();
    expect((await world.run("", node(connectTo(port)))).out).toMatch(/^E(NETUNREACH|CONNREFUSED)$/);
    const sent = await world.run(
      "",
      node(
        `const s = require("node:dgram").createSocket("udp4"); s.send("x", ${port}, "127.0.0.1", (e) => { console.log(e?.code); s.close(); })`,
      ),
    );
    expect(sent.out).toBe("ENETUNREACH");
    expect(met()).toBe(0);
    expect(world.confined.label).toMatchObject({ commands: "os" });
    expect(world.confined.label.note).toContain("system calls are not filtered");
    expect(world.warnings).toEqual([]);
  });

  it.runIf(hasNamespaces)("`required` covers the folders in which others' sockets lie", async () => {
    const folder = mkdtempSync("/tmp/landlock-socket-");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const socket = join(folder, "service.sock");
    const server = createServer((client) => client.end("served\n"));
    await new Promise<void>((resolve) => {
      server.listen(socket, resolve);
    });
    onTestFinished(() => void server.close());
    const ask = node(
      `require("node:net").connect(${JSON.stringify(socket)}).on("data", (text) => process.stdout.write(text)).on("error", (e) => console.log(e.code))`,
    );
    expect((await (await openLandlockWorld()).run("", ask)).out).toBe("served");
    expect((await (await openLandlockWorld({ setting: "required" })).run("", ask)).out).toBe("ENOENT");
  });

  it.runIf(hasNamespaces)(
    "`required` works where the project lies in such a folder, and holds its protected files",
    async () => {
      const outside = temporaryFolder();
      writeFileSync(join(outside, "canary"), "secret");
      const lay = (project: string) => {
        mkdirSync(join(project, ".git"));
        writeFileSync(join(project, ".git", "config"), "[core]\n");
        writeFileSync(join(project, ".cadre", "sessions", "other.json"), "of another task");
      };
      const world = await openLandlockWorld({ setting: "required", outside, lay });
      const { out } = await world.run(
        `cat .git/config; echo x >.git/config; cat ../canary; cat .cadre/sessions/other.json; ls -A .cadre; echo x >made && cat made; echo x >"$TMPDIR/t" && cat "$TMPDIR/t"; ls -A /run`,
      );
      expect(out).toBe("[core]\nworkspace\nx\nx");
      expect(readFileSync(join(world.project, ".git", "config"), "utf8")).toBe("[core]\n");
    },
  );

  it.runIf(hasNamespaces)(
    "who starts in a folder of the home is not led out of it by its name for the folder above",
    async () => {
      const lay = (project: string) => writeFileSync(join(project, ".cadre", "sessions", "other.json"), "of another");
      const world = await openLandlockWorld({ lay });
      const { out } = await world.run("pwd; ls -A ..; cat ../sessions/other.json; echo x >../made", {
        cwd: join(world.home, "workspace"),
      });
      expect(out).toBe(`${join(world.home, "workspace")}\nworkspace`);
      expect(existsSync(join(world.home, "made"))).toBe(false);
    },
  );

  it.runIf(hasNamespaces)("`required` shares no folder for temporary files", async () => {
    const world = await openLandlockWorld({ setting: "required" });
    const mark = join("/tmp", `landlock-${process.pid}`);
    await world.run(`echo x >${mark}`);
    expect(existsSync(mark)).toBe(false);
  });

  it.runIf(hasNamespaces)("`required` refuses who has to reach something", async () => {
    await expect(
      openLandlockWorld({ setting: "required", policy: { network: ["example.com"] } }),
    ).rejects.toMatchObject({
      code: "admission.refused",
      message: expect.stringContaining("hosts that the policy names"),
    });
    const world = await openLandlockWorld({ setting: "required" });
    await expect(world.confined.letReach([{ host: "api.example.com", port: 443 }])).rejects.toMatchObject({
      code: "admission.refused",
      message: expect.stringContaining("api.example.com"),
    });
  });

  it("`required` refuses everybody where no network of their own can be made", async () => {
    await expect(openLandlockWorld({ setting: "required", machine: withoutNamespaces() })).rejects.toMatchObject({
      code: "admission.refused",
      message: expect.stringContaining("Landlock holds files only"),
    });
  });
});

describe("machines that cannot do it", () => {
  const absent = () => new LandlockMachine({ tools: "the launcher of Landlock is not installed" });

  it("`best` runs programs as they are, and the label says why in one line", async () => {
    const world = await openLandlockWorld({ machine: absent() });
    const note = `${WHY}; the launcher of Landlock is not installed`;
    expect(world.confined.label).toEqual({ commands: "policy", fileTools: "policy", note });
  });

  it("`required` refuses", async () => {
    await expect(openLandlockWorld({ setting: "required", machine: absent() })).rejects.toMatchObject({
      code: "admission.refused",
      message: expect.stringContaining("not installed"),
    });
  });

  it.runIf(isHere)("does not believe a launcher that holds nothing", async () => {
    if (parts === undefined) return;
    const liar = { ...parts.tools, launcher: { file: "/usr/bin/env", isWhole: true }, namespaces: undefined };
    const world = await openLandlockWorld({ machine: new LandlockMachine({ tools: liar }) });
    expect(world.confined.label.commands).toBe("policy");
  });

  it.runIf(isHere)("runs nothing when the launcher is gone after all was well", async () => {
    if (parts === undefined) return;
    const file = join(folderElsewhere(), "landlock-run");
    copyFileSync(parts.tools.launcher.file, file);
    chmodSync(file, 0o755);
    const tools = { ...parts.tools, launcher: { file, isWhole: true } };
    const world = await openLandlockWorld({ machine: new LandlockMachine({ tools }) });
    expect((await world.run("echo ran")).out).toBe("ran");
    rmSync(file);
    expect((await world.run("echo x >made")).end).not.toBe(0);
    expect(existsSync(join(world.project, "made"))).toBe(false);
  });

  it.each([
    ["5.15.0-100-generic", false],
    ["6.1.0-25-amd64", false],
    ["6.2.0", true],
    ["6.18.44-fc", true],
    ["7.0.1", true],
    ["odd", false],
  ])("a kernel %s is recent enough: %s", (kernel, is) => {
    expect(isRecent(kernel)).toBe(is);
  });
});
