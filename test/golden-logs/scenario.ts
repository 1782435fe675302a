// One life after another, until every event there is has happened: the log that is kept for ever.
import { noConfinement } from "../../src/confinement/none/no-confinement.ts";
import { outputSchemaGates } from "../../src/gates/output-schema/output-schema-gate.ts";
import { nativeBackend } from "../../src/loop/index.ts";
import type { Confinement, Registry, Tool } from "../../src/ports/index.ts";
import type { Envelope } from "../../src/schema/index.ts";
import {
  memoryWorkspaces,
  registryOf,
  scriptedBackend,
  scriptedModel,
  startEngine,
  testWorld,
  type TestWorld,
  untilStopped,
} from "../../src/testing/index.ts";

const schema = { type: "object", required: ["count"], properties: { count: { type: "integer" } } };

const registry = registryOf(
  {
    name: "lead",
    description: "delegates and asks",
    tape: [
      { say: "I look first." },
      { read: "a.txt" },
      { write: "b.txt", content: "b" },
      { together: [{ delegate: "counter", prompt: "count" }, { ask: "Go on?" }] },
      { hear: "faster" },
      { spend: { microUsd: 1200, tokens: 300 } },
      { answer: "led" },
    ],
  },
  {
    name: "counter",
    description: "counts",
    output: { schema },
    tape: [
      { answer: "many", output: { count: "many" } },
      { feedback: "must be integer" },
      { answer: "two", output: { count: 2 } },
    ],
  },
  {
    name: "asker",
    description: "asks for ever",
    tape: [{ ask: "Anybody?" }, { fail: "refused", message: "nobody answered" }],
  },
  { name: "notes", description: "takes notes", backend: "scripted", workspace: { mode: "worktree" } },
  { name: "thinker", description: "runs on a model", completion: { exits: ["complete_task"], nudges: 3 } },
);

/** A model that is busy at first, speaks of what it was not asked, fills its window, and then ends as it should. */
const onModel = ({ clock, mint }: TestWorld, agents: Registry) => {
  const long = "x".repeat(3_000);
  const model = scriptedModel(
    [
      { error: { kind: "rate_limited", message: "too many requests", retryAfterMs: 2_000 } },
      { text: long, opaque: { signature: "s" } },
      { text: long },
      { text: "It thought for long." }, // the summary
      { calls: [{ tool: "Look", input: {} }] },
      { text: "It thought for longer." }, // and another one: what it saw does not fit
      { calls: [{ tool: "complete_task", input: { result: "thought" } }] },
      { text: "I think aloud." }, // the only turn of its next task
      { calls: [{ tool: "complete_task", input: { result: "so far" } }] }, // its last words
    ],
    { contextTokens: 2_000, maxOutputTokens: 500 },
  );
  const look: Tool = {
    name: "Look",
    description: "shows much",
    effect: "none",
    inputSchema: { type: "object" },
    plan: () => ({ ok: true, use: { effect: "none" } }),
    run: async () => ({ ok: true, text: long.repeat(3) }),
  };
  return nativeBackend(
    async () => ({
      openModel: async () => model,
      obstacle: async () => null,
      secretsFor: async () => [],
      toolbox: async () => ({ tools: [look], [Symbol.asyncDispose]: async () => undefined }),
      registry: agents,
      contextFor: async () => [],
      keepWhole: async () => "kept.txt",
      wholeAt: () => "kept.txt",
      planOf: async () => "# Plan\n- [ ] think",
      problemsOf: async () => undefined,
      clock,
      mint,
      platform: "linux",
      settings: { graceMs: 60_000 },
    }),
    async () => [],
  );
};

/** Whatever is to be started, it wants what it may not have. */
const refusing: Confinement = {
  prepare: async (wish) => ({
    ...(await noConfinement.prepare(wish)),
    wrap(command) {
      wish.onRefused({ host: "evil.example", port: 443, why: "this agent has no network" });
      return command;
    },
  }),
};

export async function playEverything(): Promise<Envelope[]> {
  const world = testWorld();
  const settings = { rateLimitPerMin: 1000 };
  const workspaces = memoryWorkspaces({ "a.txt": "a" }, ["shared", "worktree"]);
  const gates = outputSchemaGates;
  const scripted = scriptedBackend([
    untilStopped(),
    async (attempt, scope) => {
      attempt.confinement.wrap({ file: "curl", args: ["evil.example"], cwd: "/", env: {} });
      await scope.append({ type: "note.taken", level: "warning", text: "on the second try" });
      const call = { tool: "Bash", effect: "exec", input: { command: "ls" } } as const;
      await scope.append({ type: "tool.reported", ...call, ok: true, output: "a.txt", truncated: false });
      return { kind: "answered", answer: "noted" };
    },
    untilStopped(),
  ]);
  const backends = [scripted, onModel(world, registry)];
  const options = { world, registry, settings, workspaces, gates, backends, confinement: refusing };
  const { clock, store } = world;

  const first = await startEngine(options);
  first.work();
  const lead = await first.start({ agent: "lead" });
  const waiting = await first.until(lead.id, "waiting");
  const approval = waiting.approvals.find(({ state }) => state === "open")?.id;
  if (approval === undefined) throw new Error("the lead did not ask");
  await store.command(lead.id, { type: "answer", approval, answer: { verdict: "text", text: "yes" }, by: "tester" });
  await store.command(lead.id, { type: "send", text: "faster, please", by: "tester" });
  await first.until(lead.id, "completed");

  const asker = await first.start({ agent: "asker", session: lead.spec.session }); // the session goes on
  await clock.advance(600_000);
  await first.until(asker.id, "failed");

  const notes = await first.start({ agent: "notes" });
  await first.until(notes.id, "running");
  first.kill();
  await using second = await startEngine(options);
  second.work();
  await second.until(notes.id, "interrupted");
  await store.command(notes.id, { type: "requeue", because: "retry", by: "tester" });
  await second.until(notes.id, "completed");
  await store.command(notes.id, { type: "merged", commit: "c0ffee", into: "main", by: "tester" });
  await store.command(notes.id, { type: "discarded", by: "tester" });

  const stopped = await second.start({ agent: "notes" });
  await second.until(stopped.id, "running");
  await store.command(stopped.id, { type: "stop", by: "tester" });
  await second.until(stopped.id, "cancelled");

  const thinker = await second.start({ agent: "thinker", prompt: "Think." });
  await second.until(thinker.id, "waiting"); // the provider has too much to do
  await clock.advance(2_000);
  await second.until(thinker.id, "completed");

  const unread = await store.inbox({ state: "unread", limit: 1 });
  await store.acknowledge(
    unread.map(({ id }) => id),
    "tester",
  );
  await store.expireSession(thinker.spec.session, "tester", clock.now() + 1);

  const forked = { session: lead.spec.session, fork: true };
  const hasty = await second.start({ agent: "thinker", prompt: "Think.", limits: { maxTurns: 1 }, ...forked });
  await second.until(hasty.id, "completed");
  scripted.done();
  return [...(await store.read({ after: 0, limit: 10_000 }))];
}
