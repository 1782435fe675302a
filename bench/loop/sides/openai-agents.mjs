// OpenAI's Agents SDK: workers as tools of the lead. Nothing is kept.
import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import * as z from "zod";
import { answerSide, expectAnswer, LOOKED, together } from "../answer-side.ts";

setTracingDisabled(true);
const instructions = "You look at places and say what you found.";
const look = tool({
  name: "Look",
  description: "Looks at a place.",
  parameters: z.object({ at: z.string() }),
  execute: async () => LOOKED,
});

answerSide(({ model: address, prompt, count }) => {
  const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none" });
  const model = new OpenAIChatCompletionsModel(client, "scripted");
  const worker = new Agent({ name: "worker", instructions, model, tools: [look] });
  const delegate = worker.asTool({
    toolName: "worker",
    toolDescription: "Looks at places",
    runOptions: { maxTurns: 50 },
    onStream: () => undefined, // with it a worker's replies are streamed, as the lead's are
  });
  const lead = new Agent({ name: "lead", instructions, model, tools: [delegate] });
  const runner = new Runner({ tracingDisabled: true });
  return together(count, async () => {
    const agent = prompt.startsWith("lead") ? lead : worker;
    const result = await runner.run(agent, prompt, { stream: true, maxTurns: 50 });
    await result.toTextStream().pipeTo(new WritableStream());
    await result.completed;
    expectAnswer(result.finalOutput);
  });
});
