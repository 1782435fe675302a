// OpenAI's Agents SDK: workers as tools of the lead. Nothing is kept.
import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import * as z from "zod";
import { answerSide, expectAnswer, LOOKED, together } from "../answer-side.ts";

setTracingDisabled(true);
const isStreamed = process.env["BENCH_STREAM"] !== "0";
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
    ...(isStreamed ? { onStream: () => undefined } : {}),
  });
  const lead = new Agent({ name: "lead", instructions, model, tools: [delegate] });
  const runner = new Runner({ tracingDisabled: true });
  return together(count, async () => {
    const result = await runner.run(prompt.startsWith("lead") ? lead : worker, prompt, {
      stream: isStreamed,
      maxTurns: 50,
    });
    if (isStreamed) {
      for await (const _event of result);
      await result.completed;
    }
    expectAnswer(result.finalOutput);
  });
});
