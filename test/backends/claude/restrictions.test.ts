import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { factsOf } from "../../engine/kit.ts";
import { transcript, withStub } from "../cli/kit.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

/** Where the engine of the tests has the plans of its tasks. */
const OWN_HOME = "/cadre-home";

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
    [["Read(.env)"], ["/**/.env"], true],
    [["Read(**/tmp/**)", "Read(//etc/**)"], ["/**/tmp"], true],
    [["Read(secrets/**)", "Read(**/*.{pem,KEY})"], ["/secrets", "/**/*.pem", "/**/*.key"], true],
    [["Read(./a/b.txt)", "Grep(c)"], ["/a/b.txt"], false],
    [["Read(a b)"], [], false], // not sure to be read in the same way
    [["Read(a**b)"], [], false],
    [["Glob(x)"], [], false],
    [["Read(../**)"], [], false], // to claude, all of the project
    [[`Read(${tmpdir()}/**)`], [], true], // absolute: of the project it closes nothing
  ])("what %j closes as rules of its own, %j: its searches leave it out: %s", async (deny, paths, isOpen) => {
    const agent = { permission_mode: "plan" as const, tools: { mode: "denylist" as const, deny } };
    const wants = (tool: string) => ({
      type: "control_request",
      request_id: tool,
      request: {
        subtype: "hook_callback",
        input: { tool_name: tool, tool_input: { pattern: "x" }, tool_use_id: tool },
      },
    });
    const says = [...["Grep", "Glob"].map((tool) => JSON.stringify(wants(tool))), ...transcript(claude, "text")];
    await using world = await withStub(claude, [{ says, isDialogue: true }], { agent });
    const { id } = await world.engine.run({ agent: "worker" });
    const { args = [] } = world.started()[0] ?? {};
    for (const path of paths) expect(args).toContain(`Read(/${world.project}${path})`);
    const own = args.filter((one) => one.startsWith(`Read(/${tmpdir()}`) && !one.includes("/.cadre/"));
    expect(own).toHaveLength(paths.length);
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called").length === 2).toBe(isOpen);
    const rules = factsOf(log, "tool.refused").map(({ decision }) => decision.rule);
    expect(rules.every((rule) => rule.includes("use Read"))).toBe(true);
  });

  it("nothing of what Cadre keeps, but its own plan", async () => {
    const { started, project } = await compiled(claude, {});
    for (const home of [`${project}/.cadre`, OWN_HOME])
      for (const name of ["tasks", "sessions", "logs", "cadre.db*", ".serve-token.*"])
        expect(started?.args).toContain(`Read(/${home}/${name})`);
    expect(started?.args).not.toContain(`Read(/${OWN_HOME}/plans)`);
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

  it("no tool that it does not have, and that is said", async () => {
    const { narrowed } = await compiled(claude, { tools: ["Read", "MemorySearch"], temperature: 1 });
    expect(narrowed).toEqual([
      "claude is not given what it has no tool of its own for: MemorySearch",
      "claude takes no temperature",
    ]);
  });
});
