import { describe, expect, it } from "vitest";
import { custodies, eventually, fixture, namedPipe, waitingAt } from "../custody/kit.ts";
import { ended, shown, withCommand } from "./kit.ts";

describe.each(await custodies())("stopping a program ($how)", ({ custody }) => {
  it("is cooperative where the program follows, and all three generations are gone", async () => {
    const pipe = namedPipe();
    await using world = await withCommand(custody, ["sh", fixture("generations.sh"), pipe]);
    const { engine } = world;
    const { id } = await engine.start({ agent: "prog" });
    engine.work();
    await eventually("all are up", () => shown(world.parts, "stdout").split("up").length > 2);
    await engine.engine.stop(id, "ada");
    const { outcome } = await ended(engine, id);
    expect(outcome).toMatchObject({ status: "cancelled", how: "cooperative", by: "ada" });
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("is forced where it does not, also on a grandchild in a session of its own", async () => {
    const pipe = namedPipe();
    await using world = await withCommand(custody, ["sh", fixture("generations.sh"), pipe, "stubborn", "apart"]);
    const { engine } = world;
    const { id } = await engine.start({ agent: "prog" });
    engine.work();
    await eventually("all are up", () => shown(world.parts, "stdout").split("up").length > 2);
    await engine.engine.stop(id, "ada");
    await engine.world.clock.settle();
    expect(waitingAt(pipe).length).toBeGreaterThanOrEqual(4);
    await engine.world.clock.advance(engine.engine.parts.settings.stopGraceMs);
    const { outcome } = await ended(engine, id);
    expect(outcome).toMatchObject({ status: "cancelled", how: "forced", by: "ada" });
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("ends a program at its time limit", async () => {
    const pipe = namedPipe();
    await using world = await withCommand(custody, ["sh", fixture("hold.sh"), pipe]);
    const { engine } = world;
    const { id } = await engine.start({ agent: "prog", limits: { timeoutMs: 60_000 } });
    engine.work();
    await eventually("it is up", () => shown(world.parts, "stdout").includes("up"));
    await engine.world.clock.advance(60_000);
    expect((await ended(engine, id)).outcome).toMatchObject({ status: "failed", reason: "timeout" });
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("ends what a program left behind when the attempt ends, although it went well", async () => {
    const pipe = namedPipe();
    const script = 'sh "$1" "$2" stubborn & echo started';
    await using world = await withCommand(custody, ["sh", "-c", script, "sh", fixture("hold.sh"), pipe]);
    const { outcome } = await world.engine.run({ agent: "prog" });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("interrupts the task, and ends its program, when the worker is shut down", async () => {
    const pipe = namedPipe();
    const world = await withCommand(custody, ["sh", fixture("hold.sh"), pipe, "stubborn"]);
    const { id } = await world.engine.start({ agent: "prog" });
    world.engine.work();
    await eventually("it is up", () => shown(world.parts, "stdout").includes("up"));
    await world[Symbol.asyncDispose]();
    expect((await world.engine.show(id)).status).toBe("interrupted");
    expect(waitingAt(pipe)).toEqual([]);
  });
});
