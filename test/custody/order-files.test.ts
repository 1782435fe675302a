// The file that a namespace which was made ahead is told in: it is nobody's for longer than it is needed.
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { installedLaunchers, namespaceCustody } from "../../src/custody/index.ts";
import type { Custody } from "../../src/ports/index.ts";
import { eventually, openKeep, PATH, textOf } from "./kit.ts";

const launchers = installedLaunchers().map((launcher) => ({ how: launcher.name, launcher }));

/** Those that this process has open, of the files without a name. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${number}`);
      return /^\/dev\/shm\/#\d+ \(deleted\)$/.test(target) ? [target] : [];
    } catch {
      return []; // the one by which they are listed
    }
  });
}

async function sayings(custody: Custody, times: number): Promise<string[]> {
  const keep = openKeep(custody);
  const said: string[] = [];
  for (let n = 0; n < times; n++) {
    const kept = keep.spawn({ file: "sh", args: ["-c", 'echo "$$ $A_B"'], cwd: "/", env: { PATH, A_B: `it's ${n}` } });
    kept.endInput();
    said.push(await textOf(kept.stdout));
    await kept.exited;
    await delay(20); // one is made ahead in there
  }
  await keep.endAll();
  return said;
}

describe.each(launchers)("what a namespace is told in ($how)", ({ launcher }) => {
  it("is closed when it was told, and when nobody came to need it", async () => {
    await eventually("none is left of another test", () => openFiles().length === 0);
    await sayings(namespaceCustody(launcher), 4);
    expect(openFiles().length).toBeLessThanOrEqual(1);
    await eventually("it is given up", () => openFiles().length === 0);
  });

  it("is not needed: where there is none, programs start as they do alone", async () => {
    const expected = [0, 1, 2, 3].map((n) => `2 it's ${n}\n`);
    expect(await sayings(namespaceCustody(launcher), 4)).toEqual(expected);
    const none = namespaceCustody(launcher, () => undefined);
    expect(await sayings(none, 4)).toEqual(expected);
  });
});
