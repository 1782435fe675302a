// What must pass before a task is completed: real programs in real custody, and agents.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCustody } from "../../src/custody/index.ts";
import { builtInRegistry } from "../../src/definitions/index.ts";
import type { ChangesOf } from "../../src/gates/completion/agent-gate.ts";
import { commandGate } from "../../src/gates/completion/command-gate.ts";
import { completionGates } from "../../src/gates/completion/completion-gates.ts";
import { outputSchemaGates } from "../../src/gates/output-schema/output-schema-gate.ts";
import type { Attempt, AttemptScope, Claim, Gates } from "../../src/ports/index.ts";
import type { Exit, JsonObject } from "../../src/schema/index.ts";
import { ownerOf } from "../custody/owner-of.ts";
import { type ReplyScript, scriptedModel, testWorld } from "../../src/testing/index.ts";
import { sharedWorkspaces } from "../../src/workspaces/shared/shared-workspaces.ts";
import { eventually, temporaryFolder } from "../custody/kit.ts";
import { type AgentWish, factsOf, startLoop } from "../loop/kit.ts";

const custody = await openCustody();
const PATH = process.env["PATH"] ?? "";
const gatesWith =
  (changesOf: ChangesOf): Gates =>
  (task, claim) => [...outputSchemaGates(task), ...completionGates(PATH, changesOf)(task, claim)];
const gates = gatesWith(async () => "(nothing has changed)");
const sh = (script: string) => ({ command: ["sh", "-c", script] });

/** Those that have this word among their arguments. */
const processesWith = (word: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
      } catch {
        return false; // it ended while we looked
      }
    });

async function run(
  wish: NonNullable<AgentWish["completion"]>,
  script: readonly ReplyScript[],
  agent: Partial<AgentWish> = {},
) {
  const project = temporaryFolder();
  const model = scriptedModel(script);
  const agents: AgentWish[] = [{ name: "agent", description: "x", completion: wish, ...agent }];
  await using engine = await startLoop({
    models: model,
    agents,
    gates,
    custody,
    workspaces: sharedWorkspaces(project),
  });
  const task = await engine.run({ agent: "agent", prompt: "Build it." });
  return { task, outcome: task.outcome, model, project, log: await engine.log(task.id) };
}

describe("a command as a gate", () => {
  test("that passes: the result is checked; verified, where the agent could change nothing", async () => {
    const checked = await run({ gates: [sh("exit 0")] }, [{ text: "done" }]);
    expect(checked.outcome).toMatchObject({ status: "completed", evidence: "checked" });
    const verified = await run({ gates: [sh("exit 0")] }, [{ text: "done" }], { permission_mode: "plan" });
    expect(verified.outcome).toMatchObject({ status: "completed", evidence: "verified" });
    const claimed = await run({}, [{ text: "done" }]);
    expect(claimed.outcome).toMatchObject({ status: "completed", evidence: "claimed" });
  });

  test.each([
    ["# Plan for agent - Build it.\n", true],
    ["# Plan for agent - Build it.\n\n- [ ] ALL TESTS PASS\n", false],
    ["ALL TESTS PASS\n", false],
    ["# Plan for another - Build it.\n", false],
    ["# Plan for agent - ALL TESTS PASS\n", false],
    ["# Plan for agent - Build it. ALL TESTS PASS\n", false],
    ["# Plan for agent - Build it.\n\n", false],
    ["", false],
    [null, true], // not there
    [{ isFolder: true }, false], // not to be read
  ])("a plan like %j: independent is %s", async (text, independent) => {
    const folder = temporaryFolder();
    const plan = join(folder, "plan.md");
    if (typeof text === "string") writeFileSync(plan, text);
    else if (text !== null) mkdirSync(plan);
    const attempt = {
      task: { spec: { definition: { name: "agent" }, prompt: "Build  it.\n", policy: { modes: ["plan"] } } },
      workspace: { root: folder },
      confinement: { wrap: (command: unknown) => command },
      keep: custody.open(ownerOf("gate")),
      own: { plan },
    } as unknown as Attempt;
    const gate = commandGate("tests", ["true"], PATH);
    expect(await gate.check(attempt, {} as Claim, {} as AttemptScope)).toEqual({ passed: true, independent });
    await attempt.keep.endAll();
  });

  test("that does not: what it said goes back to the agent, which goes on", async () => {
    const once = 'if [ -e again ]; then exit 0; fi; touch again; echo "2 tests failed"; echo "see log" >&2; exit 3';
    const { outcome, model, log } = await run({ gates: [{ name: "tests", ...sh(once) }] }, [
      { text: "one" },
      { text: "two" },
    ]);
    expect(outcome).toMatchObject({ status: "completed", answer: "two", evidence: "checked" });
    const told = model.requests[1]?.messages.at(-1)?.text ?? "";
    expect(told).toContain("ended with 3");
    expect(told).toContain("2 tests failed");
    expect(told).toContain("see log");
    expect(factsOf(log, "gate.checked").map(({ gate, passed }) => [gate, passed])).toEqual([
      ["tests", false],
      ["tests", true],
    ]);
  });

  test("that never does: the task fails with that, after two more tries", async () => {
    const { outcome, model } = await run(
      { gates: [sh("echo no; exit 1")] },
      [1, 2, 3].map((n) => ({ text: `try ${n}` })),
    );
    expect(outcome).toMatchObject({ status: "failed", reason: "gate_failed", answer: "try 3" });
    expect(outcome?.status === "failed" && outcome.message).toContain("no");
    expect(model.requests).toHaveLength(3);
  });

  test.each([
    ["is not there", { command: ["no-such-program-anywhere"] }, /could not be started|ended with 127|No such file/],
    ["is killed", sh("kill -9 $$"), /was ended by SIGKILL|ended with 137/],
  ])("whose program %s has not passed, and says so", async (_what, gate, words) => {
    const replies = [1, 2, 3].map(() => ({ text: "done" }));
    const { outcome } = await run({ gates: [gate] }, replies);
    expect(outcome).toMatchObject({
      status: "failed",
      reason: "gate_failed",
      message: expect.stringMatching(words) as string,
    });
  });

  test("of much it says, the end is passed on", async () => {
    const replies = [1, 2, 3].map(() => ({ text: "done" }));
    const flood = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo the end; exit 1";
    const { model } = await run({ gates: [sh(flood)] }, replies);
    const told = model.requests[1]?.messages.at(-1)?.text ?? "";
    expect(told.length).toBeLessThan(5_000);
    expect(told.trimEnd()).toMatch(/the end$/);
  });

  test("runs in the workspace, with nothing of the environment but where programs are", async () => {
    process.env["CADRE_GATE_CANARY"] = "canary-77";
    const { project } = await run({ gates: [sh("env > seen; pwd > where")] }, [{ text: "done" }]);
    const seen = readFileSync(join(project, "seen"), "utf8");
    expect(seen).not.toContain("canary-77");
    expect(seen).toContain(`PATH=${PATH}`);
    expect(readFileSync(join(project, "where"), "utf8").trim()).toBe(project);
  });

  test("all must pass, in order, and the first that does not is the last", async () => {
    const list = [sh("echo a >> ran"), sh("echo b >> ran; exit 1"), sh("echo c >> ran")];
    const { project } = await run(
      { gates: list },
      [1, 2, 3].map(() => ({ text: "done" })),
    );
    expect(readFileSync(join(project, "ran"), "utf8")).toBe("a\nb\n".repeat(3));
  });

  test("comes after the output schema", async () => {
    const output = { schema: { type: "object", required: ["n"] } };
    const complete = { calls: [{ tool: "complete_task", input: { result: { n: 1 } } }] };
    const { log } = await run({ gates: [{ name: "late", ...sh("exit 0") }] }, [complete], { output });
    expect(factsOf(log, "gate.checked").map(({ gate }) => gate)).toEqual(["output schema", "late"]);
  });

  test("that hangs ends with the attempt, and its program with it", async () => {
    const project = temporaryFolder();
    const agents: AgentWish[] = [
      {
        name: "agent",
        description: "x",
        completion: { gates: [{ command: ["sh", "-c", "touch begun; sleep 1000 & wait", project] }] },
      },
    ];
    await using engine = await startLoop({
      models: scriptedModel([{ text: "done" }]),
      agents,
      gates,
      custody,
      workspaces: sharedWorkspaces(project),
    });
    const task = await engine.start({ agent: "agent", limits: { timeoutMs: 60_000 } });
    engine.work();
    await eventually("the gate runs", async () => existsSync(join(project, "begun")));
    expect(processesWith(project)).not.toEqual([]);
    await engine.world.clock.advance(60_000);
    await engine.world.clock.advance(60_000);
    await engine.world.clock.advance(10_000);
    await eventually("the task ends", async () => (await engine.show(task.id)).outcome !== null);
    expect((await engine.show(task.id)).outcome).toMatchObject({ status: "failed", reason: "timeout" });
    expect(processesWith(project)).toEqual([]);
  });
});

describe("an agent as a gate", () => {
  async function judged(verdicts: readonly ReplyScript[], judge: Partial<AgentWish> = {}) {
    const models = {
      agent: scriptedModel([{ text: "first" }, { text: "second" }, { text: "third" }]),
      judge: scriptedModel(verdicts),
    };
    const agents: AgentWish[] = [
      { name: "agent", description: "x", completion: { gates: [{ agent: "judge" }] } },
      { name: "judge", description: "judges", ...judge },
    ];
    await using engine = await startLoop({ models, agents, gates });
    const task = await engine.run({ agent: "agent", prompt: "Build it." });
    return { outcome: task.outcome, models, children: await engine.children(task) };
  }

  test("is told the task and the answer, and its word counts", async () => {
    const { outcome, models } = await judged([{ text: "All there.\nVERDICT: pass" }]);
    expect(outcome).toMatchObject({ status: "completed", answer: "first", evidence: "checked" });
    const asked = models.judge.requests[0]?.messages.map(({ text }) => text).join("\n") ?? "";
    expect(asked).toMatch(/Build it\.[\s\S]*first/);
  });

  test("is told what has changed, unless the agent could change nothing", async () => {
    const prompts: string[] = [];
    for (const mode of ["default", "plan"] as const) {
      const models = { agent: scriptedModel([{ text: "done" }]), judge: scriptedModel([{ text: "VERDICT: pass" }]) };
      const completion = { gates: [{ agent: "judge" }] };
      const agents: AgentWish[] = [
        { name: "agent", description: "x", permission_mode: mode, completion },
        { name: "judge", description: "judges" },
      ];
      await using engine = await startLoop({ models, agents, gates: gatesWith(async () => "+a red door") });
      const [child] = await engine.children(await engine.run({ agent: "agent" }));
      prompts.push(child?.spec.prompt ?? "");
    }
    expect(prompts[0]).toMatch(/\n\nThe changes, as a diff:\n\n\+a red door$/);
    expect(prompts[1]).not.toContain("The changes");
  });

  test("sends back what has to be changed", async () => {
    const { outcome, models } = await judged([
      { text: "The door is missing.\nVERDICT: fail" },
      { text: "VERDICT: pass" },
    ]);
    expect(outcome).toMatchObject({ answer: "second" });
    expect(models.agent.requests[1]?.messages.at(-1)?.text).toContain("The door is missing.");
  });

  test.each([
    ["no verdict", "Looks nice."],
    ["a verdict that was taken back", "VERDICT: pass\nNo, wait.\nVERDICT: fail"],
    ["a verdict inside of a sentence", "I cannot say VERDICT: pass here."],
  ])("with %s is not content", async (_what, text) => {
    const { outcome } = await judged([{ text }, { text }, { text }]);
    expect(outcome).toMatchObject({ status: "failed", reason: "gate_failed" });
  });

  test("that fails itself has not passed", async () => {
    const no: ReplyScript = { error: { kind: "other", message: "gone" } };
    const { outcome } = await judged([no, no, no]);
    expect(outcome).toMatchObject({
      status: "failed",
      message: expect.stringContaining("did not come to a verdict") as string,
    });
  });

  test("that is not there has not passed", async () => {
    const model = scriptedModel([1, 2, 3].map(() => ({ text: "done" })));
    const agents: AgentWish[] = [{ name: "agent", description: "x", completion: { gates: [{ agent: "nobody" }] } }];
    await using engine = await startLoop({ models: model, agents, gates });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({
      status: "failed",
      message: expect.stringContaining("could not be asked") as string,
    });
  });

  test("that is at work when the worker dies is not asked again", async () => {
    const world = testWorld();
    const agents: AgentWish[] = [
      { name: "agent", description: "x", completion: { gates: [{ agent: "judge" }] } },
      { name: "judge", description: "judges" },
    ];
    const first = await startLoop({
      world,
      agents,
      gates,
      models: {
        agent: scriptedModel([{ text: "done" }]),
        judge: scriptedModel([{ after: new Promise(() => undefined) }]),
      },
    });
    const task = await first.start({ agent: "agent" });
    first.work();
    await first.untilAll("judge", "running");
    for (let round = 0; round < 20; round++) await world.clock.settle();
    first.kill();
    const models = { agent: scriptedModel([]), judge: scriptedModel([{ text: "VERDICT: pass" }]) };
    await using second = await startLoop({ world, agents, gates, models });
    second.work();
    const done = await second.until(task.id, "completed");
    expect(done.outcome).toMatchObject({ answer: "done", evidence: "checked" });
    expect(await second.children(done)).toHaveLength(1);
    expect(models.agent.requests).toEqual([]);
  });
});

describe("submit_for_review", () => {
  const review = (verdict: string, what: string) => ({
    calls: [
      {
        tool: "complete_task",
        input: {
          review: {
            verdict,
            summary: "s",
            findings: what === "" ? [] : [{ severity: "major", file: "a.ts", what, mend: "mend it" }],
          },
        },
      },
    ],
  });
  const call = (tool: Exit, input: JsonObject) => ({ calls: [{ tool, input }] });
  const submit = (summary: string) => call("submit_for_review", { summary });

  /** An agent with all exits, and our reviewer. */
  async function submitted(
    script: readonly ReplyScript[],
    reviews: readonly ReplyScript[],
    wish: Partial<AgentWish> = {},
  ) {
    const { agents: all } = await builtInRegistry().list();
    const reviewer = all.find(({ definition }) => definition.name === "reviewer")?.definition;
    if (reviewer === undefined) throw new Error("there is no reviewer");
    const models = { agent: scriptedModel(script), reviewer: scriptedModel(reviews) };
    const exits: Exit[] = ["submit_for_review", "message_user", "ask_for_help", "complete_task"];
    const agents: AgentWish[] = [{ name: "agent", description: "x", completion: { exits }, ...wish }, reviewer];
    const changes = gatesWith(async () => "+a red door");
    await using engine = await startLoop({ models, agents, gates: changes });
    const task = await engine.run({ agent: "agent", prompt: "Build it.", askable: "nobody" });
    return { outcome: task.outcome, models, children: await engine.children(task) };
  }

  test("hands the work and its diff to our reviewer, whose verdict counts", async () => {
    const { outcome, models, children } = await submitted(
      [submit("I built it."), submit("Now with a door.")],
      [review("request_changes", "there is no door"), review("approve", "")],
    );
    expect(outcome).toMatchObject({ status: "completed", answer: "Now with a door.", evidence: "checked" });
    expect(models.agent.requests[1]?.messages.at(-1)?.text).toContain("there is no door");
    expect(children.map(({ spec }) => spec.definition.name)).toEqual(["reviewer", "reviewer"]);
    for (const { spec } of children) expect(spec.prompt).toMatch(/The changes, as a diff:\n\n\+a red door$/);
  });

  test("a message that nobody is there to reply to is an end like any other: the reviewer is told what it is", async () => {
    const { outcome, children } = await submitted(
      [call("message_user", { message: "Look." })],
      [review("approve", "")],
    );
    expect(outcome).toMatchObject({ status: "completed", answer: "Look.", evidence: "checked" });
    expect(children[0]?.spec.prompt).toContain("What the agent says to its user, who is not there to reply:\nLook.\n");
  });

  test.each([
    ["at once", []],
    ["after a call for help, which is not reviewed", [call("ask_for_help", { question: "Which?" })]],
  ])("an agent that could have submitted has complete_task reviewed too, %s", async (_when, before) => {
    const script = [...before, call("complete_task", { result: "Done." })];
    const { outcome, children } = await submitted(script, [review("approve", "")]);
    expect(outcome).toMatchObject({ status: "completed", answer: "Done.", evidence: "checked" });
    expect(children).toHaveLength(1);
  });

  test.each([call("complete_task", { result: "Done." }), call("message_user", { message: "Done." })])(
    "$calls.0.tool is no way around a reviewer who said no",
    async (done) => {
      const no = review("request_changes", "there is no door");
      const { outcome, children } = await submitted([submit("I built it."), done, done], [no, no, no]);
      expect(outcome).toMatchObject({ status: "failed", reason: "gate_failed" });
      expect(children).toHaveLength(3);
    },
  );

  test.each([
    ["complete_task", call("complete_task", { result: "Done." })],
    ["message_user", call("message_user", { message: "Look." })],
  ])("a gate that is named holds whatever it ends by: %s", async (exit, ending) => {
    const completion = {
      exits: ["submit_for_review", exit as Exit],
      gates: [sh("exit 1")],
    } satisfies AgentWish["completion"];
    const { outcome } = await submitted([ending, ending, ending], [], { completion });
    expect(outcome).toMatchObject({ status: "failed", reason: "gate_failed" });
  });
});
