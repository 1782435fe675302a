import { expect, test } from "vitest";
import { systemClock } from "../../src/platform/system-clock.ts";
import { registryOf, scriptedBackend, startEngine } from "../../src/testing/index.ts";

test("a task is waited for in real time: what it loads may come late on a machine that is busy", async () => {
  const late = scriptedBackend([
    async () => {
      await systemClock.sleep(1_500, new AbortController().signal);
      return { kind: "answered", answer: "at last" };
    },
  ]);
  const registry = registryOf({ name: "worker", description: "works", backend: "scripted" });
  await using engine = await startEngine({ registry, backends: [late] });
  engine.work();
  const { id } = await engine.start({ agent: "worker" });
  expect(await engine.until(id, "completed")).toMatchObject({ outcome: { answer: "at last" } });
});
