import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AttemptFiles } from "../../src/confinement/bubblewrap/attempt-files.ts";

const NOBODY = 4_194_305; // one more than any process has

describe("the small files of an attempt", () => {
  const before = process.env["TMPDIR"];
  let own = "";
  let parent = "";
  beforeEach(() => {
    own = mkdtempSync(join(tmpdir(), "cadre-attempt-files-"));
    process.env["TMPDIR"] = own;
    parent = join(own, `cadre-${userInfo().uid}`);
  });
  afterEach(() => {
    rmSync(own, { recursive: true, force: true });
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });

  const left = (name: string): string => {
    const folder = join(parent, `${NOBODY}-${name}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  };

  test("are gone with it, and one content is one file", () => {
    const files = new AttemptFiles();
    expect(files.write("passwd", "one")).toBe(files.write("passwd", "one"));
    expect(files.write("passwd", "two")).not.toBe(files.write("passwd", "one"));
    expect(readdirSync(files.folder)).toHaveLength(2);
    files.remove();
    expect(readdirSync(parent)).toEqual([]);
  });

  test("are swept for a worker that was killed, when the first is made and not again at once", () => {
    const [mine, theirs] = [new AttemptFiles(), left("first")];
    expect(existsSync(mine.folder)).toBe(true);
    expect(existsSync(theirs)).toBe(false);
    const later = left("second");
    expect(existsSync(new AttemptFiles().folder)).toBe(true);
    expect(existsSync(later)).toBe(true);
    expect(existsSync(mine.folder)).toBe(true);
  });
});
