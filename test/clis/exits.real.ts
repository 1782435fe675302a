// Exits and delegation, as MCP tools of Cadre's own that each CLI really calls.
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/schema/index.ts";
import { eventually } from "../custody/kit.ts";
import { answerNext, factsOf } from "../engine/kit.ts";
import { EACH } from "./each-cli.ts";
import { ended, KEY, textOf, withCli } from "./kit.ts";

const exits = (...names: ("complete_task" | "message_user")[]) => ({ completion: { exits: names, nudges: 2 } });

const asking = (model: string) =>
  ({ model, permission_mode: "plan", ...exits("complete_task", "message_user") }) as const;

/** Runs it, and answers what it asks, if it does before it ends. */
async function answered({ engine }: Awaited<ReturnType<typeof withCli>>, answer: Answer) {
  const { id } = await engine.start({ agent: "worker" });
  engine.work();
  const isAsked = async () => (await engine.show(id)).approvals.some(({ state }) => state === "open");
  const isEnded = async () => (await engine.show(id)).outcome !== null;
  await eventually("it asks or ends", async () => (await isAsked()) || isEnded(), 60_000);
  if (await isAsked()) await answerNext(engine, id, answer);
  return ended(engine, id);
}

describe.each(EACH)("$name and tools of Cadre's own", ({ cli, model, ours, said }) => {
  it("ends by an exit: what that says is the answer, and not its last words", async () => {
    const replies = [{ calls: [ours("complete_task", { result: "by the exit" })] }, { text: "bye" }];
    await using world = await withCli(cli, replies, { model, permission_mode: "plan", ...exits("complete_task") });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "by the exit" });
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called")).toMatchObject([{ tool: "complete_task", effect: "none" }]);
    expect(factsOf(log, "tool.returned")).toMatchObject([{ ok: true, output: "Done." }]);
    expect(factsOf(log, "tool.reported")).toEqual([]);
    expect(said(world.model.asked[0])).toContain("You end only by calling");
    expect(textOf(log)).not.toContain(KEY);
  });

  it("is told to go on where it stops without one", async () => {
    const replies = [
      { text: "I think that is all" },
      { calls: [ours("complete_task", { result: "now really" })] },
      { text: "bye" },
    ];
    await using world = await withCli(cli, replies, { model, permission_mode: "plan", ...exits("complete_task") });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "now really" });
    expect(factsOf(await world.engine.log(id), "instruction.added")).toMatchObject([{ because: "nudge" }]);
  });

  // Codex makes both calls at once, by two threads: mostly in the order of the reply, at times in the other one.
  it("ends by the first of two exits that comes, and the other one changes nothing", async () => {
    const both = [ours("message_user", { message: "here it is" }), ours("complete_task", { result: "all done" })];
    await using world = await withCli(cli, [{ calls: both }, { text: "bye" }], asking(model));
    const { id, outcome } = await answered(world, { verdict: "deny" });
    const [first] = factsOf(await world.engine.log(id), "tool.called");
    expect(["message_user", "complete_task"]).toContain(first?.tool);
    const answer = first?.tool === "message_user" ? "here it is" : "all done";
    expect(outcome).toMatchObject({ status: "completed", answer });
  });

  it("waits for the reply of a person", async () => {
    const replies = [
      { calls: [ours("message_user", { message: "which of the two?" })] },
      { calls: [ours("complete_task", { result: "done as told" })] },
      { text: "bye" },
    ];
    await using world = await withCli(cli, replies, asking(model));
    const { outcome } = await answered(world, { verdict: "text", text: "the FIRST" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done as told" });
    expect(said(world.model.asked.at(1))).toContain("the FIRST");
  });

  it("delegates by Cadre's own tool, and hears what came of it", async () => {
    const replies = [
      { calls: [ours("Task", { description: "help", prompt: "please help", subagent_type: "helper" })] },
      { text: "all done" },
    ];
    await using world = await withCli(cli, replies, {
      model,
      permission_mode: "plan",
      tools: ["Read", "Glob", "Grep", "List", "Task"],
    });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "all done" });
    expect(factsOf(await world.engine.log(id), "child.started")).toMatchObject([{ agent: "helper" }]);
    expect(said(world.model.asked.at(-1))).toContain("from the helper");
  });
});
