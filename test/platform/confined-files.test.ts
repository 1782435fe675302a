import { spawnSync } from "node:child_process";
import { chmod, link, mkdir, open, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfined, writeConfined } from "../../src/platform/confined-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const CAP = 10 * 1024 * 1024;
const PIPE_MAKER = "mkfifo"; // of every POSIX system
const refused = { code: "input.invalid" };

/** A root, and beside it a secret that must stay as it is. */
async function rootBesideSecret() {
  const folder = await temporaryFolder();
  const root = join(folder.path, "root");
  const secret = join(folder.path, "secret.txt");
  await mkdir(root);
  await writeFile(secret, "secret");
  return {
    root,
    secret,
    [Symbol.asyncDispose]: async () => {
      const text = await readFile(secret, "utf8");
      await folder[Symbol.asyncDispose]();
      if (text !== "secret") throw new Error("something outside of the root was changed");
    },
  };
}

describe("files below a root", () => {
  test("are read and written, with folders made where they are missing", async () => {
    await using folder = await temporaryFolder();
    await writeConfined(folder.path, "a/b/c.txt", "déjà vu\n");
    expect(await readConfined(folder.path, "a/b/c.txt")).toBe("déjà vu\n");
    expect(await readConfined(folder.path, "./a//b/./c.txt")).toBe("déjà vu\n");
    await writeConfined(folder.path, "empty", "");
    expect(await readConfined(folder.path, "empty")).toBe("");
  });

  const outside = ["../secret.txt", "a/../../secret.txt", "..", "", ".", "/", "a/..", "a\0b"];

  test.each(outside)("have no name like %j", async (path) => {
    await using place = await rootBesideSecret();
    const expected = { ...refused, message: expect.stringContaining("below the workspace") };
    await expect(readConfined(place.root, path)).rejects.toMatchObject(expected);
    await expect(writeConfined(place.root, path, "x")).rejects.toMatchObject(expected);
  });

  test("are not named by absolute paths, not even by one that leads below the root", async () => {
    await using place = await rootBesideSecret();
    await writeFile(join(place.root, "a.txt"), "text");
    for (const path of [place.secret, join(place.root, "a.txt")]) {
      await expect(readConfined(place.root, path)).rejects.toMatchObject(refused);
      await expect(writeConfined(place.root, path, "x")).rejects.toMatchObject(refused);
    }
  });

  test("that do not exist are said not to", async () => {
    await using folder = await temporaryFolder();
    const expected = { ...refused, message: "no/such.txt does not exist" };
    await expect(readConfined(folder.path, "no/such.txt")).rejects.toMatchObject(expected);
  });
});

describe("links", () => {
  test("to a file are neither read nor written through", async () => {
    await using place = await rootBesideSecret();
    await symlink(place.secret, join(place.root, "link"));
    await writeFile(join(place.root, "real.txt"), "real");
    await symlink("real.txt", join(place.root, "inner-link"));
    for (const name of ["link", "inner-link"]) {
      await expect(readConfined(place.root, name)).rejects.toMatchObject(refused);
      await expect(writeConfined(place.root, name, "x")).rejects.toMatchObject(refused);
    }
    expect(await readFile(join(place.root, "real.txt"), "utf8")).toBe("real");
  });

  test("to a folder are not gone through, at any depth", async () => {
    await using place = await rootBesideSecret();
    await symlink("..", join(place.root, "up"));
    await mkdir(join(place.root, "a"));
    await symlink("../..", join(place.root, "a/up"));
    for (const path of ["up/secret.txt", "a/up/secret.txt", "up/root/new.txt"]) {
      await expect(readConfined(place.root, path)).rejects.toMatchObject(refused);
      await expect(writeConfined(place.root, path, "x")).rejects.toMatchObject(refused);
    }
  });

  test("that lead nowhere are not written through", async () => {
    await using place = await rootBesideSecret();
    await symlink(join(place.root, "../made.txt"), join(place.root, "dangling"));
    await expect(writeConfined(place.root, "dangling", "x")).rejects.toMatchObject(refused);
    await expect(stat(join(place.root, "../made.txt"))).rejects.toThrow("ENOENT");
  });

  test("that are hard are not replaced: the other name would keep the old text", async () => {
    await using place = await rootBesideSecret();
    await link(place.secret, join(place.root, "twin.txt"));
    await expect(writeConfined(place.root, "twin.txt", "x")).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("2 hard links"),
    });
    expect((await stat(place.secret)).nlink).toBe(2);
  });

  test("that are put in place of a folder while it is used lead nowhere else", async () => {
    await using place = await rootBesideSecret();
    const { root } = place;
    await mkdir(join(root, "a"));
    await writeFile(join(root, "a/secret.txt"), "harmless");
    await symlink("..", join(root, "trap"));
    const enough = new AbortController();
    const swapping = (async () => {
      while (!enough.signal.aborted) {
        await rename(join(root, "a"), join(root, "b"));
        await rename(join(root, "trap"), join(root, "a"));
        await rename(join(root, "a"), join(root, "trap"));
        await rename(join(root, "b"), join(root, "a"));
      }
    })();
    const seen = new Set<string>();
    for (let round = 0; round < 200; round++) {
      seen.add(await readConfined(root, "a/secret.txt").catch(() => "refused"));
    }
    enough.abort();
    await swapping;
    expect([...seen].filter((text) => text !== "harmless" && text !== "refused")).toEqual([]);
  });
});

describe("what is no file", () => {
  test("a folder is neither read nor written", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "folder"));
    const expected = { ...refused, message: "folder is not a regular file" };
    await expect(readConfined(folder.path, "folder")).rejects.toMatchObject(expected);
    await expect(writeConfined(folder.path, "folder", "x")).rejects.toMatchObject(expected);
  });

  test("a file is no folder", async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "file"), "text");
    await expect(readConfined(folder.path, "file/below")).rejects.toMatchObject(refused);
    await expect(writeConfined(folder.path, "file/below", "x")).rejects.toMatchObject(refused);
    expect(await readFile(join(folder.path, "file"), "utf8")).toBe("text");
  });

  test.runIf(process.platform !== "win32")("a pipe that nobody writes to holds nobody up", async () => {
    await using folder = await temporaryFolder();
    const { status } = spawnSync(PIPE_MAKER, [join(folder.path, "pipe")]);
    expect(status).toBe(0);
    const expected = { ...refused, message: "pipe is not a regular file" };
    await expect(readConfined(folder.path, "pipe")).rejects.toMatchObject(expected);
    await expect(writeConfined(folder.path, "pipe", "x")).rejects.toMatchObject(expected);
  });
});

describe("sizes", () => {
  test("a file at the cap is read, and one byte more is not", async () => {
    await using folder = await temporaryFolder();
    for (const [name, size] of [
      ["fits", CAP],
      ["over", CAP + 1],
    ] as const) {
      await using handle = await open(join(folder.path, name), "w");
      await handle.truncate(size);
    }
    expect(await readConfined(folder.path, "fits")).toHaveLength(CAP);
    await expect(readConfined(folder.path, "over")).rejects.toMatchObject({
      ...refused,
      message: `over has ${CAP + 1} bytes; at most ${CAP} are read`,
    });
  });
});

describe("writing", () => {
  test("replaces a file by a new one: who has the old one open keeps reading it", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.txt");
    await writeFile(path, "old text");
    await using handle = await open(path);
    const { ino } = await stat(path);
    await writeConfined(folder.path, "a.txt", "new");
    expect(await handle.readFile("utf8")).toBe("old text");
    expect(await readFile(path, "utf8")).toBe("new");
    expect((await stat(path)).ino).not.toBe(ino);
  });

  test("of many at once leaves the whole text of one of them", async () => {
    await using folder = await temporaryFolder();
    const texts = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(10_000 + index));
    await Promise.all(texts.map((text) => writeConfined(folder.path, "a.txt", text)));
    expect(texts).toContain(await readFile(join(folder.path, "a.txt"), "utf8"));
    expect(await readdir(folder.path)).toEqual(["a.txt"]);
  });

  test.runIf(process.platform !== "win32").each(["600", "644", "755", "400"])(
    "keeps the mode %s of the file that it replaces",
    async (mode) => {
      await using folder = await temporaryFolder();
      const path = join(folder.path, "a.sh");
      await writeFile(path, "old");
      await chmod(path, Number.parseInt(mode, 8));
      await writeConfined(folder.path, "a.sh", "new");
      expect(((await stat(path)).mode & 0o777).toString(8)).toBe(mode);
      expect(await readFile(path, "utf8")).toBe("new");
    },
  );

  test("that is refused leaves nothing behind", async () => {
    await using place = await rootBesideSecret();
    await mkdir(join(place.root, "folder"));
    await symlink(place.secret, join(place.root, "link"));
    await link(place.secret, join(place.root, "twin"));
    const before = (await readdir(place.root)).toSorted();
    for (const name of ["folder", "link", "twin"]) {
      await expect(writeConfined(place.root, name, "x")).rejects.toMatchObject(refused);
    }
    expect((await readdir(place.root)).toSorted()).toEqual(before);
  });
});
