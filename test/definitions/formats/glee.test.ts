import { describe, expect, it } from "vitest";
import { glee } from "../../../src/definitions/formats/glee.ts";
import { agentIn, backFrom, define, problemsOf } from "./foreign.ts";

const FULL = `name: security-scanner
description: Scan code for security vulnerabilities
agent: codex
prompt: |
  Analyze \${target_file} for security issues.
source:
  from: claude
  file: .claude/agents/security-scanner.md
timeout_mins: 8
max_output_kb: 50
inputs:
  - name: target_file
    type: string
    description: File to analyze
    required: true
  - name: severity
    default: "medium"
tools:
  - read_file
  - grep
  - web_search
  - delegate_to_agent
labels: [x]
`;

describe("a file of Glee", () => {
  it("is read field by field", () => {
    const { definition, said } = agentIn(glee, FULL, "security-scanner.yml");
    expect(definition).toEqual(
      define({
        name: "security-scanner",
        description: "Scan code for security vulnerabilities",
        backend: "codex",
        prompt: "Analyze ${target_file} for security issues.",
        timeout_mins: 8,
        max_output_kb: 50,
        inputs: [
          { name: "target_file", type: "string", description: "File to analyze", required: true },
          { name: "severity", type: "string", default: "medium" },
        ],
        tools: ["Read", "Grep", "WebSearch"],
        x: {
          glee: {
            source: { from: "claude", file: ".claude/agents/security-scanner.md" },
            tools: ["delegate_to_agent"],
            labels: ["x"],
          },
        },
      }),
    );
    expect(said).toContain("narrowed tools");
    expect(backFrom(glee, definition).definition).toEqual(definition);
  });

  it("has five minutes where it does not say how many, and is written back without a word on it", () => {
    const { definition } = agentIn(glee, "name: a\ndescription: d\nprompt: p\n", "a.yml");
    expect(definition).toMatchObject({ timeout_mins: 5, workspace: { allow_writes: false } });
    expect(glee.write?.(definition).text).toBe("name: a\ndescription: d\nprompt: p\n");
  });

  it("says where its agent came from, if that was another program", () => {
    const source = { from: "gemini", file: ".gemini/agents/a.md", imported_at: "2026-11-15T12:00:00Z" };
    expect(glee.write?.(define({ source })).text).toContain("source:\n  from: gemini\n");
    expect(glee.write?.(define({ source: { ...source, from: "glee" } })).text).not.toContain("source");
  });

  it.each([
    ["no prompt", "name: a\ndescription: d", "a: it has no prompt, so Glee does not take it"],
    ["no description", "name: a\nprompt: p", "a: it has no description, so Glee does not take it"],
    ["inputs that are none", "name: a\ndescription: d\nprompt: p\ninputs: 5", "a: inputs is not a list"],
    ["an input without a name", "name: a\ndescription: d\nprompt: p\ninputs: [{}]", /^a: inputs: number 1: /],
  ])("is a problem of one line where there is %s", (_, text, problem) => {
    expect(problemsOf(glee, text, "a.yml")[0]).toMatch(problem);
  });
});
