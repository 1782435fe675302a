import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CadreError } from "../../src/errors/index.ts";
import { listProcesses } from "../../src/platform/proc-table.ts";
import { custodies, eventually, fixture, namedPipe, openKeep, PATH, sh, upTimes, waitingAt } from "./kit.ts";

const all = await custodies();
const namespaces = all.filter(({ how }) => how !== "tracked");
const tracked = all.filter(({ how }) => how === "tracked");

describe.each(all)("ending what is in custody ($how)", ({ how, custody }) => {
  it("ends a program that ignores every wish, and says that it was killed", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("hold.sh", pipe, "stubborn"));
    await upTimes(1, kept.stdout);
    kept.signal("SIGTERM");
    kept.signal("SIGINT");
    await delay(100);
    expect(waitingAt(pipe)).not.toEqual([]);
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
    expect(await kept.exited).toEqual({ kind: "killed", signal: "SIGKILL" });
  });

  it("ends three generations, the youngest in a session of its own", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("generations.sh", pipe, "stubborn", "apart"));
    await upTimes(2, kept.stdout);
    expect(waitingAt(pipe).length).toBeGreaterThanOrEqual(4);
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("ends a child that left its session and its parent but kept its environment", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("escape.sh", pipe));
    await upTimes(2, kept.stdout);
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("ends what a program left behind that has ended itself", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh('sh "$1" "$2" & exit 0', fixture("hold.sh"), pipe));
    await kept.exited;
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("ends what was started a moment ago, wherever its start has got to", async () => {
    for (let ms = 0; ms < 20; ms += 2) {
      const [keep, pipe] = [openKeep(custody), namedPipe()];
      const { exited } = keep.spawn(sh("hold.sh", pipe));
      await delay(ms);
      await keep.endAll();
      expect(waitingAt(pipe)).toEqual([]);
      expect((await exited).kind).toBe("killed");
    }
  });

  it("ends several programs at once, and is done when it is called again", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    for (let i = 0; i < 5; i++) keep.spawn(sh("hold.sh", pipe));
    await Promise.all([keep.endAll(), keep.endAll()]);
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("starts nothing more afterwards", async () => {
    const keep = openKeep(custody);
    await keep.endAll();
    const refusal = (() => {
      try {
        return keep.spawn(sh("exit 0"));
      } catch (error) {
        return error;
      }
    })();
    expect(CadreError.isInstance(refusal) && refusal.code).toBe("attempt.stale");
  });

  it("lets whoever reads or writes go on", async () => {
    const keep = openKeep(custody);
    const kept = keep.spawn(sh("exec sleep 30"));
    const writing = kept.write(Buffer.alloc(4 * 1024 * 1024));
    const reading = (async () => {
      for await (const _chunk of kept.stdout);
    })();
    await keep.endAll();
    await Promise.all([writing, reading]);
    expect(await kept.exited).toEqual({ kind: "killed", signal: "SIGKILL" });
  });

  it("leaves no zombie, neither after an end by force nor after an exit", async () => {
    const keep = openKeep(custody);
    const pids: (number | undefined)[] = [];
    for (const script of ["exit 0", "sleep 0.01 & exit 0", "sleep 30", "kill -9 $$"]) {
      const kept = keep.spawn(sh(script));
      pids.push(kept.pid);
      if (script !== "sleep 30") await kept.exited;
    }
    await keep.endAll();
    const left = (await listProcesses()).filter(({ pid, session }) => pids.includes(pid) || pids.includes(session));
    // Without a namespace an orphan is adopted outside, and collected there in its own time.
    expect(left.filter(({ parent }) => how !== "tracked" || parent === process.pid)).toEqual([]);
  });
});

describe.each(namespaces)("ending what is in a namespace ($how)", ({ custody }) => {
  it("ends a child that left its session, its parent and its environment", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("escape.sh", pipe, "scrubbed"));
    await upTimes(2, kept.stdout);
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("ends with its launcher, when somebody kills that", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("escape.sh", pipe, "scrubbed"));
    await upTimes(2, kept.stdout);
    process.kill(kept.pid ?? 0, "SIGKILL");
    expect(await kept.exited).toEqual({ kind: "killed", signal: "SIGKILL" });
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("ends with the program what the program left behind", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const { exited } = keep.spawn(sh('(setsid env -i sh "$1" "$2" &) ; exit 0', fixture("hold.sh"), pipe));
    expect(await exited).toEqual({ kind: "exited", code: 0 });
    expect(waitingAt(pipe)).toEqual([]);
  });
});

describe.each(tracked)("ending what is tracked", ({ custody }) => {
  it("does NOT find a child that left its session, its parent and its environment: the tier does not cover it", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("escape.sh", pipe, "scrubbed"));
    await upTimes(2, kept.stdout);
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual(waitingAt(`${pipe}.left`));
    expect(waitingAt(`${pipe}.left`)).toHaveLength(1);
  });

  it("finds a child without an environment as long as its parent lives or it stays in the session", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const hold = fixture("hold.sh");
    const inSession = sh('(env -i sh "$1" "$2" stubborn &) ; sleep 30', hold, pipe);
    const belowParent = sh('setsid env -i sh "$1" "$2" stubborn & sleep 30', hold, pipe);
    keep.spawn(inSession);
    keep.spawn({ ...belowParent, env: { PATH } });
    await eventually("both are up", () => waitingAt(pipe).length >= 4);
    await keep.endAll();
    expect(waitingAt(pipe)).toEqual([]);
  });
});
