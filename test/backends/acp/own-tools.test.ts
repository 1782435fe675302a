// Exits and delegation for a peer, by the server that its session is opened with.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Gates } from "../../../src/ports/index.ts";
import { factsOf } from "../../engine/kit.ts";
import { FREE, withPeer } from "./kit.ts";
import type { Script, Step } from "./stub-agent.ts";

const HTTP: Script = { initialize: { agentCapabilities: { mcpCapabilities: { http: true } } } };
const done = (result: string): Step => ({ own: { tool: "complete_task", args: { result } } });
const EXITS = { ...FREE, completion: { exits: ["complete_task" as const], nudges: 1 } };

const run = async (prompts: readonly (readonly Step[])[], agent: object = EXITS, script: Script = HTTP) => {
  await using world = await withPeer({ ...script, prompts }, { agent });
  const task = await world.engine.run({ agent: "peer" });
  const log = await world.engine.log(task.id);
  return { ...task, log, raw: readFileSync(join(world.home, "logs", `${task.id}.raw.jsonl`), "utf8") };
};

describe("tools of Cadre's own for a peer", () => {
  it("end the task: what the exit says is the answer", async () => {
    const { outcome, log } = await run([[done("by the exit"), { say: "bye" }]]);
    expect(outcome).toMatchObject({ status: "completed", answer: "by the exit" });
    expect(factsOf(log, "tool.called")).toMatchObject([{ tool: "complete_task" }]);
  });

  it("are told to the gates, by the exit that was called", async () => {
    const exits: unknown[] = [];
    const gates: Gates = (_task, { exit }) => {
      exits.push(exit);
      return [];
    };
    await using world = await withPeer({ ...HTTP, prompts: [[done("now")]] }, { agent: EXITS, engine: { gates } });
    await world.engine.run({ agent: "peer" });
    expect(exits).toEqual(["complete_task"]);
  });

  it("are asked for where it stops without one, so often and no more", async () => {
    const { outcome } = await run([[{ say: "all done" }], [done("now")]]);
    expect(outcome).toMatchObject({ answer: "now" });
    const never = await run([[{ say: "all done" }], [{ say: "really" }]]);
    expect(never.outcome).toMatchObject({ status: "failed", reason: "no_completion" });
  });

  it("are refused to a peer that takes no servers over HTTP, before it is prompted", async () => {
    const { outcome, log } = await run([[done("never")]], EXITS, {});
    expect(outcome).toMatchObject({ status: "failed", reason: "refused" });
    expect(factsOf(log, "turn.started")).toEqual([]);
  });

  it("are not asked about again, nor written down twice, when the peer asks and reports", async () => {
    const call = { toolCallId: "c1", title: "mcp__cadre__complete_task", kind: "other", rawInput: { result: "x" } };
    const asked: Step = { ask: call, allowed: [done("asked first")] };
    const report: Step = { update: { sessionUpdate: "tool_call", ...call, status: "completed" } };
    const { outcome, log } = await run([[asked, report]], { ...EXITS, permission_mode: "denyUnasked" });
    expect(outcome).toMatchObject({ answer: "asked first" });
    expect(factsOf(log, "tool.reported")).toEqual([]);
    expect(factsOf(log, "tool.called")).toHaveLength(1);
  });

  it("are known by a name beside the title", async () => {
    const facts = { toolCallId: "c1", title: '{"result":"x"}', kind: "other", rawInput: { result: "x" } };
    const ask = { ...facts, _meta: { toolName: "mcp__cadre__complete_task" } };
    const agent = { ...EXITS, permission_mode: "denyUnasked" };
    const { outcome } = await run([[{ ask, allowed: [done("by its name")] }]], agent);
    expect(outcome).toMatchObject({ answer: "by its name" });
  });

  it("are known by their bare name where they were announced by their whole one, and only there", async () => {
    const facts = { toolCallId: "c1", kind: "other", rawInput: { result: "x" } };
    const announced: Step = { update: { sessionUpdate: "tool_call", ...facts, title: "cadre-complete_task" } };
    const ask = { ...facts, title: "complete_task" };
    const agent = { ...EXITS, permission_mode: "denyUnasked" };
    const { outcome, log } = await run([[announced, { ask, allowed: [done("announced")] }]], agent);
    expect(outcome).toMatchObject({ answer: "announced" });
    expect(factsOf(log, "tool.refused")).toEqual([]);
    const unannounced = await run([[{ ask }, done("done")]], agent);
    expect(factsOf(unannounced.log, "tool.refused")).toHaveLength(1);
    const other = { ...ask, rawInput: { command: "touch x" } };
    expect(factsOf((await run([[announced, { ask: other }, done("done")]], agent)).log, "tool.refused")).toHaveLength(
      1,
    );
  });

  it.each([
    { title: "mcp__cadre__complete_task", rawInput: { command: "touch x" } },
    { title: "mcp__cadre__complete_task; touch x", rawInput: {} },
    { title: "mcp__cadre__nothing", rawInput: {} },
  ])("%j is none of them: the policy is asked", async (facts) => {
    const ask: Step = { ask: { toolCallId: "c1", kind: "other", ...facts } };
    const { log } = await run([[ask, done("done")]], { ...EXITS, permission_mode: "denyUnasked" });
    expect(factsOf(log, "tool.refused")).toHaveLength(1);
  });

  it("delegate, and the peer is told whom it may call", async () => {
    const args = { description: "help", prompt: "help me", subagent_type: "helper" };
    const steps: Step[] = [{ own: { tool: "Task", args } }, { tell: "last" }];
    const agent = { ...FREE, tools: { mode: "denylist", deny: [] }, capabilities: ["subtask", "orchestrator"] };
    const { outcome, raw } = await run([steps], agent);
    expect(outcome?.answer).toContain("from the helper");
    expect(raw).toContain("helper: Helps.");
  });

  it("are in the raw log, both ways, without their token", async () => {
    const { raw } = await run([[done("x")]]);
    expect(raw).toContain('"way":"in"');
    expect(raw).toContain('"way":"out"');
    expect(raw).toContain("Bearer {{secret:CADRE_TOKEN}}");
  });
});
