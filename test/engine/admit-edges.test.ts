import { expect, test } from "vitest";
import type { TaskRequest } from "../../src/engine/index.ts";
import { answers, type Script } from "../../src/testing/index.ts";
import { obeys, withWorker } from "./kit.ts";

const request = (change: Partial<TaskRequest> = {}): TaskRequest => ({
  agent: "worker",
  prompt: "do it",
  dispatch: "manual",
  askable: "inbox",
  origin: { mouth: "test", by: "tester" },
  ...change,
});

test("a session takes one task at a time, also within one list", async () => {
  await using engine = await withWorker([answers("done")]);
  const { spec } = await engine.run({ agent: "worker" });
  const both = [request({ session: spec.session }), request({ session: spec.session })];
  await expect(engine.engine.admit(both, null)).rejects.toMatchObject({ code: "session.busy" });
});

test("a task is not tried again while its session has another", async () => {
  const fails: Script = async () => ({ kind: "failed", reason: "backend_error", message: "no" });
  await using engine = await withWorker([fails, obeys]);
  const first = await engine.run({ agent: "worker" });
  const second = await engine.start({ agent: "worker", session: first.spec.session });
  engine.work();
  await engine.until(second.id, "running");
  const again = await engine.engine.command(first.id, { type: "requeue", because: "retry", by: "ada" });
  expect(again).toMatchObject({ kind: "refused" });
});
