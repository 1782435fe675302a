// What a database file can do to us: each has a clear outcome, and nothing that was acknowledged is lost.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { admission, admitted } from "../../src/testing/store-contract/given.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import { freshFolder } from "../fresh-folder.ts";

const folder = () => freshFolder("faults");
const openAt = (file: string) => sqliteStore(file, fakeClock(), fakeMint());

/** A program of the fixtures, in its own process. */
function fixture(name: string, args: readonly string[], shell = "") {
  const path = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const child = spawn("bash", ["-c", `${shell} exec "$0" "$@"`, process.execPath, path, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 30_000,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  return { child, done: new Promise<string>((resolve) => child.on("close", () => resolve(output))) };
}

const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? NaN;

describe("a database file that cannot be used is refused in words:", () => {
  test("one that a newer version has made", async () => {
    const file = join(folder(), "cadre.db");
    await (await openAt(file)).close();
    const raw = new DatabaseSync(file);
    raw.exec("PRAGMA user_version = 999");
    raw.close();
    await expect(openAt(file)).rejects.toMatchObject({
      code: "store.unavailable",
      message: expect.stringContaining("was made by a newer Cadre"),
    });
  });

  test("one that a newer version has changed while it was open", async () => {
    const file = join(folder(), "cadre.db");
    const store = await openAt(file);
    await admitted(store);
    const raw = new DatabaseSync(file);
    raw.exec("CREATE TABLE something_new (id TEXT); PRAGMA user_version = 999");
    raw.close();
    await expect(admitted(store)).rejects.toMatchObject({
      code: "store.unavailable",
      message: expect.stringContaining("was made by a newer Cadre"),
    });
    await store.close();
  });

  test("one that is no database, which is left as it is", async () => {
    const file = join(folder(), "cadre.db");
    const text = "This is a letter to my aunt.\n".repeat(200);
    writeFileSync(file, text);
    await expect(openAt(file)).rejects.toMatchObject({
      code: "store.unavailable",
      hint: expect.stringContaining("--home"),
    });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("one whose middle was overwritten", async () => {
    const file = join(folder(), "cadre.db");
    const store = await openAt(file);
    for (let n = 0; n < 50; n++) await store.admit([admission()]);
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096, bytes.length - 4096);
    writeFileSync(file, bytes);
    const broken = (async () => {
      const opened = await openAt(file);
      onTestFinished(() => opened.close());
      await opened.tasks({ limit: 100 });
      await opened.admit([admission()]);
    })();
    await expect(broken).rejects.toMatchObject({
      code: "store.unavailable",
      message: expect.stringContaining("is damaged"),
    });
  });

  test("one in a place where nobody may write", async () => {
    const place = folder();
    const blocked = join(place, "file");
    writeFileSync(blocked, "");
    await expect(openAt(join(blocked, "cadre.db"))).rejects.toMatchObject({ code: "store.unavailable" });
    chmodSync(place, 0o700);
  });
});

test("the file is its owner's only", async () => {
  const file = join(folder(), "cadre.db");
  const store = await openAt(file);
  onTestFinished(() => store.close());
  await store.admit([admission()]);
  for (const name of [file, `${file}-wal`, `${file}-shm`].filter((one) => existsSync(one))) {
    expect(statSync(name).mode & 0o077, name).toBe(0);
  }
});

test("a lock that another process holds for seconds stalls nothing, and is waited for", async () => {
  const file = join(folder(), "cadre.db");
  const store = await openAt(file);
  onTestFinished(() => store.close());

  /** How long this process paused, each time, while the lock was held. */
  const pausesOf = async (hold: number): Promise<number[]> => {
    const letGo = join(file, "..", `let-go-${hold}`);
    const { child, done } = fixture("hold-lock", [file, letGo]);
    await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
    const enough = Promise.withResolvers<void>();
    const beats = [performance.now()];
    const heartbeat = setInterval(() => {
      if (beats.push(performance.now()) === 200) enough.resolve();
    }, 10);
    onTestFinished(() => clearInterval(heartbeat));
    let isAnswered = false;
    const admitting = store.admit([admission()]).finally(() => (isAnswered = true));
    await enough.promise;
    expect(isAnswered).toBe(false); // it really waits
    writeFileSync(letGo, "");
    expect((await admitting).kind).toBe("admitted");
    clearInterval(heartbeat);
    await done;
    return beats.slice(1).map((at, index) => at - (beats[index] ?? 0));
  };

  const holds: number[][] = [];
  for (let hold = 0; hold < 3; hold++) holds.push(await pausesOf(hold));
  // The machine itself may stand still for a moment. Whatever the store does, it does each time.
  expect(Math.min(...holds.map((pauses) => Math.max(...pauses)))).toBeLessThan(1_000);
  expect(medianOf(holds.flat())).toBeLessThan(50);
  expect(await store.tasks({ limit: 10 })).toHaveLength(3);
}, 90_000);

test("a disk that is full gives a clear error, and keeps what was acknowledged", async () => {
  const file = join(folder(), "cadre.db");
  // A limit on file sizes is the nearest thing to a full disk that needs no mount.
  const said = await fixture("fill-disk", [file], "ulimit -f 4000;").done;
  const { acknowledged, error } = JSON.parse(said.trim().split("\n").at(-1) ?? "{}") as {
    acknowledged: string[];
    error: { code: string; message: string; hint: string };
  };
  expect(error.code, said).toBe("store.unavailable");
  expect(error.hint).not.toBe("");
  expect(acknowledged.length).toBeGreaterThan(5);
  const store = await openAt(file);
  onTestFinished(() => store.close());
  const kept = new Set((await store.tasks({ limit: 10_000 })).map(({ id }) => id as string));
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
});

test("many commits in a row leave the event loop room to breathe", async () => {
  const store = await openAt(join(folder(), "cadre.db"));
  onTestFinished(() => store.close());
  let beats = 0;
  const heartbeat = setInterval(() => beats++, 5);
  onTestFinished(() => clearInterval(heartbeat));
  for (let n = 0; n < 400; n++) await store.admit([admission()]);
  expect(beats).toBeGreaterThan(3);
});
