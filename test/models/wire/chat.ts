// OpenAI's Chat Completions, as they stream, and as countless endpoints imitate them.
import type { Content, Dialect, WireEvent } from "./dialect.ts";
import { textOf, resultOf } from "./dialect.ts";
import { openaiFailure } from "./openai-failure.ts";
import { pieces, USAGE, type WireAnswer, type WirePart, written } from "./reply.ts";

const chunk = (n: number, choices: unknown[], rest: object = {}) => ({
  id: `chatcmpl-${n}`,
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "chat-wire",
  choices,
  ...rest,
});

const delta = (n: number, value: object): WireEvent => ({
  data: chunk(n, [{ index: 0, delta: value, finish_reason: null }]),
  spoken: true,
});

function deltas(part: WirePart, index: number, n: number): WireEvent[] {
  if ("reasoning" in part) return pieces(part.reasoning).map((reasoning_content) => delta(n, { reasoning_content }));
  if ("text" in part) return pieces(part.text).map((content) => delta(n, { content }));
  const call = { index, id: part.id ?? `call_${n}_${index}`, type: "function" };
  return [
    delta(n, { tool_calls: [{ ...call, function: { name: part.call, arguments: "" } }] }),
    ...pieces(written(part)).map((text) => delta(n, { tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}

function finishReason({ parts, stop, because }: WireAnswer): string | null {
  if (because !== undefined) return because;
  if (stop === "length") return "length";
  if (stop === "refused") return "content_filter";
  return parts.some((part) => "call" in part) ? "tool_calls" : "stop";
}

const usageOf = ({ usage }: WireAnswer) => {
  const { input, output, cacheRead = 0, reasoning = 0 } = usage ?? USAGE;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
};

export const chat: Dialect = {
  path: /^\/v1\/chat\/completions$/,
  closing: "[DONE]",
  events(answer, n) {
    const calls = answer.parts.filter((part) => "call" in part);
    return [
      { data: chunk(n, [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]) },
      ...answer.parts.flatMap((part) => deltas(part, "call" in part ? calls.indexOf(part) : 0, n)),
      { data: chunk(n, [{ index: 0, delta: {}, finish_reason: finishReason(answer) }]) },
      ...(answer.usage === null ? [] : [{ data: chunk(n, [], { usage: usageOf(answer) }) }]),
    ];
  },
  overloaded: () => ({
    data: { error: { message: "The server is overloaded.", type: "server_error", code: "overloaded", param: null } },
  }),
  failure: openaiFailure,
  said(body, headers) {
    const { model, messages, tools = [], max_completion_tokens, max_tokens } = body as Sent;
    return {
      model,
      system: messages.map(({ role, content }) => (isSystem(role) ? textOf(content ?? "") : "")).join(""),
      texts: messages.flatMap(({ role, content }) => {
        const text = textOf(content ?? "");
        return role === "user" || (role === "assistant" && text !== "") ? [{ role, text }] : [];
      }),
      tools: tools.map(({ function: { name, description, parameters: schema } }) => ({ name, description, schema })),
      calls: messages
        .flatMap(({ tool_calls = [] }) => tool_calls)
        .map(({ function: { name, arguments: text } }) => ({ name, input: JSON.parse(text) as unknown })),
      results: messages.flatMap(({ role, content }) => (role === "tool" ? [resultOf(textOf(content ?? ""))] : [])),
      maxOutputTokens: max_completion_tokens ?? max_tokens,
      key: headers["authorization"]?.replace("Bearer ", ""),
    };
  },
};

const isSystem = (role: string) => role === "system" || role === "developer";

interface Sent {
  readonly model: string;
  readonly max_completion_tokens?: number;
  readonly max_tokens?: number;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: Content | null;
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
  }[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
  }[];
}
