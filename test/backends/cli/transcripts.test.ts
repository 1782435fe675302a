// What the real CLIs said, once, played again: the outcome of each, and what the log has of it.
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { codex } from "../../../src/backends/codex/codex.ts";
import { gemini } from "../../../src/backends/gemini/gemini.ts";
import { factsOf } from "../../engine/kit.ts";
import { transcript, withStub } from "./kit.ts";

const OPEN = { permission_mode: "auto", workspace: { mode: "shared", allow_writes: true }, max_turns: 3 } as const;

describe.each([claude, codex, gemini])("$name, as it was recorded", (cli) => {
  const playing = (name: string, agent = {}) =>
    withStub(cli, [{ says: transcript(cli, name), isDialogue: cli === claude }], {
      agent: { max_tokens: 1_000, ...agent },
    });

  it("answers", async () => {
    await using world = await playing("text", { tools: ["Read", "Glob", "Grep", "List"] });
    const { id, outcome, turns } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "forty-two" });
    expect(turns).toBe(1);
    const log = await world.engine.log(id);
    expect(factsOf(log, "message.said")).toEqual([{ type: "message.said", text: "forty-two" }]);
    expect(factsOf(log, "budget.settled").at(-1)?.spent.tokens).toBe(18);
    expect(factsOf(log, "note.taken")).toEqual([]);
  });

  it("writes a file, and the log says which", async () => {
    await using world = await playing("writes", OPEN);
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
    const log = await world.engine.log(id);
    const calls = [...factsOf(log, "tool.called"), ...factsOf(log, "tool.reported")];
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ effect: "write" });
    expect(JSON.stringify(calls[0]?.input)).toContain("made.txt");
  });

  it("says what was denied, where the CLI does", async () => {
    await using world = await playing("read-only", {
      permission_mode: "plan",
      tools: ["Read", "Glob", "Grep", "List"],
      max_turns: 30,
    });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "gave up" });
    const log = await world.engine.log(id);
    const denied = [...factsOf(log, "tool.refused"), ...factsOf(log, "tool.reported").filter(({ ok }) => !ok)];
    // Codex says nothing of a command that its sandbox has stopped.
    expect(denied.length).toBe({ claude: 5, codex: 0, gemini: 5 }[cli.name]);
    expect(factsOf(log, "tool.called")).toEqual([]);
  });

  it.each([
    ["error-400", "backend_error"],
    ["error-401", "backend_unavailable"],
    ["error-429", "rate_limited"],
    ["max-turns", "max_turns"],
  ] as const)("%s is %s, whatever its exit code says", async (name, reason) => {
    await using world = await playing(name, OPEN);
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason });
  });

  it("has no answer where it was stopped in the middle", async () => {
    await using world = await playing("stopped", OPEN);
    const { outcome } = await world.engine.run({ agent: "worker" });
    // Claude alone has a last word then.
    expect(outcome).toMatchObject({ status: "failed", reason: cli === claude ? "backend_error" : "no_completion" });
  });

  it("gives its output", async () => {
    const schema = {
      type: "object",
      properties: { count: { type: "integer" } },
      required: ["count"],
      additionalProperties: false,
    };
    await using world = await playing("schema", { output: { schema } });
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", output: { count: 4 }, evidence: "checked" });
  });

  it("goes on, and counts only what is new", async () => {
    const plays = ["text", "resumed"].map((name) => ({ says: transcript(cli, name), isDialogue: cli === claude }));
    await using world = await withStub(cli, plays, { agent: { max_tokens: 1_000 } });
    const first = await world.engine.run({ agent: "worker" });
    const second = await world.engine.run({ agent: "worker", session: first.spec.session });
    expect(second.outcome).toMatchObject({ status: "completed", answer: "second answer" });
    expect(factsOf(await world.engine.log(second.id), "budget.settled").at(-1)?.spent.tokens).toBe(18);
    const [, resumed] = world.started();
    const id = JSON.stringify(transcript(cli, "text")).match(/(?:session_id|thread_id)\\":\\"([^\\]+)/)?.[1];
    expect(resumed?.args).toContain(id);
    expect(resumed?.heard.join("\n")).not.toContain("previous_conversation");
  });
});
