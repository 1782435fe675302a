// The command line on a machine that has everything but bubblewrap: what it does, and what it says about it.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram } from "../../../src/platform/find-program.ts";
import { cadre, place } from "../../cli/command-line.ts";
import { folderElsewhere, foundLandlock } from "./kit.ts";

const NEEDED = "sh env cat echo setsid timeout unshare setpriv mount mkdir touch git wc".split(" ");
const hasNamespaces = foundLandlock.kind === "parts" && foundLandlock.parts.tools.namespaces !== undefined;

/** A project whose agent reads a file outside of it, and counts its networks. */
async function world(setting: "best" | "required", without: readonly string[] = []) {
  const outside = folderElsewhere();
  const canary = join(outside, "canary");
  writeFileSync(canary, "secret");
  const command = JSON.stringify(["sh", "-c", `cat '${canary}'; echo x >made && cat made; cat /proc/net/dev | wc -l`]);
  const agent = `---\nname: looker\ndescription: looks around\npermission_mode: auto\nworkspace: { allow_writes: true }\ncommand: ${command}\n---\n`;
  const where = await place({ ".cadre/agents/looker.md": agent });
  const bin = join(outside, "bin");
  mkdirSync(bin);
  for (const name of NEEDED.filter((one) => !without.includes(one))) {
    const found = findProgram(name, { cwd: "/", path: process.env["PATH"] });
    if (found.ok) symlinkSync(found.file, join(bin, name));
  }
  return { ...where, env: { ...where.env, PATH: bin, CADRE_SECURITY_CONFINEMENT: setting } };
}

interface Check {
  readonly name: string;
  readonly says: string;
}

const dataOf = (stdout: string): readonly Check[] => (JSON.parse(stdout) as { data: Check[] }).data;
const saidOf = (checks: readonly Check[], name: string): string => checks.find((one) => one.name === name)?.says ?? "";

describe.runIf(hasNamespaces)("without bubblewrap", () => {
  it("`best`: files are held, the network is not, and everybody who asks is told", async () => {
    const where = await world("best");
    const ran = await cadre(where, "run", "looker", "go");
    expect(ran.stdout).toMatch(/^x\n\d+$/m);
    expect(ran.stdout).not.toContain("secret");
    expect(ran.stderr).toContain("the network is not enforced");
    const shown = await cadre(where, "show", "@last");
    expect(shown.stdout).toContain("commands: files, file tools: policy");
    const checks = dataOf((await cadre(where, "doctor", "--json")).stdout);
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: "confinement",
        state: "missing",
        says: expect.stringContaining("files are held by Landlock"),
      }),
    );
    expect(saidOf(checks, "bubblewrap")).toContain("the network by nothing");
  });

  it("`required`: neither files nor the network are open", async () => {
    const where = await world("required");
    const ran = await cadre(where, "run", "looker", "go");
    expect(ran.stdout.trim()).toBe("x\n3"); // two lines of headings, and its own loopback
    const shown = await cadre(where, "show", "@last");
    expect(shown.stdout).toContain("commands: os, file tools: policy");
    const checks = dataOf((await cadre(where, "doctor", "--json")).stdout);
    expect(saidOf(checks, "confinement")).toContain("programs have no network: an agent that needs one is refused");
    expect(saidOf(checks, "bubblewrap")).toContain("can be left without a network, else not");
    expect(JSON.stringify(checks)).not.toMatch(/network by nothing|network is not enforced/);
  });

  it("`required`, and no namespaces either: nothing runs, and that is said", async () => {
    const where = await world("required", ["unshare"]);
    const ran = await cadre(where, "run", "looker", "go");
    expect(ran).toMatchObject({ exit: 1, stdout: expect.not.stringContaining("x\n") });
    const checks = dataOf((await cadre(where, "doctor", "--json")).stdout);
    expect(saidOf(checks, "confinement")).toMatch(/^required, and not to be had here: no program of an agent runs\n/);
    expect(JSON.stringify(checks)).not.toMatch(/network by nothing|network is not enforced/);
  });
});
