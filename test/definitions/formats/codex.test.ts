import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codex } from "../../../src/definitions/formats/codex.ts";
import { PermissionMode } from "../../../src/schema/index.ts";
import { agentIn, backFrom, define, problemsOf } from "./foreign.ts";

const role = (more = "") =>
  agentIn(codex, `name = "a"\ndescription = "d"\ndeveloper_instructions = "Look."\n${more}\n`, "a.toml");

describe("a role of Codex", () => {
  it("is read field by field", () => {
    const { definition } = role('model = "gpt-5.4"\nmodel_reasoning_effort = "high"\nnickname_candidates = ["Al"]');
    expect(definition).toEqual(
      define({
        prompt: "Look.",
        model: "openai/gpt-5.4",
        effort: "high",
        workspace: { allow_writes: true },
        x: { codex: { nickname_candidates: ["Al"] } },
      }),
    );
    expect(backFrom(codex, definition).definition).toEqual(definition);
  });

  it("that wished for a sandbox only reads here, and says so", () => {
    const { definition, said } = role('sandbox_mode = "read-only"');
    expect(definition).toMatchObject({
      permission_mode: "plan",
      tools: ["Read", "Glob", "Grep", "List"],
      workspace: { allow_writes: false },
    });
    expect(said).toContain("narrowed sandbox_mode");
  });

  it.each(["workspace-write", "danger-full-access"])("with the sandbox %s asks as any other", (sandbox) => {
    expect(role(`sandbox_mode = "${sandbox}"`).definition).toMatchObject({ permission_mode: "default", x: {} });
  });

  it("without a shell has none here", () => {
    const { definition } = role("[features]\nshell_tool = false\napps = false");
    expect(definition.tools).toMatchObject({ deny: ["Bash"] });
    expect(backFrom(codex, definition).definition).toEqual(definition);
  });

  it.each(PermissionMode.options)(
    "cannot be held to the permission mode %s, and does not look so",
    (permission_mode) => {
      const { text, definition } = backFrom(codex, define({ permission_mode, tools: ["Read"] }));
      expect(text).not.toMatch(/sandbox|approval|tools/);
      expect(definition).toMatchObject({ permission_mode: "default", workspace: { allow_writes: true } });
      expect(definition.tools).toBeUndefined();
    },
  );

  it("is not given back a sandbox that Codex passes over", () => {
    expect(codex.write?.(role('sandbox_mode = "read-only"').definition).text).not.toContain("sandbox");
  });

  it.each([
    ["anthropic/claude-sonnet-5", undefined],
    ["sonnet", undefined],
    ["inherit", undefined],
    ["openai/gpt-5.4", 'model = "gpt-5.4"'],
  ])("is written with the model %s only where Codex has it", (model, line) => {
    const text = codex.write?.(define({ model })).text ?? "";
    expect(/^model = .*/m.exec(text)?.[0]).toBe(line);
  });

  it("keeps any prompt as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const prompt = `x${text}\nx`;
        expect(backFrom(codex, define({ prompt })).definition.prompt).toBe(prompt);
      }),
    );
  });

  it.each([
    ["no TOML", "name = ", /^this is not TOML/],
    ["no description", 'name = "a"\ndeveloper_instructions = "x"', /no description/],
    ["no instructions", 'name = "a"\ndescription = "d"', /no developer_instructions/],
    ["nothing", "", /no name/],
  ])("is a problem of one line where there is %s", (_, text, problem) => {
    expect(problemsOf(codex, text, "a.toml")).toEqual([expect.stringMatching(problem)]);
  });
});

describe("config.toml of Codex", () => {
  it("holds roles, settings for all of them, and names of files that are found by themselves", () => {
    const text = [
      'model = "gpt-5.4"',
      "[agents]",
      "max_threads = 4",
      "[agents.inline]",
      'description = "d"',
      'developer_instructions = "Look."',
      "[agents.near]",
      'description = "d"',
      'config_file = "./agents/near.toml"',
      "[agents.far]",
      'description = "d"',
      'config_file = "../elsewhere/far.toml"',
    ].join("\n");
    expect(problemsOf(codex, text, "config.toml")).toEqual([null, expect.stringMatching(/^far: .*far\.toml/)]);
  });

  it("without roles has none", () => {
    expect(problemsOf(codex, 'model = "gpt-5.4"', "config.toml")).toEqual([]);
  });
});
