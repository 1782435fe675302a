import { describe, expect, test } from "vitest";
import type { Attempt, AttemptScope, Question, Tool } from "../../../src/ports/index.ts";
import { type Answer, type Askable, brandId } from "../../../src/schema/index.ts";
import { askUserTools } from "../../../src/tools/ask-user/ask-user-tools.ts";

interface Asked {
  readonly tool: Tool;
  readonly questions: Question[];
}

async function open(answer: Answer, askable: Askable = "inbox"): Promise<Asked> {
  const questions: Question[] = [];
  const attempt = { task: { spec: { definition: { name: "scout" }, askable } } } as unknown as Attempt;
  const ask = async (question: Question) => {
    questions.push(question);
    return answer;
  };
  const { tools } = await askUserTools()(attempt, { ask } as unknown as AttemptScope);
  const [tool] = tools;
  if (tool === undefined) throw new Error("there is no tool");
  return { tool, questions };
}

const CALL = brandId("call", "1");
const text = (said: string): Answer => ({ verdict: "text", text: said });

describe("AskUser", () => {
  test("puts the whole question, and returns the words of the person", async () => {
    const { tool, questions } = await open(text("Keep both."));
    const result = await tool.run({ question: "Which one?", options: ["the old", "the new"] }, CALL);
    expect(questions).toEqual([
      { kind: "question", title: "scout asks", body: "Which one?\n\n1. the old\n2. the new" },
    ]);
    expect(result).toEqual({ ok: true, text: "The person answered: Keep both." });
  });

  test.each([
    [text("2"), "The person answered: the new"],
    [text(" 1\n"), "The person answered: the old"],
    [text("3"), "The person answered: 3"],
    [{ verdict: "allow", scope: "once" } as const, "The person answered: yes"],
  ])("%j is %j", async (answer, says) => {
    const { tool } = await open(answer);
    const result = await tool.run({ question: "Which?", options: ["the old", "the new"] }, CALL);
    expect(result).toEqual({ ok: true, text: says });
  });

  test("without an answer tells the model to decide, and to say so", async () => {
    const { tool } = await open({ verdict: "deny", note: "nobody answered in time" });
    const result = await tool.run({ question: "Which?" }, CALL);
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/nobody answered in time.*decide by yourself.*say in your answer/);
  });

  test("after its worker's death is put once more: whoever is asked knows whether it was answered", async () => {
    const { tool, questions } = await open(text("Both."));
    expect(await tool.reattach?.({ question: "Which?" }, CALL)).toEqual({
      ok: true,
      text: "The person answered: Both.",
    });
    expect(questions).toEqual([{ kind: "question", title: "scout asks", body: "Which?" }]);
  });

  test("asks nobody where nobody can be asked", async () => {
    const { tool, questions } = await open(text("never"), "nobody");
    expect(await tool.run({ question: "Which?" }, CALL)).toMatchObject({
      ok: false,
      text: expect.stringContaining("There is nobody to ask."),
    });
    expect(questions).toEqual([]);
  });

  test.each([
    {},
    { question: " " },
    { question: "Which?", options: ["one"] },
    { question: "Which?", more: 1 },
    "Which?",
  ])("%j is not planned", async (input) => {
    expect((await open(text("x"))).tool.plan(input)).toMatchObject({ ok: false });
  });

  test("is no effect on anything", async () => {
    expect((await open(text("x"))).tool.plan({ question: "Which?" })).toEqual({ ok: true, use: { effect: "none" } });
  });
});
