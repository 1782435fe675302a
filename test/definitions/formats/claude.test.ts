import { describe, expect, it } from "vitest";
import { claude } from "../../../src/definitions/formats/claude.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";

const read = (text: string, below = "reviewer.md") => claude.read({ path: `.claude/agents/${below}`, below, text });
const agent = (settings: string, body = "Look closely.") => {
  const [reading] = read(`---\nname: a\ndescription: d\n${settings}\n---\n${body}\n`);
  if (reading?.ok !== true) throw new Error(reading?.problem ?? "no reading");
  const { definition, remarks } = reading;
  return { definition, remarks, said: remarks.map(({ kind, field }) => `${kind} ${field}`) };
};
const written = (fields: object): string =>
  claude.write?.(AgentDefinition.parse({ name: "a", description: "d", ...fields })).text ?? "";

describe("a file of Claude Code", () => {
  it("is read field by field", () => {
    const text = [
      "---",
      "name: api-checker",
      "description: Use after a handler changes.",
      "tools: Read, Grep, Bash, mcp__github__search",
      "disallowedTools: Write",
      "model: haiku",
      "permissionMode: acceptEdits",
      "maxTurns: 12",
      "effort: high",
      "background: true",
      "---",
      "",
      "Compare the handler with its entry.",
    ].join("\n");
    expect(read(text)).toEqual([
      {
        ok: true,
        remarks: [],
        definition: AgentDefinition.parse({
          name: "api-checker",
          description: "Use after a handler changes.",
          prompt: "Compare the handler with its entry.",
          tools: {
            mode: "allowlist",
            allow: ["Read", "Grep", "Bash", "mcp__github__search"],
            ask: [],
            deny: ["Write"],
          },
          model: "haiku",
          permission_mode: "acceptEdits",
          max_turns: 12,
          effort: "high",
          background: true,
          workspace: { mode: "shared", allow_writes: true },
        }),
      },
    ]);
  });

  it.each([
    ["nothing at all", "color: red", undefined],
    ["a text", "tools: Read, Grep", ["Read", "Grep"]],
    ["a list", "tools: [Read, LS]", ["Read", "List"]],
    ["everything", "tools: '*'", undefined],
    ["an empty value", "tools:", []],
    ["an empty list", "tools: []", []],
    ["only what delegates", "tools: Agent(a, b), Task", []],
    ["a rule", "tools: Bash(git diff:*), Read", ["Bash(git diff *)", "Read"]],
    ["a server", "tools: mcp__github", ["mcp__github__*"]],
  ])("has as its tools %s", (_, settings, tools) => {
    expect(agent(settings).definition.tools).toEqual(tools);
  });

  it.each([
    ["a name", "disallowedTools: Bash", ["Bash"]],
    ["names that are unknown here", "disallowedTools: [NotebookEdit]", ["NotebookEdit"]],
    ["a rule as the whole tool", "disallowedTools: Bash(rm *)", ["Bash"]],
    ["our own tool with WebFetch", "disallowedTools: WebFetch", ["WebFetch", "HttpRequest"]],
    ["an item that YAML made a map of", "disallowedTools:\n  - Bash: any", ["Bash"]],
  ])("denies %s", (_, settings, deny) => {
    expect(agent(settings).definition.tools).toEqual({ mode: "denylist", allow: [], ask: [], deny });
  });

  it("keeps what delegates and what is unknown aside, says so, and writes it back", () => {
    const { definition, said } = agent("tools: Read, Agent(a, b), NotebookEdit, Bash(git:*)");
    expect(definition.tools).toEqual(["Read", "Bash(git *)"]);
    expect(definition.x).toEqual({ claude: { tools: ["Agent(a, b)", "NotebookEdit", "Bash(git:*)"] } });
    expect(said).toEqual(["narrowed tools", "kept tools", "mapped tools"]);
    expect(claude.write?.(definition).text).toContain(
      "tools:\n  - Read\n  - Agent(a, b)\n  - NotebookEdit\n  - Bash(git:*)",
    );
  });

  it.each([
    ["default", "default", []],
    ["acceptEdits", "acceptEdits", []],
    ["plan", "plan", []],
    ["dontAsk", "denyUnasked", ["mapped permissionMode"]],
    ["bypassPermissions", "auto", ["mapped permissionMode"]],
    ["auto", "default", ["narrowed permissionMode"]],
    ["constructor", "default", ["kept permissionMode"]],
  ])("in mode %s is %s", (word, mode, remarks) => {
    const { definition, said } = agent(`permissionMode: ${word}`);
    expect([definition.permission_mode, said]).toEqual([mode, remarks]);
  });

  it("that bypasses permissions has bounds here, and its reader says so", () => {
    const [remark] = agent("permissionMode: bypassPermissions").remarks;
    expect(remark?.message).toMatch(/^bypassPermissions is auto: nothing is asked, .* protected files hold/);
  });

  it.each([
    ["bypassPermissions", "PreToolUse", "default"],
    ["acceptEdits", "PermissionRequest", "default"],
    ["plan", "PreToolUse", "plan"],
    ["dontAsk", "PreToolUse", "denyUnasked"],
    ["bypassPermissions", "Stop", "auto"],
  ])("in mode %s with a %s hook is %s, since the hook could deny and does not run", (word, hook, mode) => {
    const { definition, said } = agent(`permissionMode: ${word}\nhooks:\n  ${hook}:\n    - matcher: Bash`);
    expect(definition.permission_mode).toBe(mode);
    expect(said).toContain("kept hooks");
    const again = claude.write?.(definition).text ?? "";
    expect(again).toContain(`permissionMode: ${word}`);
    expect(again).toContain(`${hook}:`);
  });

  it("works in a worktree if it is isolated", () => {
    expect(agent("isolation: worktree").definition.workspace).toEqual({ mode: "worktree", allow_writes: true });
    expect(agent("isolation: moon").definition.workspace.mode).toBe("shared");
  });

  it.each([
    ["", true],
    ["tools: Read, Grep", false],
    ["tools: Read, Bash(git *)", true],
    ["permissionMode: plan", false],
    ["disallowedTools: Write, Edit, Bash", false],
  ])("with %j may write to the project: %s", (settings, allow_writes) => {
    expect(agent(settings).definition.workspace).toEqual({ mode: "shared", allow_writes });
  });

  it.each([
    ["user", "user", ["memory: user"]],
    ["project", "project", ["memory: project"]],
    ["local", "project", ["memory: local"]],
  ])("with %s memory has %s memory", (word, memory, back) => {
    const { definition } = agent(`memory: ${word}`);
    expect(definition.memory).toBe(memory);
    for (const line of back) expect(claude.write?.(definition).text).toContain(line);
  });

  it("is not given the tools that a memory brings there", () => {
    const { definition, said } = agent("tools: Grep\nmemory: user");
    expect(definition.tools).toEqual(["Grep"]);
    expect(said).toEqual(["narrowed memory"]);
    expect(written({ memory: "user", tools: ["Grep"] })).not.toContain("memory");
  });

  it("keeps what has no meaning here for the day when it is written", () => {
    const settings = "color: red\nskills: [pdf]\nmcpServers:\n  - github\ninitialPrompt: Hello\nversion: 2";
    const { definition, said } = agent(settings);
    expect(definition.x).toEqual({
      claude: { color: "red", skills: ["pdf"], mcpServers: ["github"], initialPrompt: "Hello", version: 2 },
    });
    expect(said.filter((remark) => !remark.startsWith("kept"))).toEqual(["mapped mcpServers"]);
    expect(said).toHaveLength(5);
    expect(definition.mcp_servers).toEqual(["github"]);
    const again = claude.read({ path: "", below: "a.md", text: claude.write?.(definition).text ?? "" });
    expect(again[0]).toMatchObject({ ok: true, definition: { x: definition.x } });
  });

  it.each([
    ["no name", "---\ndescription: d\n---\n", "no name"],
    ["no description", "---\nname: a\n---\n", "a: it has no description"],
    ["a name of nothing", "---\nname: '::'\ndescription: d\n---\n", "cannot be made into a name"],
    ["no front matter and no heading", "Just text", "no front matter"],
    ["front matter that nobody can read", "---\n}{\n---\n", "not YAML"],
    ["a list", "---\n- a\n---\n", "not a map"],
    ["nothing", "", "no front matter"],
    ["too much", `---\nname: a\ndescription: d\n---\n${"x".repeat(1_100_000)}`, "bytes"],
  ])("with %s is one problem", (_, text, problem) => {
    const readings = read(text);
    expect(readings).toHaveLength(1);
    expect(readings[0]).toMatchObject({ ok: false, problem: expect.stringContaining(problem) as string });
  });

  it("takes a slug for a name in Title Case, and writes the name as it was", () => {
    const [reading] = read("---\nname: Code Reviewer\ndescription: d\n---\nBody");
    expect(reading).toMatchObject({ ok: true, definition: { name: "code-reviewer", display_name: "Code Reviewer" } });
    const definition = reading?.ok === true ? reading.definition : undefined;
    if (definition === undefined) throw new Error("not read");
    expect(claude.write?.(definition)).toMatchObject({
      file: "code-reviewer.md",
      text: expect.stringContaining("name: Code Reviewer") as string,
    });
    expect(claude.write?.({ ...definition, name: "other" }).text).toContain("name: other");
  });
});

describe("a file with a heading and no front matter", () => {
  it("loads with a report, and its tools may have anybody's names", () => {
    const [reading] = read("# Security Reviewer\n\nYou are a security expert.\n\n## Tools\n- read_file\n- grep\n");
    expect(reading).toMatchObject({
      ok: true,
      definition: {
        name: "security-reviewer",
        description: "Security Reviewer",
        prompt: "You are a security expert.",
        tools: ["Read", "Grep"],
      },
      remarks: [{ kind: "repaired" }, { kind: "mapped", field: "name" }, { kind: "mapped", field: "tools" }],
    });
  });
  it("is no agent if it is there for people", () => {
    expect(read("# Our agents\n\nText", "README.md")).toEqual([]);
    expect(read("---\nname: readme\ndescription: d\n---\n", "README.md")).toHaveLength(1);
  });
});

describe("writing for Claude Code", () => {
  it("says what can be said there, in the usual order", () => {
    const text = written({
      prompt: "Body",
      tools: { mode: "allowlist", allow: ["Read", "Bash"], deny: ["Write"] },
      model: "anthropic/claude-x",
      permission_mode: "denyUnasked",
      max_turns: 3,
      effort: "low",
      background: true,
      workspace: { mode: "worktree", allow_writes: true },
    });
    expect(text).toBe(
      "---\nname: a\ndescription: d\ntools: Read, Bash\ndisallowedTools: Write\nmodel: claude-x\npermissionMode: dontAsk\n" +
        "maxTurns: 3\neffort: low\nbackground: true\nisolation: worktree\n---\n\nBody\n",
    );
  });
  it("leaves out models of others, and rules that Claude Code would take for the whole tool", () => {
    const text = written({ model: "openai/gpt-x", tools: ["Read", "Bash(git diff *)"] });
    expect(text).toBe("---\nname: a\ndescription: d\ntools: Read\n---\n");
  });
  it("keeps an empty list of tools empty", () => {
    expect(written({ tools: [] })).toContain("tools: []");
  });
});
