import { describe, expect, test } from "vitest";
import type { Envelope } from "../../src/schema/index.ts";
import {
  answers,
  hangs,
  registryOf,
  type Script,
  startEngine,
  testWorld,
  type TestEngine,
} from "../../src/testing/index.ts";
import { closeInTime, typesOf, wholeLog, withWorker } from "./kit.ts";

const never = () => new AbortController().signal;

/** Reads until it is aborted, in the background. */
function reader(engine: TestEngine, query: Parameters<TestEngine["engine"]["follow"]>[0], signal: AbortSignal) {
  const seen: Envelope[] = [];
  const done = (async () => {
    for await (const envelope of engine.engine.follow(query, signal)) seen.push(envelope);
  })();
  return { seen, done };
}

const talks =
  (count: number): Script =>
  async (_attempt, scope) => {
    for (let index = 0; index < count; index++) {
      await scope.append({ type: "message.said", text: `word ${index}` });
      if (index % 10 === 0) await scope.sleep(10);
    }
    return { kind: "answered", answer: "done" };
  };

describe("views ◄ event log: follow", () => {
  test("readers that come at different times miss nothing and see nothing twice, while others write", async () => {
    const world = testWorld();
    const scripts = Array.from({ length: 4 }, () => talks(120));
    await using one = await withWorker(scripts, { world });
    await using two = await withWorker(scripts, { world });
    for (let index = 0; index < 4; index++) await one.start({ agent: "worker" });
    one.work({});
    two.work({});
    const enough = new AbortController();
    const readers = [];
    for (let index = 0; index < 12; index++) {
      await world.clock.advance(10);
      readers.push(reader(index % 2 === 0 ? one : two, { after: index * 20 }, enough.signal));
    }
    await world.clock.advance(10_000);
    const log = await wholeLog(world);
    expect(log.length).toBeGreaterThan(4 * 120);
    enough.abort();
    for (const [index, { seen, done }] of readers.entries()) {
      await done;
      expect(seen).toEqual(log.slice(index * 20));
    }
  });

  test("one stream can be followed alone", async () => {
    await using engine = await withWorker([talks(30), talks(30)]);
    const enough = new AbortController();
    const task = await engine.start({ agent: "worker" });
    await engine.start({ agent: "worker" });
    const { seen, done } = reader(engine, { stream: `task:${task.id}`, after: 0 }, enough.signal);
    engine.work();
    await engine.world.clock.advance(1000);
    enough.abort();
    await done;
    expect(seen).toEqual(await engine.log(task.id));
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  });

  test("a slow reader loses nothing", async () => {
    await using engine = await withWorker([talks(300)]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    const seen: Envelope[] = [];
    const reading = (async () => {
      for await (const envelope of engine.engine.follow({ stream: `task:${task.id}`, after: 0 }, never())) {
        await engine.world.clock.sleep(5, never());
        seen.push(envelope);
        if (envelope.event.type === "task.ended") break;
      }
    })();
    await engine.world.clock.advance(10_000);
    await reading;
    expect(seen).toEqual(await engine.log(task.id));
  });

  test("from the place of a view on, exactly what the view does not hold is read", async () => {
    await using engine = await withWorker([talks(15)]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    const view = await engine.until(task.id, "waiting");
    await engine.world.clock.advance(1000);
    await engine.until(task.id, "completed");
    const enough = new AbortController();
    const { seen, done } = reader(engine, { stream: `task:${task.id}`, after: view.position }, enough.signal);
    await engine.world.clock.settle();
    enough.abort();
    await done;
    expect(typesOf(seen)[0]).toBe("attempt.resumed");
    expect([...(await engine.log(task.id)).filter(({ position }) => position <= view.position), ...seen]).toEqual(
      await engine.log(task.id),
    );
  });

  test("it ends when it is aborted, also before it began", async () => {
    await using engine = await withWorker([hangs()]);
    const enough = new AbortController();
    const waiting = reader(engine, { after: 0 }, enough.signal);
    await engine.world.clock.settle();
    enough.abort();
    await waiting.done;
    await engine.start({ agent: "worker" });
    const late = reader(engine, { after: 0 }, AbortSignal.abort());
    await late.done;
    expect([waiting.seen, late.seen]).toEqual([[], []]);
  });

  test("it ends when the engine is closed", async () => {
    const engine = await withWorker([hangs()]);
    await engine.start({ agent: "worker" });
    const { seen, done } = reader(engine, { after: 0 }, never());
    engine.work();
    await engine.world.clock.settle();
    await closeInTime(engine);
    await done;
    expect(typesOf(seen)).toContain("attempt.started");
  });

  test("a reader that leaves early lets go of the bell", async () => {
    const world = testWorld();
    let bells = 0;
    const subscribe = world.store.subscribe.bind(world.store);
    world.store.subscribe = (ring) => {
      bells++;
      const bell = subscribe(ring);
      return { [Symbol.dispose]: () => (bells--, bell[Symbol.dispose]()) };
    };
    await using engine = await startEngine({ world, registry: registryOf({ name: "w", description: "W.", tape: [] }) });
    const before = bells;
    await engine.start({ agent: "w" });
    let first: Envelope | undefined;
    for await (const envelope of engine.engine.follow({ after: 0 }, never())) {
      first = envelope;
      break;
    }
    expect(first?.position).toBe(1);
    expect(bells).toBe(before);
  });
});

describe("views ◄ event log: waiting for a task", () => {
  test("it resolves with the task as it is, or as it becomes", async () => {
    await using engine = await withWorker([answers("done")]);
    const task = await engine.start({ agent: "worker" });
    const ended = engine.engine.until(task.id, never(), ({ outcome }) => outcome ?? undefined);
    const now = await engine.engine.until(task.id, never(), ({ status }) => status);
    expect(now).toBe("pending");
    engine.work();
    expect(await ended).toMatchObject({ status: "completed", answer: "done" });
  });

  test("it is given up when it is aborted", async () => {
    await using engine = await withWorker([]);
    const task = await engine.start({ agent: "worker" });
    const enough = new AbortController();
    const waiting = engine.engine.until(task.id, enough.signal, ({ outcome }) => outcome ?? undefined);
    enough.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
