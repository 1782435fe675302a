import { describe, expect, it } from "vitest";
import { backendsFor } from "../../src/domain/select-backend.ts";

const known = ["native", "tape", "command", "claude", "codex", "gemini", "goose"];

describe("where a task runs that names no agent", () => {
  it.each([
    ["Search web for FastAPI middleware", "gemini"],
    ["Search the web for news", "gemini"],
    ["Review src/parser.ts", "codex"],
    ["Find bugs in the lexer", "codex"],
    ["Draft a release note", "claude"],
    ["What is wrong? Fix it", "gemini"],
    ["Count the files", "native"],
  ])("%s: %s", (prompt, first) => {
    expect(backendsFor(prompt, null, known)[0]).toBe(first);
  });

  it("offers all the others after it, and none that needs a definition of its own", () => {
    expect(backendsFor("fix it", null, known)).toEqual(["codex", "native", "claude", "gemini", "goose"]);
  });

  it("leaves out what is not there", () => {
    expect(backendsFor("fix it", null, ["native", "tape"])).toEqual(["native"]);
  });

  it("is only where the user says, if the user says", () => {
    expect(backendsFor("fix it", "goose", known)).toEqual(["goose"]);
  });
});
