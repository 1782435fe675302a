import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { hunt } from "../../src/custody/hunt.ts";
import { type ProcessRef, readProcess } from "../../src/platform/proc-table.ts";
import { isRunning, signalGroupOf, signalProcess } from "../../src/platform/processes.ts";
import { custodies, PATH } from "./kit.ts";
import { workerOf } from "./owner-of.ts";

const SWEPT = workerOf("swept");
const SWEEP_OWN = fileURLToPath(new URL("fixtures/sweep-own.ts", import.meta.url));

/** A process of somebody else's, in a session of its own. */
function stranger(env: Record<string, string> = {}): ProcessRef {
  const child = spawn("sleep", ["30"], { detached: true, stdio: "ignore", env: { PATH, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ref = readProcess(child.pid ?? 0);
  if (ref === undefined) throw new Error("sleep was not started");
  return ref;
}

describe("a process whose number was another's before", () => {
  it("is not signalled in its stead", () => {
    const now = stranger();
    const before = { pid: now.pid, startTime: "1" };
    expect(signalProcess(before, "SIGKILL")).toBe(false);
    expect(signalGroupOf(before, "SIGKILL")).toBe(false);
    expect(isRunning(before)).toBe(false);
    expect(isRunning(now)).toBe(true);
  });

  it("is not hunted as the leader of what the other one led", async () => {
    const now = stranger();
    const before = { pid: now.pid, startTime: "1" };
    expect(await hunt({ isMarked: () => false, leaders: [before] })).toBe(0);
    expect(isRunning(now)).toBe(true);
    expect(await hunt({ isMarked: () => false, leaders: [now] })).toBe(1);
    expect(isRunning(now)).toBe(false);
  });
});

describe("a sweep", () => {
  it("touches nothing whose marker is only similar, or stands in another variable", async () => {
    const custody = (await custodies())[0]?.custody;
    const strangers = [
      stranger({ CADRE_KEEP: `${SWEPT}x:task_1:1` }),
      stranger({ NOT_CADRE_KEEP: `${SWEPT}:task_1:1` }),
      stranger({ TEXT: `CADRE_KEEP=${SWEPT}:task_1:1` }),
    ];
    const marked = stranger({ CADRE_KEEP: `${SWEPT}:task_9:2` });
    expect(await custody?.sweep(SWEPT)).toBe(1);
    expect(isRunning(marked)).toBe(false);
    expect(strangers.map(isRunning)).toEqual([true, true, true]);
  });

  it("never ends the process that sweeps, although that carries the marker too", () => {
    const env = { PATH, CADRE_KEEP: `${SWEPT}-2:task_1:1` };
    const options = { env, encoding: "utf8", timeout: 20_000 } as const;
    expect(execFileSync(process.execPath, [SWEEP_OWN, `${SWEPT}-2`], options)).toBe("swept 0");
  });
});
