import { describe, expect, it } from "vitest";
import { gemini } from "../../../src/definitions/formats/gemini/gemini.ts";
import { writePersona } from "../../../src/definitions/formats/gemini/persona.ts";
import { writeGeminiToml } from "../../../src/definitions/formats/gemini/toml.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";

const read = (text: string, below = "a.md") => gemini.read({ path: `.gemini/agents/${below}`, below, text });
const only = (text: string, below = "a.md") => {
  const [reading] = read(text, below);
  if (reading?.ok !== true) throw new Error(reading?.problem ?? "no reading");
  return { definition: reading.definition, said: reading.remarks.map(({ kind, field }) => `${kind} ${field}`) };
};
const agent = (settings: string, body = "Body") => only(`---\nname: a\ndescription: d\n${settings}\n---\n${body}\n`);
const define = (fields: object) => AgentDefinition.parse({ name: "a", description: "d", ...fields });

describe("a Markdown file of Gemini CLI", () => {
  it("is read field by field", () => {
    const { definition, said } = agent(
      "display_name: Ay\nkind: local\ntools:\n  - read_file\n  - grep_search\n  - mcp_github_search\n  - mcp_*\nmodel: gemini-2.5-pro\n" +
        "temperature: 0.2\nmax_turns: 7\ntimeout_mins: 3\nmcp_servers: {github: {command: x}}",
    );
    expect(definition).toMatchObject({
      display_name: "Ay",
      prompt: "Body",
      tools: ["Read", "Grep", "mcp__github__search", "mcp__*__*"],
      model: "gemini-2.5-pro",
      temperature: 0.2,
      max_turns: 7,
      timeout_mins: 3,
      permission_mode: "default",
      workspace: { mode: "shared", allow_writes: false },
      x: { gemini: { mcp_servers: { github: { command: "x" } } } },
    });
    expect(said).toEqual(["mapped tools", "mapped mcp_servers"]);
    expect(definition.mcp_servers).toMatchObject({ github: { command: "x", args: [] } });
  });

  it.each([
    ["", undefined],
    ["tools: []", []],
    ["tools: ['*']", undefined],
    ["tools: read_file, glob", ["Read", "Glob"]],
    ["tools: [delegate_to_agent, invoke_agent, ls]", ["List"]],
    ["tools: [Frobnicate]", []],
    ["tools:", []],
  ])("with %j has the tools %j", (settings, tools) => {
    expect(agent(settings).definition.tools).toEqual(tools);
  });

  it("with a prompt in its settings has a body for people only", () => {
    for (const key of ["system_prompt", "prompt"]) {
      const { definition } = agent(`${key}: You are careful.`, "# Documentation");
      expect(definition.prompt).toBe("You are careful.");
      expect(definition.x).toEqual({ gemini: { body: "# Documentation" } });
      const again = only(gemini.write?.(definition).text ?? "").definition;
      expect(again).toEqual(definition);
    }
  });

  it.each(["Code Reviewer", "Explore", "a.b", "ä"])("may not be called %s", (name) => {
    expect(read(`---\nname: ${name}\ndescription: d\n---\n`)).toMatchObject([
      { ok: false, problem: expect.stringContaining("no name in Gemini CLI") as string },
    ]);
  });

  it.each([
    ["no name", "---\ndescription: d\n---\n", "no name"],
    ["no description", "---\nname: a\n---\n", "a: it has no description"],
    ["no front matter", "# Title", "no front matter"],
    ["a number for settings", "---\n5\n---\n", "not a map"],
    [
      "a remote agent",
      "---\nkind: remote\nname: far\nagent_card_url: http://x\n---\n",
      "far: remote agents are not supported yet",
    ],
    ["a card and no kind", "---\nname: far\nagent_card_json: '{}'\n---\n", "far: remote agents"],
  ])("with %s is one problem", (_, text, problem) => {
    expect(read(text)).toMatchObject([{ ok: false, problem: expect.stringContaining(problem) as string }]);
  });

  it("names every agent of a list", () => {
    const text = "---\n- kind: remote\n  name: one\n- name: two\n  agent_card_url: http://x\n- name: three\n- 5\n---\n";
    const problems = read(text).map((reading) => (reading.ok ? "" : reading.problem));
    expect(problems).toEqual([
      "one: remote agents are not supported yet",
      "two: remote agents are not supported yet",
      expect.stringContaining("three: only remote agents may stand in a list"),
    ]);
  });

  it("leaves ${x} alone, and declares the query that every agent there has", () => {
    expect(agent("", "Look at ${target}").definition.inputs).toEqual([]);
    expect(agent("query: ${query}").definition).toMatchObject({ inputs: [], prompt: "Body" });
    expect(agent("query: ${query}").definition.query).toBeUndefined();
    expect(agent('query: "Do this: ${query}"').definition).toMatchObject({
      query: "Do this: ${query}",
      inputs: [{ name: "query", type: "string" }],
    });
    expect(agent("", "${query} and ${other}").definition.inputs).toEqual([]);
  });

  it("declares inputs, or keeps them where they are none", () => {
    expect(agent("inputs: {target: {type: string, required: true}}", "See ${target}").definition.inputs).toEqual([
      { name: "target", type: "string", required: true },
    ]);
    expect(agent("inputs: [{name: a}]").definition.inputs).toEqual([{ name: "a", type: "string" }]);
    const odd = agent("inputs: [{name: 1b}]");
    expect([odd.definition.inputs, odd.definition.x]).toEqual([[], { gemini: { inputs: [{ name: "1b" }] } }]);
  });

  it("keeps a temperature that is too high", () => {
    expect(agent("temperature: 5").definition).toMatchObject({ x: { gemini: { temperature: 5 } } });
  });
});

describe("a TOML file of Gemini CLI", () => {
  const text = [
    'name = "security-scanner"',
    'description = "Scan for vulnerabilities"',
    'tools = ["read_file"]',
    "[prompts]",
    'system_prompt = "You are a security expert on ${x}."',
    'query = "Scan it"',
    'note = "kept"',
    "[model]",
    'model = "gemini-x"',
    "temperature = 0.5",
    "top_p = 0.9",
    "[run]",
    "timeout_mins = 5",
    "max_turns = 10",
  ].join("\n");

  it("is read table by table", () => {
    expect(only(text, "a.toml").definition).toMatchObject({
      name: "security-scanner",
      description: "Scan for vulnerabilities",
      prompt: "You are a security expert on ${x}.",
      query: "Scan it",
      tools: ["Read"],
      model: "gemini-x",
      temperature: 0.5,
      top_p: 0.9,
      timeout_mins: 5,
      max_turns: 10,
      x: { gemini: { prompts_table: { note: "kept" } } },
    });
  });

  it("comes back as it was", () => {
    const { definition } = only(text, "a.toml");
    const { file, text: again } = writeGeminiToml(definition);
    expect(file).toBe("security-scanner.toml");
    expect(only(again, file).definition).toEqual(definition);
  });

  it("with remote agents has a problem for each, and hides none", () => {
    const remote = '[[remote_agents]]\nname = "far"\n[[remote_agents]]\nname = "away"\n';
    expect(read(remote, "a.toml").map(({ ok }) => ok)).toEqual([false, false]);
    expect(read(`name = "near"\ndescription = "d"\n${remote}`, "a.toml").map(({ ok }) => ok)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("that is broken is one problem of one line", () => {
    expect(read("name = ", "a.toml")).toMatchObject([
      { ok: false, problem: expect.not.stringContaining("\n") as string },
    ]);
  });
});

describe("the persona of an extension", () => {
  const text = JSON.stringify({
    name: "coder-agent",
    version: "1.0.0",
    contextFileName: "coder-agent-scratchpad.md",
    prompt: "You are an expert developer. Your task is to write code.",
  });

  it("is an agent that works in its workspace", () => {
    const { definition, said } = only(text, "coder-agent.json");
    expect(definition).toMatchObject({
      name: "coder-agent",
      description: "You are an expert developer.",
      prompt: "You are an expert developer. Your task is to write code.",
      workspace: { mode: "shared", allow_writes: false },
      x: { gemini: { persona: { version: "1.0.0", contextFileName: "coder-agent-scratchpad.md" } } },
    });
    expect(said).toEqual(["mapped prompt", "kept version", "kept contextFileName"]);
    expect(JSON.parse(writePersona(definition).text)).toEqual(JSON.parse(text));
  });

  it("may exclude tools", () => {
    const { definition } = only(
      '{"name": "a", "prompt": "P.", "excludeTools": ["run_shell_command(rm -rf)"]}',
      "a.json",
    );
    expect(definition.tools).toEqual({ mode: "denylist", allow: [], ask: [], deny: ["Bash"] });
    expect(JSON.parse(writePersona(definition).text)).toMatchObject({ excludeTools: ["run_shell_command(rm -rf)"] });
  });

  it("is told from other JSON by its prompt", () => {
    expect(read('{"ext": {"overrides": []}}', "extension-enablement.json")).toEqual([]);
    expect(read('{"name": "a", "prompt": []}', "a.json").map(({ ok }) => ok)).toEqual([false]);
    expect(read('{"name": "Title Case", "prompt": "P."}', "a.json").map(({ ok }) => ok)).toEqual([false]);
    expect(read("{", "a.json").map(({ ok }) => ok)).toEqual([false]);
  });
});

describe("writing for Gemini CLI", () => {
  it("says what can be said there", () => {
    const text = gemini.write?.(
      define({
        name: "Explore",
        display_name: "Ex",
        prompt: "Body",
        tools: { mode: "allowlist", allow: ["Read", "Bash", "mcp__github__*"], deny: ["Bash"] },
        model: "google/gemini-x",
        temperature: 0.1,
        max_turns: 5,
        timeout_mins: 2.5,
      }),
    );
    expect(text).toEqual({
      file: "explore.md",
      text:
        "---\nname: explore\ndescription: d\ndisplay_name: Ex\ntools:\n  - read_file\n  - mcp_github_*\nmodel: gemini-x\n" +
        "temperature: 0.1\nmax_turns: 5\ntimeout_mins: 2\n---\n\nBody\n",
    });
  });
  it("writes no name of a model that only Claude Code knows", () => {
    expect(gemini.write?.(define({ model: "haiku" })).text).not.toContain("model");
  });
  it("but gives back a model that was there", () => {
    const { definition } = agent("model: haiku");
    expect(gemini.write?.(definition).text).toContain("model: haiku");
    expect(gemini.write?.({ ...definition, model: "inherit" }).text).not.toContain("model");
  });
  it("makes a Markdown file of what was TOML", () => {
    const { definition } = only('name = "a"\ndescription = "d"\n[prompts]\nsystem_prompt = "P"', "a.toml");
    expect(gemini.write?.(definition).text).toBe("---\nname: a\ndescription: d\n---\n\nP\n");
  });
});
