import { execFile, spawn } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { trustFile } from "../../src/definitions/index.ts";
import { ownIdentity } from "../../src/platform/process-identity.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { pinOf } from "../../src/domain/rights.ts";
import { sha256 } from "../../src/platform/system-mint.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const PROGRAM = fileURLToPath(new URL("./fixtures/grant-many.ts", import.meta.url));

async function setUp(count = 0) {
  const root = await temporaryFolder();
  const folders = Array.from({ length: count }, (_, index) => join(root, `project-${index}`));
  for (const folder of folders) await mkdir(folder);
  const file = join(root, "home", "trust.json");
  await mkdir(join(root, "home"));
  return { root, folders, file, trust: trustFile(file, systemClock) };
}

/** The identity of a process that has ended. */
async function deadIdentity() {
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await new Promise((resolve) => child.on("exit", resolve));
  return { ...(await ownIdentity()), pid: child.pid ?? 0, startTime: "1" };
}

describe("several processes that trust at once", () => {
  it("all count", { timeout: 60_000 }, async () => {
    const { folders, file, trust } = await setUp(24);
    const shares = [0, 1, 2, 3].map((worker) => folders.filter((_, index) => index % 4 === worker));
    await Promise.all(shares.map((share) => promisify(execFile)(process.execPath, [PROGRAM, file, ...share])));
    expect((await trust.list()).toSorted()).toEqual(folders.toSorted());
    expect(await readdir(join(file, ".."))).toEqual(["trust.json"]);
  });

  it("do not wait for one that has died", async () => {
    const { folders, file, trust } = await setUp(1);
    await writeFile(`${file}.lock`, JSON.stringify({ token: "t", ...(await deadIdentity()) }));
    await trust.grant(folders[0] ?? "");
    expect(await trust.list()).toEqual(folders);
    expect(await readdir(join(file, ".."))).toEqual(["trust.json"]);
  });

  it("wait for one that lives, and say so in the end, having changed nothing", async () => {
    const { folders, file } = await setUp(1);
    const lock = JSON.stringify({ token: "t", ...(await ownIdentity()) });
    await writeFile(`${file}.lock`, lock);
    const trust = trustFile(file, { now: () => 0, sleep: async () => undefined });
    await expect(trust.grant(folders[0] ?? "")).rejects.toMatchObject({
      code: "home.invalid",
      message: expect.stringContaining(`another process holds ${file}.lock`),
    });
    expect(await readFile(`${file}.lock`, "utf8")).toBe(lock);
    expect(await trust.list()).toEqual([]);
  });

  it.each(["", "nonsense", "{}"])("do not take away a lock that they cannot read: %j", async (text) => {
    const { folders, file } = await setUp(1);
    await writeFile(`${file}.lock`, text);
    const trust = trustFile(file, { now: () => 0, sleep: async () => undefined });
    await expect(trust.grant(folders[0] ?? "")).rejects.toMatchObject({ code: "home.invalid" });
  });
});

describe("pins", () => {
  const pin = (name: string, command: string[]) =>
    pinOf(AgentDefinition.parse({ name, description: "d", command }), sha256);

  it("are kept by project and subject, the newer in the place of the older", async () => {
    const { folders, file, trust } = await setUp(2);
    const [one = "", two = ""] = folders;
    await trust.grant(one);
    await trust.grant(two);
    await trust.pin(one, [pin("a", ["x"]), pin("b", ["y"])]);
    await trust.pin(one, [pin("A", ["z"])]);
    await trust.pin(two, [pin("a", ["w"])]);
    const again = trustFile(file, systemClock);
    expect(await again.pinsOf(one)).toEqual([pin("b", ["y"]), pin("a", ["z"])]);
    expect(await again.pinsOf(two)).toEqual([pin("a", ["w"])]);
    await trust.revoke(one);
    expect(await again.pinsOf(one)).toEqual([]);
    expect(await again.pinsOf(two)).toHaveLength(1);
  });

  it("are only for what is trusted", async () => {
    const { folders, trust } = await setUp(1);
    await expect(trust.pin(folders[0] ?? "", [pin("a", ["x"])])).rejects.toMatchObject({
      code: "input.invalid",
      message: `${folders[0]} is not trusted`,
    });
  });

  it("tell one program from another, not one order of keys from another", () => {
    expect(pin("a", ["x", "y"]).programs).not.toEqual(pin("a", ["x y"]).programs);
    expect(pin("a", ["x"]).programs).toEqual(pin("b", ["x"]).programs);
    expect(pin("a", ["x"]).programs[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it("that are damaged make the whole file unreadable, so that nothing runs", async () => {
    const { folders, file, trust } = await setUp(1);
    const content = { version: 1, folders: [], pinned: [{ path: folders[0], pins: [{ subject: "agent a" }] }] };
    await writeFile(file, JSON.stringify(content));
    await expect(trust.pinsOf(folders[0] ?? "")).rejects.toMatchObject({ code: "home.invalid" });
  });
});
