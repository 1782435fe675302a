import { describe, expect, it } from "vitest";
import { opencode } from "../../../src/definitions/formats/opencode/opencode.ts";
import { agentIn, backFrom, define, problemsOf } from "./foreign.ts";

const md = (settings: string, below = "a.md") => agentIn(opencode, `---\n${settings}\n---\nLook closely.\n`, below);

describe("a file of opencode", () => {
  it("is read field by field", () => {
    const { definition } = md(
      [
        "description: Use after a handler changes.",
        "mode: subagent",
        "model: anthropic/claude-sonnet-5",
        "variant: high",
        "temperature: 0.2",
        "top_p: 0.9",
        "steps: 12",
        'color: "#ff0000"',
        "hidden: true",
        "permission: { edit: deny }",
      ].join("\n"),
      "api-checker.md",
    );
    expect(definition).toMatchObject({
      name: "api-checker",
      description: "Use after a handler changes.",
      capabilities: ["subtask"],
      model: "anthropic/claude-sonnet-5",
      effort: "high",
      temperature: 0.2,
      top_p: 0.9,
      max_turns: 12,
      prompt: "Look closely.",
      tools: { mode: "denylist", deny: ["Edit", "Write"] },
      x: { opencode: { color: "#ff0000", hidden: true, permission: { edit: "deny" } } },
    });
  });

  it.each([
    ["primary", ["primary"]],
    ["subagent", ["subtask"]],
    ["all", ["primary", "subtask"]],
  ])("in mode %s may be started as %j", (mode, capabilities) => {
    const { definition } = md(`description: d\nmode: ${mode}`);
    expect(definition.capabilities).toEqual(capabilities);
    expect(opencode.write?.(definition).text).toContain(`mode: ${mode}`);
  });

  it("is called by its path, and goes back to it", () => {
    const { definition, file } = backFrom(opencode, md("description: d", "review/api.md").definition);
    expect(md("description: d", "review/api.md").definition.name).toBe("review-api");
    expect(file).toBe("review/api.md");
    expect(definition.prompt).toBe("Look closely.");
  });

  it("never goes back to a place outside of the agents", () => {
    expect(opencode.write?.(define({ name: "x", x: { opencode: { _name: "../../x" } } })).file).toBe("x.md");
  });

  it("does without a description", () => {
    const { definition, said } = md("mode: subagent");
    expect(definition.description).toBe("Look closely.");
    expect(said).toContain("repaired description");
  });

  it("that leaves every right open is written back without any", () => {
    const { definition } = md("description: d");
    expect(definition).toMatchObject({ permission_mode: "default", workspace: { allow_writes: true } });
    expect(opencode.write?.(definition).text).not.toContain("permission");
  });

  it("is written back as it was, unless its rights have been changed", () => {
    const permission = '{ "*": deny, read: allow, skill: deny, bash: { "git *": allow, "git push": deny } }';
    const { definition } = md(`description: d\npermission: ${permission}`);
    const same = backFrom(opencode, definition);
    expect(same.definition).toEqual(definition);
    const changed = backFrom(opencode, { ...definition, tools: ["Grep"] });
    expect(changed.text).toContain('permission:\n  "*": deny\n  grep: allow\n  skill: deny\n');
    expect(changed.definition.tools).toEqual(["Grep"]);
  });

  it.each([
    ["disabled there", "description: d\ndisable: true", "a: disabled there"],
    ["no map", "- description", /^the settings are not a map/],
  ])("is a problem of one line where it is %s", (_, settings, problem) => {
    const [found] = problemsOf(opencode, `---\n${settings}\n---\np\n`, "a.md");
    expect(found).toMatch(problem);
  });

  it("with far too many rules is a problem", () => {
    const rules = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`c${index} *`, "deny"]));
    const text = `---\ndescription: d\npermission: ${JSON.stringify({ bash: rules })}\n---\np\n`;
    expect(problemsOf(opencode, text, "a.md")).toEqual(["a: it has more than 500 permission rules"]);
  });
});

describe("opencode.json", () => {
  const config = `{
    // comments and trailing commas are at home here
    "agent": {
      "reviewer": { "description": "Reviews", "prompt": "Look.", "tools": { "bash": false }, },
      "build": { "model": "openai/gpt-5" },
      "elsewhere": { "description": "d", "prompt": "{file:./prompts/x.txt}" },
      "broken": 5,
    },
  }`;

  it("holds several agents, and one that cannot be read hides none of the others", () => {
    const problems = problemsOf(opencode, config, "opencode.jsonc");
    expect(problems).toEqual([
      null,
      "elsewhere: its prompt is in another file, ./prompts/x.txt, which is not read",
      "broken: it is not a map",
    ]);
    const [first] = opencode.read({ path: "opencode.jsonc", below: "opencode.jsonc", text: config });
    expect(first).toMatchObject({ definition: { name: "reviewer", prompt: "Look.", tools: { deny: ["Bash"] } } });
  });

  it("without agents has none", () => {
    expect(problemsOf(opencode, '{"model": "x/y"}', "opencode.json")).toEqual([]);
  });
});
