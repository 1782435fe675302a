// Landlock inside of bubblewrap: what holds where the mounts do not.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfinedAttempt } from "../../../src/confinement/bubblewrap/confined-attempt.ts";
import { SandboxMachine } from "../../../src/confinement/bubblewrap/sandbox-machine.ts";
import { attemptWish } from "../attempt-wish.ts";
import { custody, found, openKeep, openWorld, temporaryFolder } from "../kit.ts";
import { textOf } from "../text-of.ts";

const parts = found.kind === "parts" ? found.parts : undefined;
const hasLayer = parts?.landlock !== undefined;

/** It mounts nothing, and runs what stands behind its own arguments. */
function openBubblewrap(): string {
  const file = join(temporaryFolder(), "bwrap");
  writeFileSync(file, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n');
  chmodSync(file, 0o755);
  return file;
}

async function writeOutside(landlock: "with" | "without"): Promise<boolean> {
  if (parts === undefined) return false;
  const outside = temporaryFolder();
  const root = join(temporaryFolder(), "project");
  mkdirSync(root);
  const keep = openKeep();
  const wish = attemptWish(root, { keep, custody: custody.tier });
  const place = { homes: [], quarantine: () => outside, programs: [], privateHosts: [] };
  const tools = { ...parts.tools, bwrap: openBubblewrap() };
  const layer = landlock === "with" ? parts.landlock : undefined;
  const attempt = new ConfinedAttempt({ ...parts, tools, landlock: layer, ...place }, wish, {
    commands: "os",
    fileTools: "policy",
  });
  // Not in /tmp: that one is a sandbox's own.
  const target = join("/var/tmp", `second-layer-${process.pid}-${landlock}`);
  const kept = keep.spawn(
    attempt.wrap({ file: "/bin/sh", args: ["-c", `echo x >made; echo x >${target}`], cwd: root, env: {} }),
  );
  kept.endInput();
  await Promise.all([textOf(kept.stdout), textOf(kept.stderr), kept.exited]);
  await keep.endAll();
  await attempt.release();
  const isWritten = existsSync(target);
  rmSync(target, { force: true });
  return isWritten;
}

describe.runIf(hasLayer)("a second layer", () => {
  it("holds what a bubblewrap lets through that mounts nothing", async () => {
    expect(await writeOutside("without")).toBe(true);
    expect(await writeOutside("with")).toBe(false);
  });

  it("is left out where its launcher does not work in there, and the first one holds", async () => {
    const machine = new SandboxMachine({ landlock: { file: "/bin/false", isWhole: true } });
    const world = await openWorld({ machine });
    expect(world.confined.label.commands).toBe("os");
    expect((await world.run("echo x >made && cat made; echo x >../made")).out).toBe("x");
    expect(existsSync(join(world.outside, "made"))).toBe(false);
  });

  it("is left out where it would speak at every start", async () => {
    const machine = new SandboxMachine({ landlock: { file: "/bin/false", isWhole: false } });
    const world = await openWorld({ machine });
    expect(await world.run("echo ran")).toEqual({ out: "ran", errors: "", end: 0 });
  });
});
