// Exits, delegation and context on a stub of each CLI. `test/clis/exits.real.ts` has the same on the real ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { codex } from "../../../src/backends/codex/codex.ts";
import { gemini } from "../../../src/backends/gemini/gemini.ts";
import type { Cli } from "../../../src/backends/cli/cli.ts";
import type { Gates } from "../../../src/ports/index.ts";
import { factsOf } from "../../engine/kit.ts";
import { KEY_VALUE, type Play, transcript, withStub } from "./kit.ts";

const said = (cli: Cli, more: Partial<Play> = {}): Play => ({
  says: transcript(cli, "text"),
  isDialogue: cli === claude,
  ...more,
});
const done = (result: string) => [{ tool: "complete_task", args: { result } }];
const EXITS = { completion: { exits: ["complete_task" as const], nudges: 1 } };

describe.each([claude, codex, gemini])("tools of Cadre's own on $name", (cli) => {
  it("end the task: what the exit says is the answer", async () => {
    await using world = await withStub(cli, [said(cli, { ours: done("by the exit") })], { agent: EXITS });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "by the exit" });
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called")).toMatchObject([{ tool: "complete_task" }]);
    expect(factsOf(log, "instruction.added")).toEqual([]);
  });

  it("are told to the gates, by the exit that was called", async () => {
    const exits: unknown[] = [];
    const gates: Gates = (_task, { exit }) => {
      exits.push(exit);
      return [];
    };
    await using world = await withStub(cli, [said(cli, { ours: done("by the exit") })], { agent: EXITS, gates });
    await world.engine.run({ agent: "worker" });
    expect(exits).toEqual(["complete_task"]);
  });

  it("are asked for where it stops without one, so often and no more", async () => {
    const plays = [said(cli), said(cli, { ours: done("at last") })];
    await using world = await withStub(cli, plays, { agent: EXITS });
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({ answer: "at last" });
    await using never = await withStub(cli, [said(cli)], { agent: EXITS });
    const { outcome } = await never.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "no_completion" });
    expect(never.started()).toHaveLength(2);
  });

  it("count although the CLI breaks right after", async () => {
    const breaks = { isDialogue: cli === claude, ours: done("kept"), breaks: true, code: 3 };
    await using world = await withStub(cli, [breaks], { agent: EXITS });
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({ answer: "kept" });
  });

  it("are checked: an output that does not fit is not taken", async () => {
    const schema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const ours = [
      { tool: "complete_task", args: { result: { count: "many" } } },
      { tool: "complete_task", args: { result: { count: 3 } } },
    ];
    const agent = { ...EXITS, output: { schema } };
    await using world = await withStub(cli, [said(cli, { ours })], { agent });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", output: { count: 3 } });
    expect(factsOf(await world.engine.log(id), "tool.returned").map(({ ok }) => ok)).toEqual([false, true]);
  });

  it("delegate, where the definition says so, and what was done in the background is told", async () => {
    const task = { description: "help", prompt: "help me", subagent_type: "helper" };
    const ours = [
      { tool: "Task", args: task },
      { tool: "Task", args: { ...task, run_in_background: true } },
    ];
    const agent = { tools: ["Read", "Glob", "Grep", "List", "Task"] };
    await using world = await withStub(cli, [said(cli, { ours }), said(cli)], { agent });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "forty-two" });
    const log = await world.engine.log(id);
    expect(factsOf(log, "child.started").map(({ background }) => background)).toEqual([false, true]);
    expect(factsOf(log, "instruction.added")).toMatchObject([{ because: "news" }]);
    expect(world.started()[1]?.heard.join("\n")).toContain("from the helper");
  });

  it("are not served where the definition has none of it", async () => {
    await using world = await withStub(cli, [said(cli)]);
    const { spec } = await world.engine.run({ agent: "worker" });
    const home = join(world.home, "sessions", `${spec.session}.home`, cli.name);
    const settings = { claude: "instructions.md", codex: ".codex/config.toml", gemini: ".gemini/settings.json" };
    expect(readFileSync(join(home, settings[cli.name as keyof typeof settings]), "utf8")).not.toContain("127.0.0.1");
    expect(world.started()[0]?.args).not.toContain("--mcp-config");
  });

  it("leave their token in no file", async () => {
    await using world = await withStub(cli, [said(cli, { ours: done("x") })], { agent: EXITS });
    const { spec } = await world.engine.run({ agent: "worker" });
    const [started] = world.started();
    const token = started?.env["CADRE_TOKEN"] ?? "no token";
    const home = join(world.home, "sessions", `${spec.session}.home`, cli.name);
    const settings = { claude: "servers.json", codex: ".codex/config.toml", gemini: ".gemini/settings.json" };
    const text = readFileSync(join(home, settings[cli.name as keyof typeof settings]), "utf8");
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    expect(text).not.toContain(token);
    expect(started?.args.join(" ")).not.toContain(token);
  });

  it("is told what is put before an agent, once, in envelopes", async () => {
    const contextFor = async () => [{ source: "file:AGENTS.md", isTrusted: false, text: "use TABS" }];
    await using world = await withStub(cli, [said(cli)], { options: { contextFor } });
    await world.engine.run({ agent: "worker", prompt: "the question" });
    const heard = world.started()[0]?.heard.join("\n") ?? "";
    expect(heard.split("use TABS")).toHaveLength(2);
    expect(heard).toContain("cadre:context source=");
    expect(heard).toContain("the question");
  });

  it("is in the raw log as it was said, without its key", async () => {
    const says = transcript(cli, "text").map((line) => line.replaceAll("forty-two", "@ENV@"));
    await using world = await withStub(cli, [said(cli, { says, stderr: `my key is ${KEY_VALUE}\n` })]);
    const { id } = await world.engine.run({ agent: "worker" });
    const raw = readFileSync(join(world.home, "logs", `${id}.raw.jsonl`), "utf8");
    expect(raw.split("\n").filter((line) => line.includes('"way":"out"')).length).toBeGreaterThan(2);
    expect(raw).toContain("CADRE_TASK");
    expect(raw).toContain("my key is {{secret:");
    expect(raw).not.toContain(KEY_VALUE);
  });
});
