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
async function world(setting: "best" | "required") {
  const outside = folderElsewhere();
  const canary = join(outside, "canary");
  writeFileSync(canary, "secret");
  const command = JSON.stringify(["sh", "-c", `cat '${canary}'; echo x >made && cat made; cat /proc/net/dev | wc -l`]);
  const agent = `---\nname: looker\ndescription: looks around\npermission_mode: auto\nworkspace: { allow_writes: true }\ncommand: ${command}\n---\n`;
  const where = await place({ ".cadre/agents/looker.md": agent });
  const bin = join(outside, "bin");
  mkdirSync(bin);
  for (const name of NEEDED) {
    const found = findProgram(name, { cwd: "/", path: process.env["PATH"] });
    if (found.ok) symlinkSync(found.file, join(bin, name));
  }
  return { ...where, env: { ...where.env, PATH: bin, CADRE_SECURITY_CONFINEMENT: setting } };
}

const dataOf = (stdout: string): unknown => (JSON.parse(stdout) as { data: unknown }).data;

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
  });

  it("`required`: neither files nor the network are open", async () => {
    const where = await world("required");
    const ran = await cadre(where, "run", "looker", "go");
    expect(ran.stdout.trim()).toBe("x\n3"); // two lines of headings, and its own loopback
    const shown = await cadre(where, "show", "@last");
    expect(shown.stdout).toContain("commands: os, file tools: policy");
  });
});
