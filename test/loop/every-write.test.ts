// A lead with children in the foreground and in the background, whose worker is killed after its first write, its
// second, its third… Another one always comes to the same end.
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../src/ports/index.ts";
import type { Envelope, TaskView } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, startLoop } from "./kit.ts";

const agents: AgentWish[] = [
  {
    name: "lead",
    description: "leads",
    tools: ["Task", "Step"],
    output: { schema: { type: "object", required: ["n"] } },
  },
  { name: "child", description: "digs", tools: ["Step"] },
];

const turnOf = (messages: readonly ModelMessage[]): number =>
  messages.filter(({ role }) => role === "assistant").length;
const always = (script: ReplyScript): ReplyScript[] => Array.from({ length: 50 }, () => script);
const step = (of: string) => ({ calls: [{ tool: "Step", input: { of } }] });
const task = (prompt: string, run_in_background: boolean) => ({
  calls: [{ tool: "Task", input: { subagent_type: "child", prompt, run_in_background } }],
});

const models = () => ({
  lead: scriptedModel(
    always(({ messages }) => {
      const turns = [step("first"), task("front", false), task("back", true), step("last")];
      return turns[turnOf(messages)] ?? { calls: [{ tool: "complete_task", input: { result: { n: 1 } } }] };
    }),
  ),
  child: scriptedModel(
    always(({ messages }) => {
      const of = /front|back/.exec(messages[1]?.text ?? "")?.[0] ?? "";
      return turnOf(messages) === 0 ? step(of) : { text: `dug at the ${of}` };
    }),
  ),
});

interface Life {
  readonly lead: TaskView;
  readonly children: readonly TaskView[];
  readonly log: readonly Envelope[];
  /** Of all three. */
  readonly logs: readonly Envelope[];
  readonly steps: readonly string[];
  /** How many writes the first worker got to do. */
  readonly writes: number;
}

async function live(killAfter: number): Promise<Life> {
  const world = testWorld();
  const steps: string[] = [];
  const tools = () => [
    fakeTool("Step", (input) => (steps.push(JSON.stringify(input)), { ok: true, text: "done" }), "none"),
  ];
  let writes = 0;
  let isDead = false;
  const store = new Proxy(world.store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      if (key !== "append" && key !== "settle" && key !== "reserve" && key !== "admit") return member.bind(target);
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
  const options = { agents, delegation: true } as const;
  const first = await startLoop({ ...options, world: { ...world, store }, models: models(), tools: tools() });
  const { id } = await first.start({ agent: "lead" });
  first.work();
  const isOver = async () => isDead || (await first.show(id)).outcome !== null;
  for (let round = 0; round < 300 && !(await isOver()); round++) await world.clock.settle();
  if (!isDead) first.kill();
  await using second = await startLoop({ ...options, world, models: models(), tools: tools() });
  second.work();
  const lead = await second.until(id, "completed");
  await second.untilAll("child", "completed");
  const logs = await world.store.read({ after: 0, limit: 10_000 });
  return { lead, children: await second.children(lead), log: await second.log(id), logs, steps, writes };
}

const whole = await live(Number.POSITIVE_INFINITY);

describe("killed after every write", () => {
  test("the whole has as many as this test expects", () => {
    expect(whole.steps).toHaveLength(4);
    expect(whole.writes).toBeGreaterThan(25);
  });

  // The first is the admission itself, which is the caller's.
  test.each(Array.from({ length: whole.writes - 1 }, (_, index) => index + 2))("number %i", async (killAfter) => {
    const { lead, children, log, logs, steps } = await live(killAfter);
    expect(lead.outcome).toMatchObject({ status: "completed", output: { n: 1 }, recovered: null });
    expect(children.map(({ spec, outcome }) => [spec.prompt, outcome?.status]).toSorted(byFirst)).toEqual([
      ["back", "completed"],
      ["front", "completed"],
    ]);
    expect(new Set(steps).size).toBe(steps.length); // none twice
    // One that was not taken is one of which the agent was told that nobody knows.
    const unknown = factsOf(logs, "tool.returned").filter(({ output }) => output.includes("is unknown"));
    expect(4 - steps.length).toBeLessThanOrEqual(unknown.length);
    expect(unknown.length).toBeLessThanOrEqual(2);
    const news = factsOf(log, "instruction.added").filter(({ because }) => because === "news");
    expect(news).toMatchObject([{ text: expect.stringContaining("dug at the back") as string }]);
    const front = factsOf(log, "tool.returned").filter(({ output }) => output.startsWith("dug at the front\n"));
    expect(front).toHaveLength(1);
  });
});

const byFirst = (a: readonly unknown[], b: readonly unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);
