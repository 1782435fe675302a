// A model by script, in a process of its own: OpenAI's Chat Completions as real SSE on loopback. What it replies is
// decided by the first user message and by how many results it has seen, so it keeps no state between requests.
//
//   "work 3"     three calls of `Look`, one per turn, then an answer
//   "lead 10 3"  ten workers in one turn, each with "work 3", then an answer
//
// `/<ms>/v1` answers after so long. `/hold/v1` answers when it is told to: `GET /held` counts who waits, `POST
// /release` lets them go.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

const Request = z.object({
  stream: z.boolean().optional(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});
type Request = z.infer<typeof Request>;

interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** How each framework calls a worker: by the tool that it offers for it. */
const DELEGATE: Readonly<Record<string, (prompt: string) => unknown>> = {
  Task: (prompt) => ({ subagent_type: "worker", prompt }),
  task: (description) => ({ subagent_type: "worker", description }),
  worker: (input) => ({ input }),
};

function callsFor({ messages, tools }: Request): Call[] {
  const asked = JSON.stringify(messages.find(({ role }) => role === "user")?.content ?? "");
  const results = messages.filter(({ role }) => role === "tool").length;
  const lead = /\blead (\d+) (\d+)\b/.exec(asked);
  if (lead !== null) {
    const name = tools.map((tool) => tool.function.name).find((one) => Object.hasOwn(DELEGATE, one)) ?? "Task";
    const input = DELEGATE[name]?.(`work ${lead[2]}`);
    return results > 0 ? [] : Array.from({ length: Number(lead[1]) }, () => ({ name, input }));
  }
  const turns = Number(/\bwork (\d+)\b/.exec(asked)?.[1] ?? 0);
  return results < turns ? [{ name: "Look", input: { at: `place ${results}` } }] : [];
}

let replies = 0;
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function reply(request: Request, response: ServerResponse): void {
  const id = `reply-${++replies}`;
  const calls = callsFor(request).map(({ name, input }, index) => ({
    index,
    id: `call-${replies}-${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const content = calls.length > 0 ? null : "Here is the answer, found as it was asked for.";
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const head = { id, created: 1, model: "scripted" };
  if (request.stream !== true) {
    const message = { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
    response.setHeader("content-type", "application/json");
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage: USAGE }));
    return;
  }
  const deltas =
    content === null
      ? calls.map((call) => ({ tool_calls: [call] }))
      : content.split(/(?<= )/).map((word) => ({ content: word }));
  const chunk = (choices: unknown[], usage: unknown) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, usage })}\n\n`;
  response.setHeader("content-type", "text/event-stream");
  response.write(chunk([{ index: 0, delta: { role: "assistant", content: null }, finish_reason: null }], null));
  for (const delta of deltas) response.write(chunk([{ index: 0, delta, finish_reason: null }], null));
  response.write(chunk([{ index: 0, delta: {}, finish_reason }], null));
  response.write(chunk([], USAGE));
  response.end("data: [DONE]\n\n");
}

const held: (() => void)[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, first = ""] = (request.url ?? "").split("/");
  if (first === "held") return void response.end(String(held.length));
  if (first === "release") {
    for (const letGo of held.splice(0)) letGo();
    return void response.end();
  }
  const asked = Request.parse(await json(request));
  if (first === "hold") await new Promise<void>((resolve) => held.push(resolve));
  else if (Number(first) > 0) await sleep(Number(first));
  reply(asked, response);
}

const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", 2048, () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});
process.on("disconnect", () => process.exit());
