// The same reply as Anthropic Messages, OpenAI Responses, Chat Completions and Gemini generateContent would stream it.
import type { ServerResponse } from "node:http";

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Of a tool of a server, in OpenAI's protocol. */
  readonly namespace?: string | undefined;
}

export interface Said {
  readonly text?: string | undefined;
  readonly calls?: readonly Call[] | undefined;
}

const USAGE = { input: 11, output: 7 };
let made = 0;
const nextId = (prefix: string): string => `${prefix}_${++made}`;

function events(response: ServerResponse) {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": nextId("req") });
  return {
    named: (type: string, more: object) =>
      void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`),
    bare: (data: object) => void response.write(`data: ${JSON.stringify(data)}\n\n`),
  };
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  const error = {
    type: status === 429 ? "rate_limit_error" : "api_error",
    code: status,
    message,
    status: NAMES[status],
  };
  response.end(JSON.stringify({ type: "error", error }));
}

const NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
};

export function answerMessages(response: ServerResponse, { text, calls = [] }: Said): void {
  const usage = {
    input_tokens: USAGE.input,
    output_tokens: USAGE.output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const message = {
    id: nextId("msg"),
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
  };
  const blocks = [
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    ...calls.map(({ name, args }) => ({ type: "tool_use", id: nextId("toolu"), name, input: args }) as const),
  ];
  const { named } = events(response);
  named("message_start", { message: { ...message, usage: { ...usage, output_tokens: 1 } } });
  for (const [index, block] of blocks.entries()) {
    const isText = block.type === "text";
    named("content_block_start", {
      index,
      content_block: isText ? { type: "text", text: "" } : { ...block, input: {} },
    });
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    named("content_block_delta", { index, delta });
    named("content_block_stop", { index });
  }
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  named("message_stop", {});
  response.end();
}

export function answerResponses(response: ServerResponse, { text, calls = [] }: Said): void {
  const output = [
    ...(text === undefined
      ? []
      : [
          {
            type: "message",
            id: nextId("item"),
            status: "completed",
            role: "assistant",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ]),
    ...calls.map(({ name, args, namespace }) => ({
      ...(namespace === undefined ? {} : { namespace }),
      ...(typeof args["input"] === "string"
        ? { type: "custom_tool_call", input: args["input"] }
        : { type: "function_call", arguments: JSON.stringify(args) }),
      id: nextId("fc"),
      call_id: nextId("call"),
      name,
      status: "completed",
    })),
  ];
  const usage = {
    input_tokens: USAGE.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: USAGE.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USAGE.input + USAGE.output,
  };
  const whole = { id: nextId("resp"), object: "response", created_at: 0, model: "scripted", error: null };
  const { named } = events(response);
  named("response.created", { response: { ...whole, status: "in_progress", output: [] } });
  for (const [output_index, item] of output.entries()) {
    named("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } });
    named("response.output_item.done", { output_index, item });
  }
  named("response.completed", { response: { ...whole, status: "completed", output, usage } });
  response.end();
}

/** Some ask for it in one piece. */
export function answerChat(response: ServerResponse, isStreamed: boolean, { text, calls = [] }: Said): void {
  const tool_calls = calls.map(({ name, args }, index) => ({
    index,
    id: nextId("call"),
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: "assistant", content: text ?? null, ...(calls.length === 0 ? {} : { tool_calls }) };
  const finish_reason = calls.length === 0 ? "stop" : "tool_calls";
  const usage = {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
  const whole = { id: nextId("chat"), created: 0, model: "scripted" };
  if (!isStreamed) {
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message, finish_reason }];
    return void response.end(JSON.stringify({ ...whole, object: "chat.completion", choices, usage }));
  }
  const { bare } = events(response);
  const chunk = (choices: readonly object[], more: object = {}) =>
    bare({ ...whole, object: "chat.completion.chunk", choices, ...more });
  chunk([{ index: 0, delta: message, finish_reason: null }]);
  chunk([{ index: 0, delta: {}, finish_reason }]);
  chunk([], { usage });
  response.end("data: [DONE]\n\n");
}

export function answerGemini(response: ServerResponse, path: string, { text, calls = [] }: Said): void {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, args }) => ({ functionCall: { id: nextId("call"), name, args } })),
  ];
  const usageMetadata = {
    promptTokenCount: USAGE.input,
    candidatesTokenCount: USAGE.output,
    totalTokenCount: USAGE.input + USAGE.output,
  };
  const whole = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata,
    modelVersion: "scripted",
  };
  if (path.includes(":stream")) {
    events(response).bare(whole);
    response.end();
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(whole));
}
