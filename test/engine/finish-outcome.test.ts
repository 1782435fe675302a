import { describe, expect, test } from "vitest";
import { answers, registryOf, type Script, startEngine } from "../../src/testing/index.ts";
import { type Definition, typesOf, withWorker } from "./kit.ts";

describe("finish: the answer", () => {
  test("a long answer is cut between characters, and the outcome says so", async () => {
    await using engine = await withWorker([answers("é".repeat(600))], { agent: { max_output_kb: 1 } });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", truncated: true, answer: "é".repeat(512) });
  });

  test("an answer that just fits is whole", async () => {
    await using engine = await withWorker([answers("é".repeat(512))], { agent: { max_output_kb: 1 } });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ truncated: false, answer: "é".repeat(512) });
  });

  test("a run that only its grace turn saved does not look like a clean one", async () => {
    const saved: Script = async () => ({ kind: "answered", answer: "what I have", recovered: "max_turns" });
    await using engine = await withWorker([saved, answers("clean")]);
    expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({ recovered: { limit: "max_turns" } });
    expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({ recovered: null });
  });
});

describe("finish: the session", () => {
  test("the session keeps what was asked and what was answered", async () => {
    await using engine = await withWorker([answers("four")]);
    const { id, spec } = await engine.run({ agent: "worker", prompt: "two and two?" });
    expect(await engine.world.store.session(spec.session)).toMatchObject({
      agent: "worker",
      parent: null,
      tasks: [id],
      messages: [
        { role: "user", content: "two and two?" },
        { role: "assistant", content: "four" },
      ],
    });
  });

  test("a failed task leaves no answer in its session, and the session can be gone on with", async () => {
    await using engine = await withWorker([() => Promise.reject(new Error("bang")), answers("four")]);
    const failed = await engine.run({ agent: "worker", prompt: "two and two?" });
    const { session } = failed.spec;
    expect((await engine.world.store.session(session))?.messages.map(({ role }) => role)).toEqual(["user"]);
    const again = await engine.run({ agent: "worker", prompt: "once more", session });
    expect(again.outcome).toMatchObject({ answer: "four" });
  });

  test("the end of the attempt, of the task and the session's answer are one commit", async () => {
    await using engine = await withWorker([answers("four")]);
    const { id, spec } = await engine.run({ agent: "worker" });
    const task = await engine.log(id);
    const session = await engine.world.store.read({ stream: `session:${spec.session}`, after: 0, limit: 10 });
    expect(typesOf(task).slice(-2)).toEqual(["attempt.ended", "task.ended"]);
    const last = task.at(-1)?.position ?? 0;
    expect(session.at(-1)).toMatchObject({ position: last + 1, event: { type: "message.kept" } });
  });
});

describe("finish: the breadcrumb", () => {
  const tree = (child: NonNullable<Definition["tape"]>) =>
    registryOf(
      { name: "lead", description: "Leads.", tape: [{ delegate: "child", prompt: "help" }, { answer: "done" }] },
      { name: "child", description: "Helps.", tape: child },
    );

  test("a child leaves a short summary in its parent's session, and its transcript in its own", async () => {
    const long = `It is  in\n\nthe cellar. ${"x".repeat(600)}`;
    await using engine = await startEngine({ registry: tree([{ say: "I look around" }, { answer: long }]) });
    const lead = await engine.run({ agent: "lead" });
    const parent = await engine.world.store.session(lead.spec.session);
    const child = await engine.show(lead.children[0] ?? lead.id);
    expect(parent?.breadcrumbs).toMatchObject([
      { task: child.id, session: child.spec.session, agent: "child", status: "completed" },
    ]);
    const summary = parent?.breadcrumbs[0]?.summary ?? "";
    expect(summary).toMatch(/^It is in the cellar\. x+\.\.\.$/);
    expect(summary).toHaveLength(500);
    expect(parent?.children).toEqual([child.spec.session]);
    expect(JSON.stringify(parent)).not.toContain("I look around");
    expect((await engine.world.store.session(child.spec.session))?.parent).toBe(lead.spec.session);
  });

  test("a child that failed says so in its breadcrumb", async () => {
    await using engine = await startEngine({ registry: tree([{ fail: "refused", message: "I will not" }]) });
    const lead = await engine.run({ agent: "lead" });
    const parent = await engine.world.store.session(lead.spec.session);
    expect(parent?.breadcrumbs).toMatchObject([{ status: "failed", summary: "refused: I will not" }]);
    expect(lead.status).toBe("completed");
  });
});
