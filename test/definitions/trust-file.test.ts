import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { trustFile } from "../../src/definitions/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const clockAt = (time: number) => ({ ...systemClock, now: () => time });

async function setUp() {
  const root = await temporaryFolder();
  const at = (path: string) => join(root, path);
  for (const folder of ["project/src", "project-2", "other", "home"]) await mkdir(at(folder), { recursive: true });
  const path = at("home/.cadre/trust.json");
  return { at, path, trust: trustFile(path, clockAt(now)) };
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("trust in a folder", () => {
  it("is there only once it is granted, and until it is taken back", async () => {
    const { at, trust } = await setUp();
    expect(await trust.isTrusted(at("project"))).toBe(false);
    await trust.grant(at("project"));
    expect(await trust.isTrusted(at("project"))).toBe(true);
    expect(await trust.list()).toEqual([at("project")]);
    await trust.revoke(at("project"));
    expect(await trust.isTrusted(at("project"))).toBe(false);
    expect(await trust.list()).toEqual([]);
  });

  it("reaches what lies below, and nothing beside or above", async () => {
    const { at, trust } = await setUp();
    await trust.grant(at("project"));
    expect(await trust.isTrusted(at("project/src"))).toBe(true);
    await mkdir(at("project/..odd"));
    expect(await trust.isTrusted(at("project/..odd"))).toBe(true);
    expect(await trust.isTrusted(at("project-2"))).toBe(false);
    expect(await trust.isTrusted(at("."))).toBe(false);
    expect(await trust.isTrusted(at("project/../other"))).toBe(false);
  });

  it("goes by the real path: a link to a trusted folder is that folder", async () => {
    const { at, trust } = await setUp();
    await symlink(at("project"), at("link"));
    await trust.grant(at("link"));
    expect(await trust.list()).toEqual([at("project")]);
    expect(await trust.isTrusted(at("project"))).toBe(true);
    expect(await trust.isTrusted(at("link/src"))).toBe(true);
  });

  it("is never remembered past a change, whoever makes it and however", async () => {
    const { at, path } = await setUp();
    const later = () => trustFile(path, clockAt(Date.now() + 3_600_000)); // for whom no change is a recent one
    const [mine, theirs] = [later(), later()];
    await mine.grant(at("project"));
    expect(await mine.isTrusted(at("project"))).toBe(true);
    await theirs.revoke(at("project"));
    expect(await mine.isTrusted(at("project"))).toBe(false);
    await theirs.grant(at("project"));
    expect(await mine.isTrusted(at("project"))).toBe(true);
    await writeFile(path, (await readFile(path, "utf8")).replace(at("project"), at("project-2")));
    expect(await mine.isTrusted(at("project"))).toBe(false);
    await rm(path);
    expect(await mine.list()).toEqual([]);
  });

  it("does not follow a link that is turned elsewhere", async () => {
    const { at, trust } = await setUp();
    await symlink(at("project"), at("link"));
    await trust.grant(at("link"));
    await rm(at("link"));
    await symlink(at("other"), at("link"));
    expect(await trust.isTrusted(at("link"))).toBe(false);
  });

  it("ends where another folder is put in its place through a link", async () => {
    const { at, trust } = await setUp();
    await trust.grant(at("project"));
    await rename(at("project"), at("away"));
    await symlink(at("other"), at("project"));
    expect(await trust.isTrusted(at("project"))).toBe(false);
    expect(await trust.isTrusted(at("away"))).toBe(false);
  });

  it("does not leave a trusted folder through a link inside of it", async () => {
    const { at, trust } = await setUp();
    await symlink(at("other"), at("project/link"));
    await trust.grant(at("project"));
    expect(await trust.isTrusted(at("project/link"))).toBe(false);
  });

  it("is not given to what does not exist, is no folder, or holds the list itself", async () => {
    const { at, trust } = await setUp();
    await writeFile(at("file"), "");
    const invalid = (message: string) =>
      expect.objectContaining({ code: "input.invalid", message: expect.stringContaining(message) });
    await expect(trust.grant(at("nowhere"))).rejects.toEqual(invalid("there is no such folder"));
    await expect(trust.grant(at("file"))).rejects.toEqual(invalid("it is not a folder"));
    await expect(trust.grant(at("home"))).rejects.toEqual(invalid("the list of trusted folders lies in it"));
    await expect(trust.grant("/")).rejects.toEqual(invalid("the list of trusted folders lies in it"));
    expect(await trust.list()).toEqual([]);
    expect(await trust.isTrusted(at("nowhere"))).toBe(false);
  });

  it("is granted once, however often it is said", async () => {
    const { at, path, trust } = await setUp();
    await trust.grant(at("project"));
    await trustFile(path, clockAt(now + 1_000)).grant(at("project"));
    expect(await readFile(path, "utf8")).toContain('"grantedAt": "2026-03-01T12:00:00.000Z"');
    expect(await trust.list()).toEqual([at("project")]);
  });

  it("can be taken back from a folder that is gone", async () => {
    const { at, trust } = await setUp();
    await trust.grant(at("project"));
    await rm(at("project"), { recursive: true });
    await trust.revoke(at("project"));
    expect(await trust.list()).toEqual([]);
  });

  it("cannot be taken back from a part of what is trusted, and says so", async () => {
    const { at, trust } = await setUp();
    await trust.grant(at("project"));
    await trust.grant(at("project/src"));
    await expect(trust.revoke(at("project/src"))).rejects.toMatchObject({
      code: "input.invalid",
      message: `${at("project/src")} is still trusted, because ${at("project")} is`,
    });
    expect(await trust.list()).toEqual([at("project")]);
  });

  it("is not lost when several are granted at once", async () => {
    const { at, trust } = await setUp();
    await Promise.all(["project", "project-2", "other"].map((folder) => trust.grant(at(folder))));
    expect(await trust.list()).toEqual([at("project"), at("project-2"), at("other")]);
  });

  it("can still be granted after one that failed", async () => {
    const { at, trust } = await setUp();
    await expect(trust.grant(at("nowhere"))).rejects.toThrow("no such folder");
    await trust.grant(at("project"));
    expect(await trust.list()).toEqual([at("project")]);
  });
});

describe("the file of trusted folders", () => {
  it("says which and when, and is for its owner only", async () => {
    const { at, path, trust } = await setUp();
    await trust.grant(at("project"));
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      version: 1,
      folders: [{ path: at("project"), grantedAt: "2026-03-01T12:00:00.000Z" }],
    });
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(at("home/.cadre"))).toBe(0o700);
  });

  it("is replaced as a whole, and leaves nothing else behind", async () => {
    const { at, path, trust } = await setUp();
    await trust.grant(at("project"));
    const before = await stat(path);
    await trust.grant(at("other"));
    expect((await stat(path)).ino).not.toBe(before.ino);
    expect(await readdir(at("home/.cadre"))).toEqual(["trust.json"]);
  });

  it("is not written by asking, or by taking back what was never given", async () => {
    const { at, trust } = await setUp();
    await trust.isTrusted(at("project"));
    await trust.revoke(at("project"));
    expect(await readdir(at("home"))).toEqual([]);
  });

  const folder = (path: string) =>
    JSON.stringify({ version: 1, folders: [{ path, grantedAt: "2026-03-01T12:00:00Z" }] });
  const broken: [what: string, content: string, message: string][] = [
    ["no JSON", '{"version": 1, "folders": [', "does not hold a list of trusted folders"],
    ["empty", "", "does not hold a list of trusted folders"],
    ["of another shape", '{"version": 1, "folders": ["/"]}', "does not hold a list of trusted folders"],
    ["without a version", '{"folders": []}', "does not hold a list of trusted folders"],
    ["of a later version", '{"version": 2, "projects": {}}', "has version 2, and this Cadre knows version 1 only"],
    ["with a relative path", folder("."), "does not hold a list of trusted folders"],
    ["with an empty path", folder(""), "does not hold a list of trusted folders"],
  ];

  it.each(broken)("that is %s trusts nobody, is named, and is never written over", async (_, content, message) => {
    const { at, path, trust } = await setUp();
    await mkdir(at("home/.cadre"), { recursive: true });
    await writeFile(path, content);
    const invalid = {
      code: "home.invalid",
      message: `${at("home/.cadre")} cannot be Cadre's home: its trust.json ${message}`,
    };
    await expect(trust.isTrusted(at("project"))).rejects.toMatchObject(invalid);
    await expect(trust.grant(at("project"))).rejects.toMatchObject(invalid);
    await expect(trust.revoke(at("project"))).rejects.toMatchObject(invalid);
    await expect(trust.list()).rejects.toMatchObject(invalid);
    expect(await readFile(path, "utf8")).toBe(content);
  });

  it("that cannot be read is named", async () => {
    const { path, trust } = await setUp();
    await mkdir(path, { recursive: true });
    await expect(trust.list()).rejects.toMatchObject({
      code: "home.invalid",
      message: expect.stringContaining("its trust.json cannot be read: Error: EISDIR"),
    });
  });
});
