// CLIs that are known by their documents only: what they say in the documented form, and in any other.
import { describe, expect, it } from "vitest";
import { amp } from "../../../src/backends/amp/amp.ts";
import { claude } from "../../../src/backends/claude/claude.ts";
import type { Cli } from "../../../src/backends/cli/cli.ts";
import { cliBackend } from "../../../src/backends/cli/cli-backend.ts";
import { cursor } from "../../../src/backends/cursor/cursor.ts";
import { droid } from "../../../src/backends/droid/droid.ts";
import { kiro } from "../../../src/backends/kiro/kiro.ts";
import { BASELINE } from "../../../src/domain/policy.ts";
import { factsOf } from "../../engine/kit.ts";
import { optionsFor, stub, type StubOptions, transcript, withStub } from "./kit.ts";

const OPEN = { permission_mode: "auto", workspace: { mode: "shared", allow_writes: true }, max_turns: 3 } as const;
const WIDE = { baseline: { ...BASELINE, network: true } };

const playing = (cli: Cli, name: string, more: StubOptions = {}) =>
  withStub(cli, [{ says: transcript(cli, name) }], { agent: OPEN, isConfined: true, ...more });

describe.each([cursor, droid, amp])("$name, by its documents", (cli) => {
  it("answers, and the log says how little is known of it", async () => {
    await using world = await playing(cli, "text");
    const { id, outcome, turns } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "forty-two" });
    expect(turns).toBe(1);
    const log = await world.engine.log(id);
    expect(factsOf(log, "message.said")).toEqual([{ type: "message.said", text: "forty-two" }]);
    expect(JSON.stringify(factsOf(log, "note.taken"))).toContain("by its documents, never run here");
  });

  it.each([droid, amp].includes(cli) ? [18] : [])("counts %i tokens", async (tokens) => {
    await using world = await playing(cli, "text", { agent: { ...OPEN, max_tokens: 1_000 } });
    const { id } = await world.engine.run({ agent: "worker" });
    expect(factsOf(await world.engine.log(id), "budget.settled").at(-1)?.spent.tokens).toBe(tokens);
  });

  it.each([droid, amp].includes(cli) ? [1_000] : [])("that does not say its usage has used all of %i", async (most) => {
    const says = transcript(cli, "text").map((line) => line.replaceAll(/,"usage":\{[^}]*\}/g, ""));
    expect(says.join()).not.toContain("usage");
    await using world = await withStub(cli, [{ says }], { agent: { ...OPEN, max_tokens: most }, isConfined: true });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(factsOf(await world.engine.log(id), "budget.settled").at(-1)?.spent.tokens).toBe(most);
  });

  it("whose last event is cut off has not answered", async () => {
    const lines = transcript(cli, "text");
    const says = [...lines.slice(0, -1), lines.at(-1)?.slice(0, -20) ?? ""];
    await using world = await withStub(cli, [{ says }], { agent: OPEN, isConfined: true });
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({ reason: "no_completion" });
  });

  it("writes a file, and the log says which", async () => {
    await using world = await playing(cli, "writes");
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
    const calls = factsOf(await world.engine.log(id), "tool.reported");
    expect(calls).toMatchObject([{ effect: "write", ok: true }]);
    expect(JSON.stringify(calls[0]?.input)).toContain("made.txt");
  });

  it("says what was denied", async () => {
    await using world = await playing(cli, "denied", { agent: { ...OPEN, max_turns: 30 } });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "gave up" });
    expect(factsOf(await world.engine.log(id), "tool.reported").map(({ ok }) => ok)).toEqual([false, false]);
  });

  it.each([
    ["error", cli === cursor ? "rate_limited" : "backend_unavailable"],
    ["error-called-success", "backend_error"],
    ["stopped", "no_completion"],
    ["unknown", cli === droid ? "no_completion" : "backend_error"],
  ] as const)("%s is %s, and no answer, although it exits with 0", async (name, reason) => {
    await using world = await playing(cli, name);
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({ status: "failed", reason });
  });

  it("goes on with its own conversation, by the name that it gave it", async () => {
    const plays = ["text", "resumed"].map((name) => ({ says: transcript(cli, name) }));
    await using world = await withStub(cli, plays, { agent: OPEN, isConfined: true });
    const first = await world.engine.run({ agent: "worker" });
    const second = await world.engine.run({ agent: "worker", session: first.spec.session });
    expect(second.outcome).toMatchObject({ status: "completed", answer: "second answer" });
    const id = /"session_id":"([^"]+)/.exec(transcript(cli, "text")[0] ?? "")?.[1];
    expect(world.started()[1]?.args).toContain(id);
  });

  it("is stopped when it has used up its turns", async () => {
    await using world = await playing(cli, "writes", { agent: { ...OPEN, max_turns: 1 } });
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({
      status: "failed",
      reason: "max_turns",
    });
  });
});

describe.each([cursor, droid, amp, kiro])("$name is not taken at its word", (cli) => {
  const refusal = async (more: StubOptions) => {
    await using world = await withStub(cli, [{ says: ["nothing"] }], more);
    const reason = await world.engine.start({ agent: "worker" }).then(() => "admitted", String);
    expect(world.started()).toEqual([]);
    return reason;
  };

  it("where nothing confines it, unless there is nothing to hold it to", async () => {
    const never = `knows ${cli.name} by its documents, never run here`;
    expect(await refusal({ agent: { permission_mode: "plan" }, ...WIDE })).toContain(never);
    expect(await refusal({ agent: OPEN })).toContain(never); // the network is closed
    expect(await refusal({ agent: OPEN, ...WIDE })).toBe("admitted");
  });

  it("nor by an attempt that turns out not to be confined", async () => {
    const options = { isConfined: true }; // what admission goes by
    await using world = await withStub(cli, [{ says: ["nothing"] }], { agent: OPEN, options });
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({
      status: "failed",
      reason: "refused",
    });
    expect(world.started()).toEqual([]);
  });

  it("for exits, delegation and MCP servers, which it is not given", async () => {
    const completion = { exits: ["complete_task" as const] };
    const delegating = { tools: ["Read", "Glob", "Grep", "List", "Bash", "Task"] };
    const asking = { tools: { mode: "allowlist" as const, allow: delegating.tools.slice(0, -1), ask: ["Task"] } };
    for (const agent of [{ completion }, delegating, asking]) {
      const refused = await refusal({ agent: { ...OPEN, ...agent }, isConfined: true });
      expect(refused).toContain(`${cli.name} takes no tools of Cadre's own`);
    }
    const mcp_servers = { tiny: { command: "/bin/true" } };
    expect(await refusal({ agent: { ...OPEN, mcp_servers }, isConfined: true })).toContain("MCP servers");
  });

  it("for a model of another provider, and where money is limited", async () => {
    expect(await refusal({ agent: { ...OPEN, model: "openai/gpt-5.5" }, isConfined: true })).toContain("has no model");
    const limited = { agent: { ...OPEN, budget_usd: 1 }, isConfined: true };
    expect(await refusal(limited)).toContain(`${cli.name} does not say what it costs`);
  });
});

describe("doctor", () => {
  it.each([cursor, droid, amp, kiro])("says that $name was never run", async (cli) => {
    const bin = stub(cli, [], cli.tested);
    const found = await cliBackend(cli, optionsFor(cli, bin, "/project")).look?.();
    expect(found).toMatchObject({ isThere: true, fix: null });
    expect(found?.says).toContain("by its documents, never run here");
  });

  it("says with which version others were tried", async () => {
    const bin = stub(claude, [], claude.tested);
    const found = await cliBackend(claude, optionsFor(claude, bin, "/project")).look?.();
    expect(found?.says).toContain(`tried with ${claude.tested}`);
  });
});
