// One test for every arrow on the path of a task, in the order in which a task goes along it.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { fileRegistry } from "../../src/definitions/index.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import { call, type OperationContext } from "../../src/operations/index.ts";
import type { Gate, Trust } from "../../src/ports/index.ts";
import type { LivePart } from "../../src/schema/index.ts";
import {
  answers,
  memoryWorkspaces,
  registryOf,
  type Script,
  startEngine,
  testWorld,
  type TestEngine,
} from "../../src/testing/index.ts";
import { temporaryFolder } from "../platform/temporary-folder.ts";
import { answerNext, factsOf, openQuestions, typesOf, wholeLog, withWorker } from "./kit.ts";

const trusting = (isTrusted: boolean): Trust => ({
  isTrusted: async () => isTrusted,
  grant: async () => undefined,
  revoke: async () => undefined,
  list: async () => [],
  pinsOf: async () => null,
  pin: async () => undefined,
});

/** A person at a terminal, and as much as the operations of this file look at. */
const contextOf = ({ engine }: TestEngine): OperationContext => {
  const context: Partial<OperationContext> = {
    engine,
    trust: trusting(true),
    caller: { mouth: "library", authority: "person", by: "ada", inside: null, askable: "terminal" },
    // Nothing was proposed.
    tools: async () => ({ list: async () => ({ tools: [], problems: [] }) }) as never,
    memory: async () => ({ list: async () => [] }) as never,
    project: ".",
    signal: new AbortController().signal,
  };
  return context as OperationContext;
};

describe("definition files ─► registry ─► operation", () => {
  const file = "---\nname: greeter\ndescription: Greets.\ntape:\n  - answer: Hello!\n---\nBe kind.\n";

  test("an agent that is a file can be given a task", async () => {
    await using folder = await temporaryFolder();
    const agents = join(folder.path, "agents");
    await mkdir(agents);
    await writeFile(join(agents, "greeter.md"), file);
    const layers = [{ folder: agents, label: "project", trustRoot: folder.path }];
    await using engine = await startEngine({ registry: fileRegistry({ layers, trust: trusting(true) }) });
    const task = await engine.run({ agent: "greeter" });
    expect(task).toMatchObject({
      outcome: { answer: "Hello!" },
      spec: { instructions: expect.stringContaining("Be kind.") },
    });

    await using strange = await startEngine({ registry: fileRegistry({ layers, trust: trusting(false) }) });
    await expect(strange.start({ agent: "greeter" })).rejects.toMatchObject({ code: "agent.untrusted" });
  });
});

describe("host / CLI / code ─► operation ─► ADMIT ─► event log", () => {
  test("what a mouth asks for is in the log as a task, with who asked", async () => {
    await using engine = await withWorker([]);
    const started = await call("task.start", { agent: "worker", prompt: "do it", priority: 3 }, contextOf(engine));
    const [admitted] = await engine.log(started.id);
    expect(admitted?.event).toMatchObject({
      type: "task.admitted",
      spec: { prompt: "do it", priority: 3, askable: "terminal", origin: { mouth: "library", by: "ada" } },
    });
    expect(started).toEqual(await engine.show(started.id));
  });

  test("what is refused leaves nothing in the log", async () => {
    await using engine = await withWorker([]);
    const refused = call("task.start", { agent: "worker", prompt: "" }, contextOf(engine));
    await expect(refused).rejects.toMatchObject({ code: "input.invalid" });
    expect(await wholeLog(engine.world)).toEqual([]);
  });
});

describe("event log ─► DISPATCH ─► worker claims a lease", () => {
  test("a worker finds in the log what another process has put there, and holds it alone", async () => {
    const world = testWorld();
    await using asking = await withWorker([], { world });
    const during: unknown[] = [];
    const looks: Script = async ({ task }) => {
      during.push((await world.store.task(task.id))?.holder, await world.store.holders());
      return { kind: "answered", answer: "done" };
    };
    await using working = await withWorker([looks], { world });
    working.work();
    const task = await asking.start({ agent: "worker" });
    await asking.until(task.id, "completed");
    const { self } = working.engine.parts.liveness;
    expect(during).toEqual([self.id, [self]]);
    expect(await world.store.holders()).toEqual([]);
  });
});

describe("worker ─► ATTEMPT: workspace ─► confinement ─► backend", () => {
  test("each is prepared with what was decided before it, and let go in the end", async () => {
    const order: string[] = [];
    const memory = memoryWorkspaces();
    await using engine = await withWorker(
      [
        async ({ workspace, confinement }) => {
          order.push(`run in ${workspace.root}, commands by ${confinement.label.commands}`);
          return { kind: "answered", answer: "done" };
        },
      ],
      {
        workspaces: {
          modes: memory.modes,
          async prepare(task, attempt) {
            order.push(`prepare attempt ${attempt}`);
            const prepared = await memory.prepare(task, attempt);
            return { ...prepared, release: async () => (order.push("release"), null) };
          },
        },
      },
    );
    const task = await engine.run({ agent: "worker" });
    expect(order).toEqual(["prepare attempt 1", "run in /memory, commands by policy", "release"]);
    expect(typesOf(await engine.log(task.id)).slice(1, 3)).toEqual(["attempt.started", "attempt.prepared"]);
  });
});

describe("backend ─► events in, live parts out", () => {
  test("events are in the log when the backend goes on, live parts only on the screen", async () => {
    const world = testWorld();
    const shown: LivePart[] = [];
    let seen: string[] = [];
    const talks: Script = async ({ task }, scope) => {
      scope.live({ type: "text-delta", text: "fleeting" });
      await scope.append({ type: "message.said", text: "kept" });
      seen = typesOf(await world.store.read({ stream: `task:${task.id}`, after: 0, limit: 100 }));
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([talks], { world, live: { write: (_task, part) => void shown.push(part) } });
    await engine.run({ agent: "worker" });
    expect(seen.at(-1)).toBe("message.said");
    // In pieces, where the end of one might be the beginning of a secret.
    expect(shown.map(({ type, text }) => `${type} ${text}`).join("")).toMatch(/^text-delta fleetin(text-delta )?g$/);
    expect(JSON.stringify(await wholeLog(world))).not.toContain("fleeting");
  });
});

describe("backend ─► approvals ⇄ inbox", () => {
  test("a question is in the inbox of every process, and its answer comes back from any", async () => {
    const world = testWorld();
    const asks: Script = async (_attempt, scope) => {
      const answer = await scope.ask({ kind: "question", title: "Tea?", body: "Tea?" });
      return { kind: "answered", answer: answer.verdict === "text" ? answer.text : "no words" };
    };
    await using working = await withWorker([asks], { world });
    await using other = await withWorker([], { world });
    const task = await working.start({ agent: "worker" });
    working.work();
    await working.until(task.id, "waiting");
    const { items } = await call("inbox.list", {}, contextOf(other));
    expect(items).toMatchObject([{ task: task.id, agent: "worker", asked: { title: "Tea?" } }]);
    const [question] = await openQuestions(other, task.id);
    if (question === undefined) throw new Error("nothing was asked");
    await call(
      "approval.answer",
      { approval: question.id, answer: { verdict: "text", text: "Yes!" } },
      contextOf(other),
    );
    expect((await working.until(task.id, "completed")).outcome).toMatchObject({ answer: "Yes!" });
  });
});

describe("event log ─► projections ─► views ─► surfaces", () => {
  test("at every moment the view is what the log says, in the same commit", async () => {
    const world = testWorld();
    let compared = 0;
    const differing: number[] = [];
    using _bell = world.store.subscribe(() => {
      void (async () => {
        const [log, tasks] = [await wholeLog(world), await world.store.tasks({ limit: 100 })];
        for (const task of tasks) {
          const known = log.filter(({ position }) => position <= task.position);
          compared++;
          if (!isDeepStrictEqual(foldTask(task.id, known), task)) differing.push(task.position);
        }
      })();
    });
    const busy: Script = async (_attempt, scope) => {
      await scope.append({ type: "turn.started", turn: 1 }, { type: "message.said", text: "hm" });
      await scope.permit({ tool: "Read", effect: "read", input: {} });
      await scope.ask({ kind: "question", title: "?", body: "?" });
      await scope.append({ type: "turn.ended", turn: 1 });
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([busy], { world });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, task.id, { verdict: "deny" });
    await engine.until(task.id, "completed");
    expect(compared).toBeGreaterThan(10);
    expect(differing).toEqual([]);
    expect(await call("task.get", { task: task.id }, contextOf(engine))).toEqual(await engine.show(task.id));
  });
});

describe("ATTEMPT ─► FINISH: gates ─► outcome ─► breadcrumb ─► settle budget", () => {
  test("the end of a child: judged, paid for, and known to its parent", async () => {
    const gate: Gate = { name: "tests", check: async () => ({ passed: true, independent: true }) };
    const spend = { microUsd: 0, tokens: 30 };
    await using engine = await startEngine({
      gates: ({ spec }) => (spec.definition.name === "child" ? [gate] : []),
      registry: registryOf(
        {
          name: "lead",
          description: "Leads.",
          max_tokens: 50,
          tape: [{ delegate: "child", prompt: "help" }, { spend }, { answer: "done" }],
        },
        { name: "child", description: "Helps.", tape: [{ spend }, { answer: "It is in the cellar." }] },
      ),
    });
    const lead = await engine.run({ agent: "lead" });
    const child = await engine.show(lead.children[0] ?? lead.id);
    expect(factsOf(await engine.log(child.id), "gate.checked")).toMatchObject([{ gate: "tests", passed: true }]);
    expect(child.outcome).toMatchObject({ status: "completed", evidence: "verified" });
    expect((await engine.world.store.session(lead.spec.session))?.breadcrumbs).toMatchObject([
      { task: child.id, status: "completed", summary: "It is in the cellar." },
    ]);
    expect(child.spent.tokens).toBe(30);
    expect(lead.outcome, "20 of 50 are left, and it wants 30").toMatchObject({ status: "failed", reason: "budget" });
  });
});

describe("surfaces ◄── event log", () => {
  test("a task is followed from its beginning to its end, across processes", async () => {
    const world = testWorld();
    await using working = await withWorker([answers("done")], { world });
    await using watching = await withWorker([], { world });
    const task = await working.start({ agent: "worker" });
    const seen: string[] = [];
    const watch = (async () => {
      for await (const { event } of watching.engine.follow(
        { stream: `task:${task.id}`, after: 0 },
        new AbortController().signal,
      )) {
        seen.push(event.type);
        if (event.type === "task.ended") return;
      }
    })();
    working.work();
    await watch;
    expect(seen).toEqual(typesOf(await working.log(task.id)));
  });
});
