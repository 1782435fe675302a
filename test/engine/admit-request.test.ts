import { describe, expect, test } from "vitest";
import type { Registry } from "../../src/ports/index.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { answers, registryOf, scriptedBackend, startEngine } from "../../src/testing/index.ts";
import { byAgent, withWorker } from "./kit.ts";

describe("admit: which agent is meant", () => {
  test("a name that no agent has is refused, and the nearest name is offered", async () => {
    await using engine = await startEngine({ registry: registryOf({ name: "explorer", description: "Looks." }) });
    await expect(engine.start({ agent: "explorrer" })).rejects.toMatchObject({
      code: "agent.not-found",
      message: 'there is no agent called "explorrer"',
      hint: expect.stringContaining('"explorer"'),
    });
    expect(await engine.world.store.head()).toBe(0);
  });

  test("where no name is near, no guess is made", async () => {
    await using engine = await startEngine({ registry: registryOf({ name: "explorer", description: "Looks." }) });
    const refused = engine.start({ agent: "translator" });
    await expect(refused).rejects.toMatchObject({ code: "agent.not-found" });
    await expect(refused).rejects.not.toMatchObject({ hint: expect.stringContaining("explorer") });
  });

  test("an agent is found without regard to case and underscores", async () => {
    await using engine = await withWorker([answers("found")], { agent: { name: "Code-Reader" } });
    const task = await engine.run({ agent: "code_reader" });
    expect(task.spec.definition.name).toBe("Code-Reader");
    expect(task.outcome).toMatchObject({ answer: "found" });
  });

  test("without a name, a default backend that is not there is an error, and no other one is taken", async () => {
    const registry = registryOf({ name: "general-purpose", description: "Anything.", backend: "scripted" });
    const backends = [scriptedBackend([answers("done")])];
    await using engine = await startEngine({ registry, backends, settings: { defaultBackend: "bogus" } });
    await expect(engine.start({ agent: undefined, prompt: "Do it." })).rejects.toMatchObject({
      code: "backend.not-found",
      hint: "This build has: scripted",
    });
  });

  const listed = {
    definition: AgentDefinition.parse({ name: "stranger", description: "Unknown.", tape: [{ answer: "hi" }] }),
    source: "some/folder/stranger.md",
    trusted: false,
  };
  const finding: [how: string, registry: Registry][] = [
    ["is only listed", { list: async () => ({ agents: [listed], problems: [] }), find: async () => undefined }],
    ["is found as such", { list: async () => ({ agents: [listed], problems: [] }), find: async () => listed }],
  ];

  test.each(finding)(
    "an agent from a folder that nobody has trusted does not start, where it %s",
    async (_, registry) => {
      await using engine = await startEngine({ registry });
      await expect(engine.start({ agent: "stranger" })).rejects.toMatchObject({
        code: "agent.untrusted",
        message: expect.stringContaining("some/folder/stranger.md"),
      });
      expect(await engine.world.store.head()).toBe(0);
    },
  );
});

describe("admit: roles", () => {
  test("an agent that only watches cannot be started", async () => {
    await using engine = await withWorker([], { agent: { capabilities: ["watcher"] } });
    await expect(engine.start({ agent: "worker" })).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "role" },
      message: '"worker" is watcher only: it cannot be started as a task',
    });
  });

  test.each(["primary", "orchestrator", "subtask"] as const)("a person can start an agent that is %s", async (role) => {
    await using engine = await withWorker([answers("done")], { agent: { capabilities: [role, "watcher"] } });
    expect((await engine.run({ agent: "worker" })).status).toBe("completed");
  });

  test.each(["primary", "orchestrator"] as const)("an agent that is %s only cannot be delegated to", async (role) => {
    const backend = scriptedBackend(
      byAgent({
        lead: async (_attempt, scope) => {
          const delegated = await scope.delegate({ agent: "chief", prompt: "take over" });
          return { kind: "answered", answer: JSON.stringify(delegated) };
        },
      }),
    );
    await using engine = await startEngine({
      registry: registryOf(
        { name: "lead", description: "Leads.", backend: "scripted" },
        { name: "chief", description: "Decides.", backend: "scripted", capabilities: [role] },
      ),
      backends: [backend],
    });
    const task = await engine.run({ agent: "lead" });
    const expected = { kind: "refused", message: `"chief" is ${role} only: it cannot be started as a task` };
    expect(task.outcome).toMatchObject({ answer: JSON.stringify(expected) });
    expect(backend.starts).toBe(1);
  });
});

describe("admit: the prompt", () => {
  test.each([
    ["is empty", ""],
    ["is blank", " \n\t "],
    ["holds a NUL character", "do\0it"],
  ])("a prompt that %s is refused", async (_, prompt) => {
    await using engine = await withWorker([]);
    await expect(engine.start({ agent: "worker", prompt })).rejects.toMatchObject({ code: "input.invalid" });
    expect(await engine.world.store.head()).toBe(0);
  });

  test("a prompt is kept exactly as it was given", async () => {
    await using engine = await withWorker([]);
    const prompt = "  two spaces first,\n\na blank line, and an end  \n";
    expect((await engine.start({ agent: "worker", prompt })).spec.prompt).toBe(prompt);
  });

  test("a prompt is measured in bytes against what the backend takes", async () => {
    await using engine = await withWorker([], { capabilities: { largestPromptBytes: 10 } });
    await expect(engine.start({ agent: "worker", prompt: "é".repeat(6) })).rejects.toMatchObject({
      code: "input.invalid",
      message: expect.stringContaining("12 bytes"),
    });
    expect((await engine.start({ agent: "worker", prompt: "é".repeat(5) })).status).toBe("pending");
  });
});

describe("admit: inputs", () => {
  const inputs = [
    { name: "file", required: true },
    { name: "line", type: "integer", required: true },
    { name: "strict", type: "boolean", default: true },
  ] as const;

  test("everything that is wrong with the inputs is said at once", async () => {
    await using engine = await withWorker([], { agent: { inputs: [...inputs] } });
    const missing = engine.start({ agent: "worker" });
    await expect(missing).rejects.toMatchObject({
      code: "input.invalid",
      message: 'inputs of "worker": "file" is missing; "line" is missing',
    });
    await expect(
      engine.start({ agent: "worker", inputs: { line: 1.5, strict: "yes", lime: 1 } }),
    ).rejects.toMatchObject({
      message:
        'inputs of "worker": "file" is missing; "line" must be an integer, got 1.5; ' +
        '"strict" must be a boolean, got "yes"; "lime" is not an input of this agent',
    });
    expect(await engine.world.store.head()).toBe(0);
  });

  test("inputs and their defaults stand in the task and in the agent's instructions", async () => {
    const prompt = "Look at ${file}:${line} (${strict}).";
    await using engine = await withWorker([], { agent: { inputs: [...inputs], prompt } });
    const { spec } = await engine.start({ agent: "worker", inputs: { file: "a.ts", line: 7 } });
    expect(spec.inputs).toEqual({ file: "a.ts", line: 7, strict: true });
    expect(spec.instructions).toBe("Look at a.ts:7 (true).");
  });

  test("the only input of an agent is filled by the prompt, unless it is given", async () => {
    const agent = { inputs: [{ name: "topic", required: true }], prompt: "Write about ${topic}." };
    await using engine = await withWorker([], { agent });
    const filled = await engine.start({ agent: "worker", prompt: "rivers" });
    expect(filled.spec.inputs).toEqual({ topic: "rivers" });
    expect(filled.spec.instructions).toBe("Write about rivers.");
    const given = await engine.start({ agent: "worker", prompt: "rivers", inputs: { topic: "lakes" } });
    expect(given.spec.instructions).toBe("Write about lakes.");
  });

  test("one of several inputs is not filled by the prompt", async () => {
    await using engine = await withWorker([], { agent: { inputs: [{ name: "a", required: true }, { name: "b" }] } });
    await expect(engine.start({ agent: "worker" })).rejects.toMatchObject({
      message: 'inputs of "worker": "a" is missing',
    });
  });
});
