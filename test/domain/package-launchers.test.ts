import { describe, expect, it } from "vitest";
import { launchedPackage, launcherWords } from "../../src/domain/package-launchers.ts";

const launched = (line: string) => {
  const [command = "", ...args] = line.split(" ");
  return launchedPackage(command, args);
};

describe("a launcher", () => {
  it.each([
    ["npx -y some-server@1.2.3 --root .", "npx", "npm", "some-server", "1.2.3", null, ["--root", "."]],
    ["/usr/bin/npx @scope/server@1.2.3-rc.1", "npx", "npm", "@scope/server", "1.2.3-rc.1", null, []],
    ["npx --package=some-server@1.2.3 -- serve -x", "npx", "npm", "some-server", "1.2.3", "serve", ["-x"]],
    ["npx -p some-server@1.2.3 serve", "npx", "npm", "some-server", "1.2.3", "serve", []],
    ["npm exec --yes -- some-server@1.2.3", "npm exec", "npm", "some-server", "1.2.3", null, []],
    ["pnpm dlx some-server@1.2.3", "pnpm dlx", "npm", "some-server", "1.2.3", null, []],
    ["yarn dlx some-server@1.2.3", "yarn dlx", "npm", "some-server", "1.2.3", null, []],
    ["bunx --bun some-server@1.2.3", "bunx", "npm", "some-server", "1.2.3", null, []],
    ["uvx some-server==1.2", "uvx", "python", "some-server", "1.2", null, []],
    ["uvx --from some-server[cli]@1.2.0 serve", "uvx", "python", "some-server", "1.2.0", "serve", []],
    ["uv tool run some-server==1.2.0", "uv tool run", "python", "some-server", "1.2.0", null, []],
    ["pipx run --spec some-server==1.2.0 serve a", "pipx run", "python", "some-server", "1.2.0", "serve", ["a"]],
  ])("is read: %s", (line, launcher, of, name, version, program, args) => {
    expect(launched(line)).toEqual({ kind: "package", launcher, of, name, version, program, args });
  });

  it.each([
    "npx some-server",
    "npx -y some-server@latest",
    "npx some-server@^1.2.3",
    "npx some-server@1",
    "npx some-server@1.2",
    "npx some-server@>=1.2.3",
    "npx github:somebody/some-server",
    "npx ./some-server.tgz",
    "npx https://evil.test/some-server@1.2.3",
    "npx evil@npm:other@1.2.3",
    "npx -c some-server@1.2.3",
    "npx --registry=https://evil.test some-server@1.2.3",
    "npx -p a@1.2.3 -p b@1.2.3 a",
    "npx -y",
    "npx -p a@1.2.3",
    "uvx some-server",
    "uvx some-server>=1.2",
    "uvx --index https://evil.test some-server==1.2.0",
    "uvx --with evil some-server==1.2.0",
    "pipx run some-server",
    "pnpm dlx some-server@next",
  ])("without an exact version, or with what may change it, is a problem: %s", (line) => {
    expect(launched(line).kind).toBe("problem");
    const [command = "", ...args] = line.split(" ");
    expect(launcherWords(command, args)).toContain("will not be started");
  });

  it.each(["node server.js", "npm run serve", "pnpm exec some-server", "uv run server.py", "./npx-like", "toString"])(
    "is none: %s",
    (line) => expect(launched(line)).toEqual({ kind: "none" }),
  );
});
