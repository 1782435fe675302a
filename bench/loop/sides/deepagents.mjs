// deepagents: a lead with one kind of worker, on LangGraph. Nothing is kept: no checkpointer.
import { ChatOpenAI } from "@langchain/openai";
import { createDeepAgent } from "deepagents";
import { tool } from "langchain";
import * as z from "zod";
import { answerSide, expectAnswer, LOOKED, together } from "../answer-side.ts";

const systemPrompt = "You look at places and say what you found.";
const look = tool(async () => LOOKED, {
  name: "Look",
  description: "Looks at a place.",
  schema: z.object({ at: z.string() }),
});

answerSide(({ model: address, prompt, count }) => {
  const model = new ChatOpenAI({
    model: "scripted",
    apiKey: "none",
    configuration: { baseURL: `${address}/v1` },
  });
  const worker = { name: "worker", description: "Looks at places", systemPrompt, tools: [look] };
  const agent = createDeepAgent({ model, systemPrompt, tools: [look], subagents: [worker] });
  return together(count, async () => {
    const asked = { messages: [{ role: "user", content: prompt }] };
    // In this mode replies are streamed; the option `streaming` of the model would fetch tables of tokens for it.
    const parts = await agent.stream(asked, { recursionLimit: 200, streamMode: ["messages", "values"] });
    let last;
    for await (const [mode, part] of parts) if (mode === "values") last = part.messages.at(-1);
    expectAnswer(last?.text);
  });
});
