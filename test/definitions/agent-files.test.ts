import { describe, expect, it } from "vitest";
import { readAgentYaml } from "../../src/definitions/own-format/read-agent.ts";
import { definitionIn, markdown, problemsIn } from "./read.ts";

describe("a Markdown file", () => {
  it("holds the settings between lines of dashes, and the prompt after them", () => {
    expect(
      definitionIn("---\nname: Reviewer\ndescription: Reads code\nmax_turns: 7\n---\n\nYou review.\n\nBe kind.\n"),
    ).toEqual({
      name: "Reviewer",
      description: "Reads code",
      kind: "local",
      capabilities: ["subtask"],
      model: "inherit",
      prompt: "You review.\n\nBe kind.",
      inputs: [],
      permission_mode: "default",
      policy: {},
      workspace: { mode: "shared", allow_writes: false },
      max_turns: 7,
      completion: { gates: [], nudges: 3 },
      background: false,
      memory: "project",
      x: {},
    });
  });

  it("with a prompt in its settings has a body for readers only", () => {
    const x = { cadre: { body: "How we use this agent" } };
    expect(definitionIn(markdown("prompt: Review it.", "How we use this agent\n"))).toMatchObject({
      prompt: "Review it.",
      x,
    });
    expect(definitionIn(markdown('system-prompt: ""', "How we use this agent"))).toMatchObject({ prompt: "", x });
    expect(definitionIn(markdown("prompt: Review it.", " \n")).x).toEqual({});
  });

  it("keeps what it says for other programs, each under a key of its own", () => {
    const settings = "x-claude: {color: red, hooks: {Stop: []}}\nx-cadre: {note: 1}\nprompt: p";
    expect(definitionIn(markdown(settings, "body")).x).toEqual({
      claude: { color: "red", hooks: { Stop: [] } },
      cadre: { note: 1, body: "body" },
    });
    expect(problemsIn(markdown("x-claude: red\nx-Claude: {}\nx: {claude: {}}\nx-gemini: {a: .nan}"))).toEqual([
      '3:11: "x-claude" must be a map, not "red"',
      '4:1: unknown key "x-Claude"',
      '5:1: unknown key "x"',
      expect.stringContaining('6:15: "x-gemini.a" must be '),
    ]);
  });

  it("may end with its settings", () => {
    expect(definitionIn("---\ndescription: d\n---").prompt).toBe("");
    expect(definitionIn("---\ndescription: d\n---\n").prompt).toBe("");
  });

  it("gives the same prompt with either kind of line end, and with a byte order mark", () => {
    const text = markdown("prompt: |\n  one\n  two");
    expect(definitionIn(text.replaceAll("\n", "\r\n"))).toEqual(definitionIn(text));
    expect(definitionIn(`\uFEFF${text}`)).toEqual(definitionIn(text));
    expect(definitionIn(markdown("max_turns: 1", "one\r\ntwo\r\n")).prompt).toBe("one\ntwo");
  });

  it("may have dashes in its body and blanks after those around its settings", () => {
    expect(definitionIn("---  \ndescription: d\n---\t\none\n---\ntwo").prompt).toBe("one\n---\ntwo");
  });

  it("takes only a whole line of three dashes for the end of its settings", () => {
    expect(definitionIn("---\ndescription: d\ndisplay_name: a\u2028---\n---\nbody").display_name).toBe("a\u2028---");
    expect(definitionIn("---\ndescription: |\n  ---\n  ----\n---\nbody").description).toBe("---\n----\n");
  });

  it("with nothing between the dashes lacks what every agent needs, and no more", () => {
    expect(problemsIn("---\n---\nbody")).toEqual(['1:1: "description" is missing']);
    expect(problemsIn("---\r\n---\r\n")).toEqual(['1:1: "description" is missing']);
  });

  it("without settings, or with settings that never end, is refused at its first line", () => {
    const begin = "1:1: the file must begin with a line of three dashes (---) and the agent's settings";
    expect(problemsIn("# Notes\n")).toEqual([begin]);
    expect(problemsIn("")).toEqual([begin]);
    expect(problemsIn("\n---\ndescription: d\n---\n")).toEqual([begin]);
    expect(problemsIn("----\ndescription: d\n---\n")).toEqual([begin]);
    expect(problemsIn("---\ndescription: d\n")).toEqual([
      "1:1: the settings that begin here are never closed by a line of three dashes (---)",
    ]);
  });
});

describe("a YAML file", () => {
  it("is the definition, with the prompt inside", () => {
    const read = definitionIn("description: Reads code\nprompt: |\n  You review.\n  Be kind.\n", "agents/reviewer.yml");
    expect(read).toMatchObject({ name: "reviewer", prompt: "You review.\nBe kind.\n" });
  });

  it("may begin with a line of dashes, but not hold a second document", () => {
    expect(definitionIn("---\ndescription: d\n", "a.yaml").description).toBe("d");
    expect(problemsIn("---\ndescription: d\n---\ndescription: e\n", "a.yaml")).toEqual([
      "3:1: a second YAML document begins here: a file holds one agent",
    ]);
  });

  it("must be a map", () => {
    expect(problemsIn("- a\n", "a.yaml")).toEqual(["1:1: the definition must be a map, not a list"]);
    expect(problemsIn("hello", "a.yaml")).toEqual(['1:1: the definition must be a map, not "hello"']);
    expect(problemsIn("", "a.yaml")).toEqual(['1:1: "description" is missing']);
  });

  it("is read by the rules of YAML 1.2, whatever version it asks for", () => {
    expect(problemsIn("%YAML 1.1\n---\ndescription: d\nworkspace:\n  allow_writes: yes\n", "a.yml")).toEqual([
      '5:17: "workspace.allow_writes" must be true or false, not "yes"',
    ]);
  });

  it("that asks for a version nobody knows is read with a warning", () => {
    expect(readAgentYaml("%YAML 3.0\n---\ndescription: d\n", "a.yml")).toMatchObject({
      ok: true,
      warnings: ["line 1: Unsupported YAML version 3.0"],
    });
  });
});

describe("an agent's name", () => {
  it("is the file's where the definition has none", () => {
    expect(definitionIn(markdown("max_turns: 1"), "some/where/bug-Hunter_2.md").name).toBe("bug-Hunter_2");
    expect(definitionIn("description: d", "fixer.yaml").name).toBe("fixer");
    expect(definitionIn(markdown("name: other"), "some/where/fixer.md").name).toBe("other");
  });

  it("that cannot be one is refused with a better one", () => {
    expect(problemsIn(markdown("name: Prüfer & Co."))).toEqual([
      '3:7: "Prüfer & Co." cannot be an agent\'s name: 1 to 64 letters, digits, "_" and "-"; try "prufer-co"',
    ]);
    expect(problemsIn("description: d", "my agent.yml")).toEqual([
      '1:1: "my agent" cannot be an agent\'s name: 1 to 64 letters, digits, "_" and "-"; try "my-agent"',
    ]);
    expect(problemsIn(markdown(`name: ${"ab ".repeat(30)}c`))[0]).toMatch(/; try "(ab-){21}a"$/);
  });

  it("of which no letter is left is refused without a guess", () => {
    expect(problemsIn(markdown("name: ←→"))[0]).toMatch(/"_" and "-"$/);
    expect(problemsIn(markdown('name: ""'))[0]).toMatch(/"_" and "-"$/);
  });
});

describe("the spelling of a key", () => {
  it("may be snake_case, kebab-case or camelCase, at the top and below", () => {
    const snake = definitionIn(markdown("permission_mode: auto\nmax_turns: 3\nworkspace:\n  allow_writes: true"));
    expect(snake).toMatchObject({ permission_mode: "auto", max_turns: 3, workspace: { allow_writes: true } });
    expect(definitionIn(markdown("permission-mode: auto\nmax-turns: 3\nworkspace:\n  allow-writes: true"))).toEqual(
      snake,
    );
    expect(definitionIn(markdown("permissionMode: auto\nmaxTurns: 3\nworkspace:\n  allowWrites: true"))).toEqual(snake);
  });

  it("may vary in lists and where one of several kinds may stand", () => {
    const tape = "tape:\n  - pause-ms: 5\n  - spend: {micro-usd: 1, tokens: 2}\n  - pauseMs: 6";
    expect(definitionIn(markdown(tape)).tape).toEqual([
      { pause_ms: 5 },
      { spend: { microUsd: 1, tokens: 2 } },
      { pause_ms: 6 },
    ]);
  });

  it("is left alone in what is not ours", () => {
    const output = "output:\n  schema:\n    maxTurns: 1\n    max-turns: 2\n    allow-writes: {maxTurns: 3}";
    expect(definitionIn(markdown(output)).output?.schema).toEqual({
      maxTurns: 1,
      "max-turns": 2,
      "allow-writes": { maxTurns: 3 },
    });
  });

  it("may be another word that a seed of the format used", () => {
    expect(definitionIn(markdown("backends: [claude, native]")).backend).toEqual(["claude", "native"]);
    expect(definitionIn(markdown("systemPrompt: p")).prompt).toBe("p");
    expect(problemsIn(markdown("backend: tape\nbackends: [tape]"))).toEqual([
      '4:1: "backends" is the same key as "backend", which stands here already',
    ]);
  });

  it("may not vary so that one key stands there twice", () => {
    expect(problemsIn(markdown("max_turns: 3\nmaxTurns: 4"))).toEqual([
      '4:1: "maxTurns" is the same key as "max_turns", which stands here already',
    ]);
    expect(problemsIn(markdown("workspace: {allow-writes: true, allowWrites: true}"))).toEqual([
      '3:33: "allowWrites" is the same key as "allow-writes", which stands here already',
    ]);
  });
});
