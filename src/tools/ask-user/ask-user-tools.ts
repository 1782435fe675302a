import * as z from "zod";
import type { Attempt, AttemptScope, Tool, Toolbox, ToolResult } from "../../ports/index.ts";
import type { Answer } from "../../schema/index.ts";
import { defineTool, done, failed } from "../define-tool.ts";

const Input = z.strictObject({
  question: z.string().trim().min(1).max(4000).describe("One question, with all that is needed to answer it."),
  options: z
    .array(z.string().trim().min(1).max(400))
    .min(2)
    .max(10)
    .optional()
    .describe("Answers to choose from. The person may still answer something else."),
});
type Input = z.infer<typeof Input>;

/** AskUser. */
export const askUserTools = (): Toolbox => async (attempt, scope) => ({
  tools: [askUser(attempt.task, scope)],
  [Symbol.asyncDispose]: async () => undefined,
});

const ON_YOUR_OWN =
  "Do not ask again: decide by yourself, take the choice that does the least harm and is easiest to undo, and say in your answer what you have assumed.";

function askUser({ spec }: Attempt["task"], scope: Pick<AttemptScope, "ask">): Tool {
  const ask = async (input: Input): Promise<ToolResult> => {
    if (spec.askable === "nobody") return failed(`There is nobody to ask. ${ON_YOUR_OWN}`);
    const question = { kind: "question", title: `${spec.definition.name} asks`, body: bodyOf(input) } as const;
    return resultOf(await scope.ask(question, "result"), input);
  };
  return defineTool({
    name: "AskUser",
    description:
      "Asks the person who started this a question, and waits for the answer. Only for what you cannot find out or decide by yourself.",
    effect: "none",
    input: Input,
    plan: () => ({ ok: true, use: { effect: "none" } }),
    run: ask,
    reattach: "again", // a question whose answer nobody lived to hear is taken up where it is put again
  });
}

const bodyOf = ({ question, options = [] }: Input): string =>
  [question, ...(options.length === 0 ? [] : ["", ...options.map((option, at) => `${at + 1}. ${option}`)])].join("\n");

function resultOf(answer: Answer, { options = [] }: Input): ToolResult {
  switch (answer.verdict) {
    case "text": {
      const chosen = /^\s*\d+\s*$/.test(answer.text) ? options[Number(answer.text) - 1] : undefined;
      return done(`The person answered: ${chosen ?? answer.text}`);
    }
    case "allow":
      return done("The person answered: yes");
    case "deny":
      return failed(
        `The answer is no, or there is none${answer.note === undefined ? "" : ` (${answer.note})`}. ${ON_YOUR_OWN}`,
      );
  }
}
