// An agent that has to be allowed something and asks for help, whose worker is killed after its first write, its second, its
// third… A person who has answered is not asked again, and nothing that was allowed once is done twice.
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../src/ports/index.ts";
import type { Envelope, TaskView } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, type LoopEngine, startLoop } from "./kit.ts";

const agents: AgentWish[] = [
  {
    name: "agent",
    description: "works",
    tools: ["Bash"],
    completion: { exits: ["complete_task", "ask_for_help"] },
  },
];

const TURNS = [
  { calls: [{ tool: "Bash", input: { command: "make" } }] },
  { calls: [{ tool: "ask_for_help", input: { question: "Which?" } }] },
  { calls: [{ tool: "complete_task", input: { result: "made" } }] },
];
const turnOf = (messages: readonly ModelMessage[]): number =>
  messages.filter(({ role }) => role === "assistant").length;
const model = () =>
  scriptedModel(
    Array.from(
      { length: 20 },
      (): ReplyScript =>
        ({ messages }) =>
          TURNS[turnOf(messages)] ?? {},
    ),
  );

/** A person who answers whatever is asked, each once. */
async function answerAll({ engine, world }: LoopEngine, { id }: TaskView): Promise<void> {
  const view = await world.store.task(id);
  for (const { id: approval, kind, state } of view?.approvals ?? []) {
    if (state !== "open") continue;
    const answer =
      kind === "tool" ? ({ verdict: "allow", scope: "once" } as const) : ({ verdict: "text", text: "Both." } as const);
    await engine.command(id, { type: "answer", approval, answer, by: "ada" });
  }
}

interface Life {
  readonly task: TaskView;
  readonly log: readonly Envelope[];
  readonly made: number;
  readonly writes: number;
}

async function live(killAfter: number): Promise<Life> {
  const world = testWorld();
  const shell = fakeTool("Bash", undefined, "exec");
  let writes = 0;
  let isDead = false;
  const store = new Proxy(world.store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      if (key !== "append" && key !== "regain") return member.bind(target);
      return async (...args: unknown[]) => {
        const done: unknown = await Reflect.apply(member, target, args);
        if (!isDead && ++writes === killAfter) {
          isDead = true;
          first.kill();
        }
        return done;
      };
    },
  });
  const options = { agents, tools: [shell] } as const;
  const first = await startLoop({ ...options, world: { ...world, store }, models: model() });
  const asked = await first.start({ agent: "agent" });
  first.work();
  const isOver = async () => isDead || (await first.show(asked.id)).outcome !== null;
  for (let round = 0; round < 300 && !(await isOver()); round++) {
    await answerAll(first, asked);
    await world.clock.settle();
  }
  if (!isDead) first.kill();
  await using second = await startLoop({ ...options, world, models: model() });
  second.work();
  for (let round = 0; round < 300 && (await second.show(asked.id)).outcome === null; round++) {
    await world.clock.settle();
    await answerAll(second, asked);
  }
  const task = await second.until(asked.id, "completed");
  return { task, log: await second.log(asked.id), made: shell.ran.length, writes };
}

const whole = await live(Number.POSITIVE_INFINITY);

describe("killed after every write", () => {
  test("the whole has as many as this test expects", () => {
    expect(whole.made).toBe(1);
    expect(whole.writes).toBeGreaterThan(8);
  });

  test.each(Array.from({ length: whole.writes }, (_, index) => index + 1))("number %i", async (killAfter) => {
    const { task, log, made } = await live(killAfter);
    expect(task.outcome).toMatchObject({ answer: "made", recovered: null });
    expect(task.approvals).toMatchObject([
      { kind: "tool", state: "applied" },
      { kind: "question", state: "applied" },
    ]);
    const results = factsOf(log, "tool.returned").map(({ output }) => output);
    expect(results).toContain("Both.");
    // One that was not made is one of which the agent was told that nobody knows.
    expect(made + results.filter((output) => output.includes("is unknown")).length).toBe(1);
  });
});
