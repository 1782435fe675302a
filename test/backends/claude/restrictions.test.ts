import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { BASELINE } from "../../../src/domain/policy.ts";
import type { Askable } from "../../../src/schema/index.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { factsOf } from "../../engine/kit.ts";
import { transcript, withStub } from "../cli/kit.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

/** Where the engine of the tests has the plans of its tasks. */
const OWN_HOME = "/cadre-home";

/** It wants to search, and answers then. */
const SEARCHING = {
  says: [
    ...["Grep", "Glob"].map((tool) =>
      JSON.stringify({
        type: "control_request",
        request_id: tool,
        request: {
          subtype: "hook_callback",
          input: { tool_name: tool, tool_input: { pattern: "x" }, tool_use_id: tool },
        },
      }),
    ),
    ...transcript(claude, "text"),
  ],
  isDialogue: true,
};

const toolsOf = (args: readonly string[] = []): string => args[args.indexOf("--tools") + 1] ?? "absent";

describe("claude is given", () => {
  it.each([
    ["silent", "Read,Glob,Grep,Write,Edit,Bash"],
    ["reader", "Read,Glob,Grep"],
    ["editor", "Read,Glob,Grep,Write,Edit,Bash"],
    ["online", "Read,Glob,Grep,Write,Edit,Bash,WebFetch,WebSearch"],
    ["rule on commands", "Read,Glob,Grep,Bash"],
    ["no secrets", "Read,Glob,Grep,Write,Edit,Bash"],
    ["docs only", "Read,Glob,Grep,Write,Edit,Bash"],
    ["no tools", ""],
  ] as const)("%s: the tools %s, and each use of them is asked about", async (name, tools) => {
    const { refused, started } = await compiled(claude, AGENTS[name]);
    expect(refused).toBeUndefined();
    expect(toolsOf(started?.args)).toBe(tools);
    expect(started?.heard[0]).toContain('"PreToolUse"');
    for (const flag of ["--restricted", "--safe-mode", "--strict-mcp-config", "dontAsk"])
      expect(started?.args).toContain(flag);
  });

  it.each([
    [["Read(.env)"], ["/**/.env"], ["Grep", "Glob"]],
    [["Read(**/tmp/**)", "Read(//etc/**)"], ["/**/tmp"], ["Grep", "Glob"]],
    [
      ["Read(secrets/**)", "Read(**/*.{pem,KEY})"],
      ["/secrets", "/**/*.pem", "/**/*.key"],
      ["Grep", "Glob"],
    ],
    [["Read(./a/b.txt)", "Grep(c)"], ["/a/b.txt"], ["Glob"]],
    [["Read(a b)"], [], []], // not sure to be read in the same way
    [["Read(a**b)"], [], []],
    [["Glob(x)"], [], ["Grep"]],
    [["Read(../**)"], [], []], // to claude, all of the project
    [[`Read(${tmpdir()}/**)`], [], ["Grep", "Glob"]], // absolute: of the project it closes nothing
  ])("what %j closes as rules of its own, %j: what leaves it out is %j", async (deny, paths, searches) => {
    const agent = { permission_mode: "plan" as const, tools: { mode: "denylist" as const, deny } };
    await using world = await withStub(claude, [SEARCHING], { agent });
    const { id } = await world.engine.run({ agent: "worker" });
    const { args = [] } = world.started()[0] ?? {};
    for (const path of paths) expect(args).toContain(`Read(/${world.project}${path})`);
    const own = args.filter((one) => one.startsWith(`Read(/${tmpdir()}`) && !one.includes("/.cadre/"));
    expect(own).toHaveLength(paths.length);
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called").map(({ tool }) => tool)).toEqual(searches);
    const rules = factsOf(log, "tool.refused").map(({ decision }) => decision.rule);
    expect(rules.every((rule) => rule.includes("use Read"))).toBe(true);
  });

  it("no rule for what a person is to be asked about, and no search that would show it", async () => {
    const tools = [{ from: "user" as const, allow: null, ask: ["Read(.env)"], deny: [] }];
    const agent = { permission_mode: "plan" as const };
    await using world = await withStub(claude, [SEARCHING], { agent, baseline: { ...BASELINE, tools } });
    const { id } = await world.engine.run({ agent: "worker", askable: "nobody" satisfies Askable });
    expect(world.started()[0]?.args.join(" ")).not.toContain(".env");
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called")).toEqual([]);
    expect(factsOf(log, "tool.refused").map(({ tool }) => tool)).toEqual(["Grep", "Glob"]);
  });

  it("rules that mean the project also where its name holds signs of their own", async () => {
    const project = join(temporaryFolder(), "a (b)");
    mkdirSync(project);
    const agent = { permission_mode: "plan" as const, tools: { mode: "denylist" as const, deny: ["Read(.env)"] } };
    await using world = await withStub(claude, [SEARCHING], { agent, project });
    await world.engine.run({ agent: "worker" });
    const rules = world.started()[0]?.args.filter((one) => one.startsWith(`Read(/${dirname(project)}`)) ?? [];
    expect(rules).toContain(`Read(/${dirname(project)}/a ?b?/**/.env)`);
    expect(rules).toContain(`Read(/${dirname(project)}/a ?b?/.cadre/tasks)`);
    expect(rules.filter((rule) => rule.includes("(b)"))).toEqual([]);
  });

  it("nothing of what Cadre keeps, but its own plan", async () => {
    const { started, project } = await compiled(claude, {});
    for (const home of [`${project}/.cadre`, OWN_HOME])
      for (const name of ["tasks", "sessions", "logs", "cadre.db*", ".serve-token.*"])
        expect(started?.args).toContain(`Read(/${home}/${name})`);
    expect(started?.args).not.toContain(`Read(/${OWN_HOME}/plans)`);
  });

  it("nothing of what Cadre keeps in other homes, wherever they are", async () => {
    const { started } = await compiled(claude, {});
    for (const name of ["tasks", "plans", "cadre.db*", ".serve-token.*"])
      expect(started?.args).toContain(`Read(//**/.cadre/${name})`);
  });

  it("its turns, its model, its effort and its instructions, in a file", async () => {
    const { started, file } = await compiled(claude, {
      model: "anthropic/claude-x",
      effort: "high",
      max_turns: 7,
      prompt: "Count MARMOTS.",
    });
    expect(started?.args.join(" ")).toMatch(/--max-turns 7 .*--model claude-x --effort high/);
    expect(file("instructions.md")).toContain("Count MARMOTS.");
    expect(started?.args.join(" ")).not.toContain("MARMOTS");
  });

  it("what an allowlist asks about, too", async () => {
    const tools = { mode: "allowlist" as const, allow: ["Read"], ask: ["Bash(git diff *)", "MemorySearch"] };
    const { started, narrowed } = await compiled(claude, { tools, permission_mode: "plan" });
    const args = started?.args ?? [];
    expect(args[args.indexOf("--tools") + 1]?.split(",")).toContain("Bash");
    expect(narrowed).toContain("claude is not given what it has no tool of its own for: MemorySearch");
  });

  it("no tool that it does not have, and that is said", async () => {
    const { narrowed } = await compiled(claude, { tools: ["Read", "MemorySearch"], temperature: 1 });
    expect(narrowed).toEqual([
      "claude is not given what it has no tool of its own for: MemorySearch",
      "claude takes no temperature",
    ]);
  });
});
