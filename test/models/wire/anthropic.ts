// Anthropic's Messages API, as it streams.
import type { Content, Dialect, WireEvent } from "./dialect.ts";
import { textOf } from "./dialect.ts";
import { pieces, USAGE, type WireAnswer, type WireFailure, type WirePart, written } from "./reply.ts";

const event = (data: { readonly type: string; readonly [key: string]: unknown }, spoken?: true): WireEvent => ({
  event: data.type,
  data,
  ...(spoken === undefined ? {} : { spoken }),
});

function block(part: WirePart, index: number, n: number): WireEvent[] {
  const start = (content_block: unknown) => event({ type: "content_block_start", index, content_block });
  const delta = (value: unknown) => event({ type: "content_block_delta", index, delta: value }, true);
  const stop = event({ type: "content_block_stop", index });
  if ("reasoning" in part) {
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      ...pieces(part.reasoning).map((thinking) => delta({ type: "thinking_delta", thinking })),
      delta({ type: "signature_delta", signature: part.signature ?? "sig" }),
      stop,
    ];
  }
  if ("text" in part) {
    return [
      start({ type: "text", text: "" }),
      ...pieces(part.text).map((text) => delta({ type: "text_delta", text })),
      stop,
    ];
  }
  return [
    start({ type: "tool_use", id: part.id ?? `toolu_${n}_${index}`, name: part.call, input: {} }),
    ...pieces(written(part)).map((partial_json) => delta({ type: "input_json_delta", partial_json })),
    stop,
  ];
}

function stopReason({ parts, stop, because }: WireAnswer): string | null {
  if (because !== undefined) return because;
  if (stop === "length") return "max_tokens";
  if (stop === "refused") return "refusal";
  return parts.some((part) => "call" in part) ? "tool_use" : "end_turn";
}

const FAILURES: Readonly<Record<WireFailure, readonly [number, string, string]>> = {
  auth: [401, "authentication_error", "invalid x-api-key"],
  forbidden: [403, "permission_error", "Your API key does not have permission to use the specified resource."],
  "not-found": [404, "not_found_error", "model: claude-none"],
  "rate-limited": [429, "rate_limit_error", "This request would exceed your organization's rate limit."],
  "server-error": [500, "api_error", "Internal server error"],
  overloaded: [529, "overloaded_error", "Overloaded"],
  overflow: [400, "invalid_request_error", "prompt is too long: 215386 tokens > 200000 maximum"],
  "bad-request": [400, "invalid_request_error", "messages.0: unexpected role"],
};

export const anthropic: Dialect = {
  path: /^\/v1\/messages$/,
  events(answer, n) {
    const { input, output, cacheRead = 0, cacheWrite = 0, reasoning } = answer.usage ?? USAGE;
    const usage = {
      input_tokens: input - cacheRead - cacheWrite,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      output_tokens: 1,
    };
    const message = {
      id: `msg_${n}`,
      type: "message",
      role: "assistant",
      model: "claude-wire",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return [
      event({ type: "message_start", message }),
      event({ type: "ping" }),
      ...answer.parts.flatMap((part, index) => block(part, index, n)),
      event({
        type: "message_delta",
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: {
          output_tokens: output,
          ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
        },
      }),
      event({ type: "message_stop" }),
    ];
  },
  overloaded: () => event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  failure(kind, said) {
    const [status, type, message] = FAILURES[kind];
    return { status, body: { type: "error", error: { type, message: said ?? message }, request_id: "req_1" } };
  },
  said(body, headers) {
    const sent = body as Sent;
    const blocks = sent.messages.flatMap(({ role, content }) => content.map((one) => ({ ...one, role })));
    return {
      model: sent.model,
      system: textOf(sent.system),
      texts: blocks.flatMap(({ role, type, text = "" }) => (type === "text" ? [{ role, text }] : [])),
      tools: (sent.tools ?? []).map(({ name, description, input_schema: schema }) => ({ name, description, schema })),
      calls: blocks.flatMap(({ type, name = "", input }) => (type === "tool_use" ? [{ name, input }] : [])),
      results: blocks.flatMap(({ type, content, is_error: isError = false }) =>
        type === "tool_result" ? [{ text: textOf(content), isError }] : [],
      ),
      maxOutputTokens: sent.max_tokens,
      key: headers["x-api-key"] ?? headers["authorization"]?.replace("Bearer ", ""),
    };
  },
};

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly content?: Content;
  readonly is_error?: boolean;
}

interface Sent {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: Content;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: readonly Block[] }[];
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly input_schema: unknown }[];
}
