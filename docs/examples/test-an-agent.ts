// An agent under test: a memory store, a workspace in memory, and a clock that moves when the test says so.
import assert from "node:assert/strict";
import { memoryWorkspaces, registryOf, startEngine } from "cadre/testing";

const registry = registryOf({
  name: "keeper",
  description: "Keeps a note after an hour",
  permission_mode: "acceptEdits",
  workspace: { allow_writes: true },
  tape: [{ pause_ms: 3_600_000 }, { write: "note.txt", content: "kept" }, { answer: "Kept." }],
});
const workspaces = memoryWorkspaces();
const engine = await startEngine({ registry, workspaces });

const task = await engine.start({ agent: "keeper" });
engine.work();
await engine.until(task.id, "waiting");
await engine.world.clock.advance(3_600_000);
await engine.until(task.id, "completed");
assert.equal(workspaces.files.get("note.txt"), "kept");
await engine[Symbol.asyncDispose]();
console.log("an hour has passed");
