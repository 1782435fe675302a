import { describe, expect, test } from "vitest";
import { alikePairs } from "../../../src/definitions/conversion/alike-descriptions.ts";
import { project } from "./a-project.ts";

const agent = (settings: string, body = "Do it."): string => `---\n${settings}\n---\n${body}\n`;

async function found(files: Readonly<Record<string, string>>, path?: string): Promise<string[]> {
  const { conversion } = await project(files);
  const { findings } = await conversion.check({ path, anywhere: false });
  return findings.map(({ kind, source, message }) => `${kind} ${source}: ${message}`);
}

const inOne = (settings: string, body?: string): Promise<string[]> =>
  found({ ".cadre/agents/a.md": agent(`description: Does it\n${settings}`, body) });

describe("what is found in all agents:", () => {
  test("nothing where nothing is wrong", async () => {
    expect(await inOne("tools: [Read, greet, mcp__github__search, 'Web*']\nmodel: sonnet")).toEqual([]);
  });

  test.each([
    [
      "a misspelt key",
      "tool: [Read]",
      /^problem \.cadre\/agents\/a\.md:3:1: unknown key "tool"; did you mean "tools"\?$/,
    ],
    [
      "a misspelt tool",
      "tools: [Reed]",
      /^problem \.cadre\/agents\/a\.md:3:9: there is no tool called "Reed"; did you mean "Read"\?$/,
    ],
    ["another program's word", "tools: [run_shell_command]", /called "run_shell_command"; did you mean "Bash"\?$/],
    ["in a rule, too", "tools: { mode: denylist, deny: ['bash(rm *)'] }", /:3:33: there is no tool called "bash"/],
    ["a model", "model: sonet", /^problem \.cadre\/agents\/a\.md:3:8: nobody knows a model called "sonet"$/],
    ["an input that is used nowhere", "inputs: [{ name: target }]", /the input "target" is used nowhere$/],
  ])("%s", async (_, settings, expected) => {
    expect(await inOne(settings)).toEqual([expect.stringMatching(expected)]);
  });

  test("a key that nothing here presses, as a note", async () => {
    const hotkey = { ".cadre/agents/a.md": agent("description: Does it\ntriggers: { hotkey: Ctrl+Shift+P }") };
    const expected = "note .cadre/agents/a.md: a: triggers.hotkey: Ctrl+Shift+P is kept, but nothing here presses it";
    expect(await found(hotkey)).toEqual([expected]);
    expect(await found(hotkey, ".cadre/agents/a.md")).toEqual([expected]);
  });

  test("a place for an input that is not declared", async () => {
    expect(await inOne("", "Look at ${target} and $${HOME}.")).toEqual([
      expect.stringMatching(/\$\{target\} is filled in only if "inputs" declares it$/),
    ]);
  });

  test("no prompt at all", async () => {
    expect(await inOne("", "")).toEqual([expect.stringMatching(/it has no prompt$/)]);
    expect(await inOne("tape: [{ answer: x }]", "")).toEqual([]);
  });

  test("a prompt that its program would cut off", async () => {
    expect(await inOne("backend: copilot", "x".repeat(30_001))).toEqual([
      expect.stringMatching(/prompt has 30001 characters; copilot takes 30000$/),
    ]);
  });

  test("models of agents that another program runs are its own matter", async () => {
    expect(await inOne("backend: codex\nmodel: gpt-99")).toEqual([]);
  });

  test("two agents that cannot be told apart", async () => {
    const [finding, ...others] = await found({
      ".cadre/agents/api-reviewer.md": agent("description: Reviews the code of changes for bugs"),
      ".cadre/agents/code-checker.md": agent("description: Review code of the change, for bugs"),
      ".cadre/agents/writer.md": agent("description: Writes release notes"),
    });
    expect(finding).toMatch(
      /^problem \.cadre\/agents\/api-reviewer\.md: "api-reviewer" can hardly be told from "code-checker"/,
    );
    expect(others).toEqual([]);
  });

  test("an agent that hides another is no mistake", async () => {
    const same = agent("name: a\ndescription: Does it");
    expect(await found({ ".cadre/agents/a.md": same, ".claude/agents/a.md": same })).toEqual([
      expect.stringMatching(/^note .claude\/agents\/a\.md: .* is hidden by/),
    ]);
  });
});

describe("what is found in a path:", () => {
  test("only what lies there, in our own format", async () => {
    const files = { "drafts/a.md": agent("descripton: x"), ".cadre/agents/b.md": agent("descripton: x") };
    expect(await found(files, "drafts/a.md")).toEqual([
      'problem drafts/a.md:2:1: unknown key "descripton"; did you mean "description"?',
    ]);
  });

  test("or in another program's, where it lies in its place", async () => {
    const files = {
      ".claude/agents/a.md": "---\nname: a\n---\nx\n",
      ".claude/agents/b.md": agent("name: b\ndescription: Sees: all"),
    };
    expect(await found(files, ".claude/agents")).toEqual([
      expect.stringMatching(/^problem \.claude\/agents\/a\.md: a: it has no description/),
      expect.stringMatching(/^note \.claude\/agents\/b\.md: b: repaired: description/),
    ]);
  });

  test("outside of the project only for a person", async () => {
    const { conversion, userHome } = await project({});
    await expect(conversion.check({ path: userHome, anywhere: false })).rejects.toThrow("is outside of the project");
    await expect(conversion.check({ path: "../home", anywhere: false })).rejects.toThrow("is outside of the project");
    expect(await conversion.check({ path: userHome, anywhere: true })).toEqual({ checked: 0, findings: [] });
    await expect(conversion.check({ path: "missing", anywhere: true })).rejects.toThrow("missing cannot be opened");
  });
});

describe("a new agent:", () => {
  test("loads as it is, with nothing to find", async () => {
    const { conversion, text } = await project({});
    expect(await conversion.create("helper", 'Says: "hi" # not a comment')).toEqual({
      file: ".cadre/agents/helper.md",
    });
    expect(await text(".cadre/agents/helper.md")).toContain("# permission_mode: default");
    expect(await conversion.check({ anywhere: false })).toEqual({ checked: 1, findings: [] });
  });

  test.each([
    ["helper.md", "nothing that can be read"],
    ["helper.yml", "description: d\nprompt: p\n"],
    ["other.md", agent("name: Helper\ndescription: d")],
  ])("does not take the place of %s", async (file, content) => {
    const { conversion, files, text } = await project({ [`.cadre/agents/${file}`]: content });
    await expect(conversion.create("helper", undefined)).rejects.toThrow("there is an agent of that name");
    expect(await files()).toEqual([`.cadre/agents/${file}`]);
    expect(await text(`.cadre/agents/${file}`)).toBe(content);
  });

  test.each(["../x", "a b", ""])("is not called %j", async (name) => {
    const { conversion, files } = await project({});
    await expect(conversion.create(name, undefined)).rejects.toMatchObject({ code: "input.invalid" });
    expect(await files()).toEqual([]);
  });
});

test("descriptions are compared by their words, less those that all have", () => {
  const pairs = (...descriptions: string[]) => alikePairs(descriptions.map((description) => ({ description }))).length;
  expect(pairs("Use this agent to review code", "Use this agent to write code")).toBe(0);
  expect(pairs("Reviews code.", "reviews code")).toBe(1);
  expect(pairs("Reviews code", "Reviews code and tests and documents")).toBe(0);
});
