import { describe, expect, it } from "vitest";
import { goose } from "../../../src/definitions/formats/goose/goose.ts";
import { agentIn, backFrom, define, problemsOf } from "./foreign.ts";

describe("an agent of Goose", () => {
  it("is read field by field", () => {
    const { definition } = agentIn(goose, "---\nname: Code Reviewer\nmodel: gpt-5\ncolor: red\n---\n# Look\n", "x.md");
    expect(definition).toEqual(
      define({
        name: "code-reviewer",
        display_name: "Code Reviewer",
        description: "Look",
        prompt: "# Look",
        model: "gpt-5",
        workspace: { allow_writes: true },
        x: { goose: { name: "Code Reviewer", color: "red" } },
      }),
    );
    expect(backFrom(goose, definition).definition).toEqual({ ...definition, description: "Look" });
  });

  it("is held to tools that Goose passes over, and never given them back", () => {
    const text = "---\nname: a\ndescription: d\ntools: Read, Grep\n---\np\n";
    const { definition, said } = agentIn(goose, text, "a.md");
    expect(definition.tools).toEqual(["Read", "Grep"]);
    expect(said).toContain("narrowed tools");
    expect(goose.write?.(definition).text).not.toContain("tools:");
  });

  it("that inherits its model names none", () => {
    const { text, file } = backFrom(goose, define({ workspace: { allow_writes: true } }));
    expect({ text, file }).toEqual({ file: "a.md", text: "---\nname: a\ndescription: d\n---\n\np\n" });
  });
});

const RECIPE = `version: 1.0.0
title: Release notes
description: Writes release notes
instructions: Write notes for {{ tag }} in {{ style }}. Costs \${tag}.
prompt: "Begin with {{ tag }}."
parameters:
  - { key: tag, input_type: string, requirement: required, description: The tag }
  - { key: style, input_type: select, requirement: optional, default: short, options: [short, long], description: s }
settings: { goose_provider: openai, goose_model: gpt-5, temperature: 0.3, max_turns: 9 }
extensions:
  - { type: builtin, name: developer, available_tools: [shell] }
  - { type: stdio, name: github, cmd: gh-mcp, available_tools: [search] }
  - { type: platform, name: summon }
response:
  json_schema: { type: object }
sub_recipes: [{ name: x, path: x.yaml }]
`;

describe("a recipe of Goose", () => {
  it("is read field by field", () => {
    const { definition, said } = agentIn(goose, RECIPE, "release.yaml");
    expect(definition).toMatchObject({
      name: "release",
      display_name: "Release notes",
      description: "Writes release notes",
      prompt: "Write notes for ${tag} in ${style}. Costs $${tag}.",
      query: "Begin with ${tag}.",
      inputs: [
        { name: "tag", type: "string", required: true, description: "The tag" },
        { name: "style", type: "string", required: false, default: "short" },
      ],
      model: "openai/gpt-5",
      temperature: 0.3,
      max_turns: 9,
      output: { schema: { type: "object" } },
      tools: ["Bash", "Read", "Glob", "Grep", "List", "mcp__github__search"],
    });
    expect(said).toEqual(expect.arrayContaining(["narrowed extensions", "narrowed sub_recipes"]));
  });

  it("goes back into a recipe, with its parameters and extensions", () => {
    const { definition } = agentIn(goose, RECIPE, "release.yaml");
    const back = backFrom(goose, definition);
    expect(back.file).toBe("release.yaml");
    expect(back.definition).toEqual(definition);
    expect(back.text).toContain("Costs ${tag}.");
    expect(back.text).toContain("cmd: gh-mcp");
  });

  it("is what an agent becomes that says more than an agent of Goose can", () => {
    const definition = define({
      tools: ["Write", "Edit"],
      max_turns: 3,
      inputs: [{ name: "x", type: "integer", default: 4 }],
      prompt: "Do ${x}.",
      workspace: { allow_writes: true },
    });
    const back = backFrom(goose, definition);
    expect(back.definition).toMatchObject({
      tools: ["Write", "Edit"],
      max_turns: 3,
      prompt: "Do ${x}.",
      inputs: [{ name: "x", type: "number", default: 4 }],
    });
  });

  it.each([
    ["no extensions at all", "", undefined],
    ["an empty list of them", "extensions: []", []],
    ["something that is no list", "extensions: all", []],
    [
      "all of an extension",
      "extensions: [{type: builtin, name: developer, available_tools: []}]",
      expect.arrayContaining(["Bash", "Edit"]),
    ],
    ["only writing", "extensions: [{type: builtin, name: developer, available_tools: [write]}]", ["Write"]],
    ["delegation", "extensions: [{type: platform, name: summon, available_tools: [delegate]}]", []],
  ])("with %s", (_, extensions, tools) => {
    const text = `title: t\ndescription: d\ninstructions: i\n${extensions}\n`;
    expect(agentIn(goose, text, "a.yaml").definition.tools).toEqual(tools);
  });

  it.each([
    ["a.yaml", "title: t\ndescription: d"],
    ["a.json", '{"title": "t"}'],
  ])("without instructions is a problem: %s", (below, text) => {
    expect(problemsOf(goose, text, below)).toEqual([
      "a: it has neither instructions nor a prompt, so Goose does not take it",
    ]);
  });
});

describe("a recipe that is not what it should be", () => {
  const recipe = (rest: string): string => `version: 1.0.0\ntitle: T\ndescription: D\n${rest}`;

  it("with two servers of one name has the first, and the tools of that one only", () => {
    const text = recipe(`instructions: do it
extensions:
  - { type: stdio, name: x, cmd: one, args: [], available_tools: [a] }
  - { type: stdio, name: x, cmd: two, args: [], available_tools: [b] }
  - { type: stdio, name: constructor, cmd: three, args: [] }
`);
    const { definition, said } = agentIn(goose, text, "a.yaml");
    expect(definition.tools).toEqual(["mcp__x__a", "mcp__constructor__*"]);
    expect(definition.mcp_servers).toMatchObject({ x: { command: "one" }, constructor: { command: "three" } });
    expect(said).toContain("kept extensions");
  });

  it("with defaults that are none of their type takes them as text, and asks for what has none", () => {
    const text = recipe(`instructions: do {{ count }} {{ word }} {{ must }}
parameters:
  - { key: count, input_type: number, requirement: optional, description: c, default: many }
  - { key: word, input_type: string, requirement: optional, description: w, default: 5 }
  - { key: must, input_type: string, requirement: required, description: m, default: null }
`);
    expect(agentIn(goose, text, "a.yaml").definition.inputs).toEqual([
      { name: "count", type: "string", required: false, description: "c", default: "many" },
      { name: "word", type: "string", required: false, description: "w", default: "5" },
      { name: "must", type: "string", required: true, description: "m" },
    ]);
  });

  it.each(["{{ recipe_dir }}", "{{- tag -}}", "{# words #}", "{% if tag %}", "{{ tag | upper }}"])(
    "says that %s is filled in by Goose only",
    (template) => {
      const parameters = "parameters:\n  - { key: tag, input_type: string, requirement: required, description: t }\n";
      const { said } = agentIn(goose, recipe(`instructions: "do {{ tag }} ${template}"\n${parameters}`), "a.yaml");
      expect(said).toContain("kept instructions");
      const plain = agentIn(goose, recipe(`instructions: "do {{ tag }}"\n${parameters}`), "a.yaml");
      expect(plain.said).not.toContain("kept instructions");
    },
  );
});
