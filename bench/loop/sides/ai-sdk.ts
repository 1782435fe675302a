// The bare loop of the AI SDK: no log, no policy, no budget. The same provider package that our own loop uses.
import { createOpenAI } from "@ai-sdk/openai";
import { isStepCount, jsonSchema, streamText, tool } from "ai";
import { answerSide, expectAnswer, LOOKED, together } from "../answer-side.ts";
import type { Work } from "../side.ts";

const look = tool({
  description: "Looks at a place.",
  inputSchema: jsonSchema<{ at: string }>({
    type: "object",
    properties: { at: { type: "string" } },
    required: ["at"],
    additionalProperties: false,
  }),
  execute: async () => LOOKED,
});

async function one({ model, prompt }: Work): Promise<void> {
  const provider = createOpenAI({ baseURL: `${model}/v1`, apiKey: "none" });
  const { text } = streamText({
    model: provider.chat("scripted"),
    instructions: "You look at places and say what you found.",
    prompt,
    tools: { Look: look },
    stopWhen: isStepCount(50),
  });
  expectAnswer(await text);
}

answerSide((work: Work) => together(work.count, () => one(work)));
