import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { brandId, type WorkerId } from "../../src/schema/index.ts";
import { custodies, eventually, fixture, namedPipe, waitingAt } from "./kit.ts";

const WORKER = fileURLToPath(new URL("fixtures/worker.ts", import.meta.url));

const all = await custodies();
const namespaces = all.filter(({ how }) => how !== "tracked");
const tracked = all.filter(({ how }) => how === "tracked");

interface Worker {
  readonly process: ChildProcess;
  said(): string;
}

/** No other run of these tests has the same. A longer name is that of a worker whose id goes on. */
const named = (name: string): WorkerId => brandId("work", `${process.pid}-${name}`);

/** Another process that starts the fixture in custody, as the worker of this name. */
function startWorker(how: string, name: string, script: string, ...args: readonly string[]): Worker {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "cadre-compile-cache") };
  const argv = [WORKER, how, named(name), "sh", fixture(script), ...args];
  const worker = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"], env });
  onTestFinished(() => void worker.kill("SIGKILL"));
  let said = "";
  worker.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  return { process: worker, said: () => said };
}

const upIn = (worker: Worker, times: number) =>
  eventually("the worker's programs are up", () => worker.said().split("up").length > times);

async function killWorker({ process: worker }: Worker): Promise<void> {
  worker.kill("SIGKILL");
  await once(worker, "exit");
}

const expectNothingLeft = (pipe: string) => eventually("nothing is left", () => waitingAt(pipe).length === 0);

describe.each(namespaces)("a worker that is killed by SIGKILL ($how)", ({ how, custody }) => {
  it("takes with it everything that it started, scrubbed and escaped children included", async () => {
    const pipe = namedPipe();
    const worker = startWorker(how, "dies-1", "escape.sh", pipe, "scrubbed");
    await upIn(worker, 2);
    expect(waitingAt(pipe).length).toBeGreaterThanOrEqual(2);
    await killWorker(worker);
    await expectNothingLeft(pipe);
    expect(await custody.sweep(named("dies-1"))).toBe(0);
  });

  it("takes three generations with it that ignore SIGTERM", async () => {
    const pipe = namedPipe();
    const worker = startWorker(how, "dies-2", "generations.sh", pipe, "stubborn", "apart");
    await upIn(worker, 2);
    await killWorker(worker);
    await expectNothingLeft(pipe);
  });

  it("leaves nothing that a sweep would not find, at whatever moment of a start it dies", async () => {
    for (const ms of [0, 1, 2, 3, 5, 8]) {
      const pipe = namedPipe();
      const name = `dies-early-${ms}`;
      const worker = startWorker(how, name, "hold.sh", pipe);
      await eventually("it starts its program", () => worker.said().includes("starting"));
      await delay(ms);
      await killWorker(worker);
      await custody.sweep(named(name));
      await expectNothingLeft(pipe);
    }
  }, 60_000);
});

describe.each(tracked)("a worker that is killed by SIGKILL (tracked)", ({ custody }) => {
  it("leaves its programs behind; sweeping ends them all, and says how many they were", async () => {
    const pipe = namedPipe();
    const worker = startWorker("tracked", "left-1", "generations.sh", pipe, "stubborn", "apart");
    await upIn(worker, 2);
    await killWorker(worker);
    const left = waitingAt(pipe);
    expect(left.length).toBeGreaterThanOrEqual(4);
    expect(await custody.sweep(named("left-1"))).toBe(left.length);
    expect(waitingAt(pipe)).toEqual([]);
    expect(await custody.sweep(named("left-1"))).toBe(0);
  });

  it("leaves another worker's programs alone when it is swept, also one whose id begins like its own", async () => {
    const [pipe, others] = [namedPipe(), namedPipe()];
    const worker = startWorker("tracked", "left-2", "hold.sh", pipe);
    const other = startWorker("tracked", "left-22", "hold.sh", others);
    await Promise.all([upIn(worker, 1), upIn(other, 1)]);
    await killWorker(worker);
    expect(await custody.sweep(named("left-2"))).toBe(1);
    expect(waitingAt(pipe)).toEqual([]);
    expect(waitingAt(others).length).toBeGreaterThanOrEqual(1);
    await killWorker(other);
    expect(await custody.sweep(named("left-22"))).toBe(1);
  });
});
