import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fileBell } from "../../src/platform/file-bell.ts";
import { freshFolder } from "../fresh-folder.ts";

/** So that nothing but the bell can have been the reason. */
const HARDLY_EVER_MS = 3_600_000;
const SOON_MS = 20;

const newFolder = () => join(freshFolder("bells"), "bells");

/** Somebody who listens, with all that was heard. `isNews`: whether there is anything new, whenever it looks. */
function ear(folder: string, lookEveryMs = HARDLY_EVER_MS, isNews = () => true) {
  let looks = 0;
  let wake = Promise.withResolvers<void>();
  const bell = fileBell(
    folder,
    () => {
      looks++;
      return isNews();
    },
    () => {
      wake.resolve();
      wake = Promise.withResolvers();
    },
    lookEveryMs,
  );
  return {
    bell,
    looks: () => looks,
    heard: () => wake.promise,
    [Symbol.dispose]: () => bell[Symbol.dispose](),
  };
}

const nameOf = (madeAt: number, letter: string): string => `${madeAt}-1-${letter.repeat(16)}`;

/** Until what was written so far was told by the operating system: nobody is woken any more. */
async function told(...ears: readonly { looks(): number }[]): Promise<void> {
  const looks = () => ears.reduce((sum, one) => sum + one.looks(), 0);
  for (let [before, still] = [-1, 0]; still < 4; before = looks()) {
    await sleep(30);
    still = looks() === before ? still + 1 : 0;
  }
}

/** One who looks often, and one who knows it and hardly ever looks. `own`: the name of the first one's bell. */
async function acquainted(folder: string) {
  const rope = ear(folder);
  const [ropes] = readdirSync(folder);
  const one = ear(folder, SOON_MS);
  await told(rope);
  return {
    rope,
    one,
    own: () => readdirSync(folder).find((name) => name !== ropes) ?? "",
    [Symbol.dispose]() {
      one[Symbol.dispose]();
      rope[Symbol.dispose]();
    },
  };
}

/** A process of its own: says a line for whatever it hears, rings when it is told to. */
async function elsewhere(folder: string) {
  const program = `
    import { fileBell } from ${JSON.stringify(join(import.meta.dirname, "../../src/platform/file-bell.ts"))};
    const bell = fileBell(${JSON.stringify(folder)}, () => true, () => console.log("heard"), ${HARDLY_EVER_MS});
    process.stdin.on("data", (text) => { if (String(text).includes("ring")) bell.ring(); });
    process.stdin.on("end", () => bell[Symbol.dispose]());
    console.log("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  expect(await next()).toBe("ready");
  return {
    child,
    next,
    ring: () => child.stdin.write("ring\n"),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

describe("bells between processes", () => {
  afterEach(() => void vi.useRealTimers());

  test("what was done before it rings is seen by whoever listens, whoever of them came first", async () => {
    const folder = newFolder();
    using first = ear(folder);
    await using other = await elsewhere(folder);
    await told(first); // that somebody came
    const rung = first.heard();
    other.ring();
    await rung;
    await told(first);
    const before = first.looks();
    expect(await other.next()).toBe("heard"); // it was told of what was done before it came
    first.bell.ring();
    expect(await other.next()).toBe("heard");
    await told(first);
    expect(first.looks()).toBe(before);
    for (const name of readdirSync(folder)) expect(lstatSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test("who is alone writes nothing, and is woken by nobody", async () => {
    const folder = newFolder();
    using only = ear(folder);
    for (let ring = 0; ring < 3; ring++) only.bell.ring();
    await told(only);
    expect(only.looks()).toBe(0);
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["+"]);
  });

  test("a newcomer hears of what was done before it was known", async () => {
    const folder = newFolder();
    using first = ear(folder);
    using second = ear(folder);
    // The first cannot have seen it yet: this rings for nobody.
    first.bell.ring();
    await second.heard();
    expect(first.looks()).toBeGreaterThan(0);
  });

  test("of several who come at once, everybody can ring for everybody", async () => {
    const folder = newFolder();
    using all = new DisposableStack();
    const ears = Array.from({ length: 6 }, () => all.use(ear(folder)));
    await told(...ears);
    for (const one of ears) {
      const before = new Map(ears.map((each) => [each, each.looks()]));
      one.bell.ring();
      await told(...ears);
      const woken = ears.filter((each) => each.looks() > (before.get(each) ?? 0));
      expect(woken).toEqual(ears.filter((each) => each !== one));
    }
  });

  test("what nobody rang for is seen a little later", async () => {
    using only = ear(newFolder(), SOON_MS);
    await expect(only.heard()).resolves.toBeUndefined();
  });

  test("whoever stops listening when it rings is asked nothing more, and leaves nothing", async () => {
    const folder = newFolder();
    using rope = ear(folder);
    using one = ear(folder);
    await told(rope, one);
    const [rung, before] = [one.heard(), one.looks()];
    rope.bell.ring();
    await rung;
    one.bell[Symbol.dispose]();
    for (let ring = 0; ring < 3; ring++) rope.bell.ring();
    await told(rope, one);
    one.bell.ring();
    expect(one.looks()).toBe(before + 1);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("whoever comes later is rung by all who were there, and rings for them", async () => {
    const folder = newFolder();
    using first = ear(folder);
    using second = ear(folder);
    await told(first, second);
    using third = ear(folder);
    await told(first, second, third);
    for (const [rings, hears] of [
      [first, third],
      [second, third],
      [third, first],
    ] as const) {
      const before = hears.looks();
      rings.bell.ring();
      await told(first, second, third);
      expect(hears.looks()).toBeGreaterThan(before);
    }
  });

  test("whoever came without a word is found a little later", async () => {
    const folder = newFolder();
    using _one = ear(folder, SOON_MS);
    const silent = join(folder, nameOf(Date.now(), "s"));
    writeFileSync(silent, "");
    await expect.poll(() => readFileSync(silent, "utf8")).toBe("!");
  });

  test("what a process that was killed has left is taken away by whoever comes later, and by who is there", async () => {
    const folder = newFolder();
    {
      await using other = await elsewhere(folder);
      other.child.kill("SIGKILL");
      await once(other.child, "exit");
    }
    const left = readdirSync(folder);
    expect(left).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 180_000);
    using _one = ear(folder, SOON_MS);
    expect(readdirSync(folder)).not.toContain(left[0]);
    const strays = [nameOf(Date.now() - 180_000, "a"), nameOf(Date.now() + 180_000, "b")];
    for (const name of strays) writeFileSync(join(folder, name), "");
    await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  });

  test("before its bell is old one makes itself another, and is rung by who knew the first", async () => {
    const folder = newFolder();
    using two = await acquainted(folder);
    const { rope, one, own } = two;
    const before = own();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 70_000);
    await expect.poll(() => own()).not.toMatch(new RegExp(`^(?:${before})?$`));
    await told(rope);
    writeFileSync(join(folder, own()), "+");
    rope.bell.ring();
    expect(readFileSync(join(folder, own()), "utf8")).toBe("!");
    expect(one.looks()).toBeGreaterThan(0);
  });

  test("who finds its own bell gone makes itself another, and is rung by who knew the first", async () => {
    const folder = newFolder();
    using two = await acquainted(folder);
    const { rope, own } = two;
    rmSync(join(folder, own()));
    await expect.poll(() => own()).not.toBe("");
    await told(rope);
    rope.bell.ring();
    expect(readFileSync(join(folder, own()), "utf8")).toMatch(/^!/);
  });

  test("where the folder is taken away and something else put in its place, nothing fails, and nobody's file is closed", async () => {
    const folder = newFolder();
    const one = ear(folder, SOON_MS);
    const rope = ear(folder);
    await told(rope);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    for (let look = 0; look < 3; look++) await one.heard();
    const file = openSync(`${folder}-other`, "w"); // it may get the number of a bell that is closed
    one.bell.ring();
    rope.bell.ring();
    one[Symbol.dispose]();
    rope[Symbol.dispose]();
    expect(writeSync(file, "mine")).toBe(4);
    closeSync(file);
  });

  test("what is no bell is not written to", async () => {
    const folder = newFolder();
    mkdirSync(folder);
    const name = (letter: string) => join(folder, nameOf(Date.now(), letter));
    const outside = ["link", "hard"].map((what) => join(folder, "..", what));
    for (const path of outside) writeFileSync(path, "somebody else's");
    symlinkSync(outside[0] ?? "", name("a"));
    linkSync(outside[1] ?? "", name("b"));
    mkdirSync(name("c"));
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", name("d")]);
    writeFileSync(join(folder, "notes"), "somebody else's");
    using one = ear(folder);
    using rope = ear(folder);
    const rung = one.heard();
    rope.bell.ring();
    await rung;
    for (const path of [...outside, join(folder, "notes")]) expect(readFileSync(path, "utf8")).toBe("somebody else's");
  });

  test.each([
    ["a link", (path: string) => symlinkSync(`${path}-elsewhere`, path)],
    ["a file", (path: string) => writeFileSync(path, "")],
  ])("%s in the folder's place is left alone, and everybody looks now and then", async (_what, put) => {
    const folder = newFolder();
    mkdirSync(`${folder}-elsewhere`);
    put(folder);
    using one = ear(folder, SOON_MS);
    one.bell.ring();
    await one.heard();
    expect(readdirSync(`${folder}-elsewhere`)).toEqual([]);
  });
});
