import { expect, test } from "vitest";
import { answers, registryOf, scriptedBackend, startEngine, memoryWorkspaces } from "../../src/testing/index.ts";

test("a tape runs", async () => {
  const workspaces = memoryWorkspaces({ "a.txt": "hello" });
  await using engine = await startEngine({
    workspaces,
    registry: registryOf(
      {
        name: "lead",
        description: "d",
        tape: [
          { say: "hi" },
          { read: "a.txt", expect: "hell" },
          { together: [{ delegate: "child", prompt: "a" }, { delegate: "child", prompt: "b" }] },
          { answer: "done" },
        ],
      },
      { name: "child", description: "d", tape: [{ say: "x" }, { pause_ms: 10 }, { answer: "child done" }] },
    ),
  });
  const t = await engine.start({ agent: "lead" });
  engine.work();
  await engine.world.clock.advance(100);
  const v = await engine.until(t.id, "completed");
  console.log((await engine.log(t.id)).map((e) => e.event.type).join("\n"));
  expect(v.outcome).toMatchObject({ answer: "done" });
});
