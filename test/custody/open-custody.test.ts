import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { installedLaunchers, keepsItsPromise, openCustody } from "../../src/custody/index.ts";
import { findProgram } from "../../src/platform/find-program.ts";
import { custodies, PATH, temporaryFolder } from "./kit.ts";

/** Looks for programs there, and nowhere else, until the test is over. */
function onlyPath(folder: string): void {
  process.env["PATH"] = folder;
  onTestFinished(() => {
    process.env["PATH"] = PATH;
  });
}

/** A folder that has these programs of the machine. */
function folderWith(...names: readonly string[]): string {
  const folder = join(temporaryFolder(), "bin");
  mkdirSync(folder);
  for (const name of names) {
    const found = findProgram(name, { cwd: "/", path: PATH });
    if (found.ok) symlinkSync(found.file, join(folder, name));
  }
  return folder;
}

describe("opening custody", () => {
  it("takes the best that works on this machine", async () => {
    const best = (await custodies()).find(({ how }) => how !== "tracked");
    expect((await openCustody()).tier).toBe(best === undefined ? "tracked" : "namespace");
  });

  it("takes the tier that needs no help where there is none", async () => {
    onlyPath(folderWith("sh", "env", "setsid", "sleep"));
    expect(installedLaunchers()).toEqual([]);
    expect((await openCustody()).tier).toBe("tracked");
  });

  it("does not believe a launcher that starts programs but keeps hold of none", async () => {
    const folder = folderWith("sh", "env", "setsid", "sleep");
    const liar = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@" &\nwait\n';
    writeFileSync(join(folder, "bwrap"), liar, { mode: 0o755 });
    onlyPath(folder);
    const [launcher] = installedLaunchers();
    expect(launcher?.name).toBe("bwrap");
    expect(launcher !== undefined && (await keepsItsPromise(launcher))).toBe(false);
    expect((await openCustody()).tier).toBe("tracked");
  });

  it("does not believe a launcher that fails, and is quick about it", async () => {
    const folder = folderWith("sh", "env", "setsid", "sleep");
    writeFileSync(join(folder, "bwrap"), "#!/bin/sh\necho 'not permitted' >&2\nexit 1\n", { mode: 0o755 });
    onlyPath(folder);
    const start = performance.now();
    expect((await openCustody()).tier).toBe("tracked");
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
