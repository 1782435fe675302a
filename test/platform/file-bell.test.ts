import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
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

/** Until what was written so far was told by the operating system: nobody is woken any more. */
async function told(...ears: readonly { looks(): number }[]): Promise<void> {
  const looks = () => ears.reduce((sum, one) => sum + one.looks(), 0);
  for (let [before, still] = [-1, 0]; still < 4; before = looks()) {
    await sleep(30);
    still = looks() === before ? still + 1 : 0;
  }
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
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual([""]);
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

  test("the bell of a process that was killed is taken away, by who is there and by who comes", async () => {
    const folder = newFolder();
    const kill = async () => {
      await using other = await elsewhere(folder);
      other.child.kill("SIGKILL");
      await once(other.child, "exit");
    };
    await kill();
    expect(readdirSync(folder)).toHaveLength(1);
    using _there = ear(folder, SOON_MS);
    expect(readdirSync(folder)).toHaveLength(1);
    await kill();
    await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(1));
  });

  test("of another namespace nobody can tell whether it lives: its bell is rung for a day, and then taken away", async () => {
    const folder = newFolder();
    mkdirSync(folder);
    const name = `1-${process.pid}-${"x".repeat(16)}`;
    writeFileSync(join(folder, name), "");
    using one = ear(folder, SOON_MS);
    one.bell.ring();
    expect(readFileSync(join(folder, name), "utf8")).toBe("!");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    await vi.waitFor(() => expect(readdirSync(folder)).not.toContain(name));
  });

  test("who finds its own bell gone makes itself another, and is rung again", async () => {
    const folder = newFolder();
    using rope = ear(folder);
    using _one = ear(folder, SOON_MS);
    await told(rope);
    rmSync(folder, { recursive: true });
    await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(1));
    const [again = ""] = readdirSync(folder);
    using other = ear(folder);
    other.bell.ring();
    expect(readFileSync(join(folder, again), "utf8")).toMatch(/^!/);
    rope.bell.ring(); // what it knew is gone: that is no error
  });

  test("what is no bell is not written to", async () => {
    const folder = newFolder();
    mkdirSync(folder);
    const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    const name = (letter: string) => join(folder, `${namespace}-${process.pid}-${letter.repeat(16)}`);
    const outside = ["link", "hard", "other"].map((what) => join(folder, "..", what));
    for (const path of outside) writeFileSync(path, "somebody else's");
    symlinkSync(outside[0] ?? "", name("a"));
    linkSync(outside[1] ?? "", name("b"));
    mkdirSync(name("c"));
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
