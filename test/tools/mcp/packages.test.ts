// Servers of a package registry: real packages, packed and installed by npm without a network, and launchers that say
// when they are run.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openServers, program, temporary, type Wishes } from "./kit.ts";

const REAL = process.env["PATH"];
const NAME = "some-server";
const LINE = [NAME, "1.2.3"].join("@");

function lay(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const npm = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    env: { PATH: REAL, HOME: cwd, npm_config_cache: join(cwd, ".npm"), npm_config_update_notifier: "false" },
  });

/** A package with one that it needs, packed by npm. Installing it would leave a mark. */
function packed(version = "1.2.3"): string {
  const folder = temporary();
  const [server, ...args] = program("server", "2026").args;
  const source = `#!${process.execPath}\nrequire("helper-of-server");\nprocess.argv.push(...${JSON.stringify(args)});\nimport(${JSON.stringify(server)});\n`;
  lay(folder, {
    "server/package.json": JSON.stringify({
      name: NAME,
      version,
      bin: "cli.cjs",
      dependencies: { "helper-of-server": "1.0.0" },
      bundleDependencies: ["helper-of-server"],
      scripts: { postinstall: "touch installed" },
    }),
    "server/cli.cjs": source,
    "server/node_modules/helper-of-server/package.json": JSON.stringify({ name: "helper-of-server", version: "1.0.0" }),
    "server/node_modules/helper-of-server/index.js": "",
  });
  chmodSync(join(folder, "server/cli.cjs"), 0o755);
  return join(folder, npm(folder, "pack", "./server").trim().split("\n").at(-1) ?? "");
}

const installing = (tarball: string) => (root: string) => {
  lay(root, { "package.json": "{}" });
  npm(root, "install", "--ignore-scripts", tarball);
};

/** Launchers that only say that they were run, before the real ones. */
function launchers(): string {
  const bin = temporary();
  const mark = join(bin, "ran");
  for (const name of ["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "uvx", "uv", "pipx"])
    writeFileSync(join(bin, name), `#!/bin/sh\necho "$0 $@" >>'${mark}'\nexit 1\n`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = `${bin}:${before}`;
  onTestFinished(() => void (process.env["PATH"] = before));
  return mark;
}

const served = (args: readonly string[], wishes: Wishes = {}, command = "npx") =>
  openServers({ s: { command, args: [...args] } }, wishes);
const ALLOW = { answer: { verdict: "allow", scope: "once" } } as const;
const folderIn = (root: string) => join(root, "node_modules", NAME);

describe("a server that is a package", { timeout: 60_000 }, () => {
  it("is put to a person with all that it is, and then started by itself: no launcher runs", async () => {
    const tarball = packed();
    const mark = launchers();
    const folder = temporary();
    const { asked, names, root, run, started } = await served(["-y", LINE], {
      ...ALLOW,
      folder,
      lay: installing(tarball),
    });
    expect(names).toContain("mcp__s__echo");
    expect((await run("mcp__s__echo", { text: "hello" })).text).toContain("hello");
    expect(asked).toHaveLength(1);
    expect(asked[0]?.title).toContain("nobody has agreed to yet");
    expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({
      package: NAME,
      version: "1.2.3",
      folder: folderIn(root),
      packages: 2,
      integrity: expect.stringMatching(/^sha512-/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(started[0]).toMatchObject({
      file: join(folderIn(root), "cli.cjs"),
      reads: expect.arrayContaining([join(root, "node_modules")]),
    });
    expect(started[0]?.env).toMatchObject({
      npm_config_offline: "true",
      npm_config_ignore_scripts: "true",
      UV_OFFLINE: "1",
    });
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(join(folderIn(root), "installed"))).toBe(false);
  });

  it("is not asked about again while it is the same, wherever it lies", async () => {
    const tarball = packed();
    const folder = temporary();
    await served([LINE], { ...ALLOW, folder, lay: installing(tarball) });
    const again = await served([LINE], { folder, lay: installing(tarball) });
    expect([again.asked.length, again.names.length > 0]).toEqual([0, true]);
  });

  it.each([
    ["its own files", "cli.cjs"],
    ["what it needs", "node_modules/helper-of-server/index.js"],
    ["a file that was not there", "extra.js"],
  ])("is put to a person again when it has changed: %s", async (_what, changed) => {
    const tarball = packed();
    const folder = temporary();
    await served([LINE], { ...ALLOW, folder, lay: installing(tarball) });
    const spoil = (root: string) => {
      installing(tarball)(root);
      appendFileSync(join(folderIn(root), changed), "\n// owned\n");
    };
    const refused = await served([LINE], { folder, lay: spoil });
    expect(refused.asked[0]?.title).toContain("its files have changed");
    expect([refused.names, refused.started]).toEqual([[], []]);
    expect(refused.notes.join()).toContain("nobody has agreed to the package");
    const agreed = await served([LINE], { ...ALLOW, folder, lay: spoil });
    expect(agreed.names.length).toBeGreaterThan(0);
  });

  it.each([
    ["npx", ["-y", NAME]],
    ["npx", ["-y", `${NAME}@latest`]],
    ["npx", [`${NAME}@^1.2.0`]],
    ["npx", ["-c", `${LINE} --x`]],
    ["npx", [`${NAME}@1.2.4`]],
    ["npx", ["other-server@1.2.3"]],
    ["npx", ["-p", LINE, "another-program"]],
    ["pnpm", ["dlx", NAME]],
    ["yarn", ["dlx", "not-there@1.0.0"]],
    ["bunx", ["not-there@1.0.0"]],
    ["npm", ["exec", "--", "not-there@1.0.0"]],
    ["uvx", [NAME]],
    ["uvx", [`${NAME}==1.2.3`]],
    ["pipx", ["run", `${NAME}==1.2.3`]],
  ])("is neither fetched nor started where it is not just the one that is named: %s %j", async (command, args) => {
    const tarball = packed();
    const mark = launchers();
    const { names, notes, started, asked } = await served(args, { ...ALLOW, lay: installing(tarball) }, command);
    expect([names, started, asked]).toEqual([[], [], []]);
    expect(notes.join()).toMatch(/is not run|not installed|has no program/);
    expect(existsSync(mark)).toBe(false);
  });

  it("whose program leads out of its folder is not started", async () => {
    const tarball = packed();
    const astray = (root: string) => {
      installing(tarball)(root);
      writeFileSync(join(root, "evil.cjs"), "", { mode: 0o755 });
      const file = join(folderIn(root), "package.json");
      writeFileSync(file, readFileSync(file, "utf8").replace("cli.cjs", "../../evil.cjs"));
    };
    const { started, notes } = await served([LINE], { ...ALLOW, lay: astray });
    expect([started, notes.join()]).toEqual([[], expect.stringContaining("does not lie in its folder")]);
  });

  it("is found where npx has put it before, and behind links as some managers make them", async () => {
    const tarball = packed();
    const store = temporary();
    installing(tarball)(store);
    const linked = await served([LINE], {
      ...ALLOW,
      lay: (root) => {
        mkdirSync(join(root, "node_modules/.store/x/node_modules"), { recursive: true });
        cpSync(folderIn(store), join(root, "node_modules/.store/x/node_modules", NAME), { recursive: true });
        symlinkSync(`.store/x/node_modules/${NAME}`, folderIn(root));
      },
    });
    expect(linked.names).toContain("mcp__s__echo");
    const home = temporary();
    const before = process.env["HOME"];
    process.env["HOME"] = home;
    onTestFinished(() => void (process.env["HOME"] = before));
    cpSync(join(store, "node_modules"), join(home, ".npm/_npx/0123/node_modules"), { recursive: true });
    const cached = await served([LINE], ALLOW);
    expect(cached.names).toContain("mcp__s__echo");
    expect(cached.started[0]?.file).toBe(join(home, ".npm/_npx/0123/node_modules", NAME, "cli.cjs"));
  });

  it("of Python's is found in the environment that was made for it, and nowhere else", async () => {
    const home = temporary();
    const before = process.env["HOME"];
    process.env["HOME"] = home;
    onTestFinished(() => void (process.env["HOME"] = before));
    const tools = join(home, ".local/share/uv/tools/some-server");
    const [server, ...args] = program("server", "2026").args;
    lay(tools, {
      "bin/some-server": `#!${process.execPath}\nprocess.argv.push(...${JSON.stringify(args)});\nimport(${JSON.stringify(server)});\n`,
      "lib/python3.12/site-packages/some_server-1.2.3.dist-info/METADATA": "",
      "pyvenv.cfg": "home = /usr/bin\n",
    });
    chmodSync(join(tools, "bin/some-server"), 0o755);
    const mark = launchers();
    const { names, asked } = await served(["some-server==1.2.3"], ALLOW, "uvx");
    expect(names).toContain("mcp__s__echo");
    expect(asked).toHaveLength(1);
    expect((await served(["some-server==1.2.4"], ALLOW, "uvx")).names).toEqual([]);
    expect(existsSync(mark)).toBe(false);
  });
});
