// OpenAI's Responses API, as it streams.
import type { Content, Dialect, WireEvent } from "./dialect.ts";
import { textOf, resultOf } from "./dialect.ts";
import { openaiFailure } from "./openai-failure.ts";
import { pieces, USAGE, type WireAnswer, type WirePart, written } from "./reply.ts";

const event = (type: string, rest: object, spoken?: true): WireEvent => ({
  event: type,
  data: { type, ...rest },
  ...(spoken === undefined ? {} : { spoken }),
});

function item(part: WirePart, output_index: number, n: number): WireEvent[] {
  const added = (value: unknown) => event("response.output_item.added", { output_index, item: value });
  const done = (value: unknown) => event("response.output_item.done", { output_index, item: value });
  if ("reasoning" in part) {
    const id = `rs_${n}_${output_index}`;
    const at = { item_id: id, output_index, summary_index: 0 };
    const encrypted_content = part.signature ?? null;
    return [
      added({ type: "reasoning", id, summary: [], encrypted_content: null }),
      event("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } }),
      ...pieces(part.reasoning).map((delta) => event("response.reasoning_summary_text.delta", { ...at, delta }, true)),
      event("response.reasoning_summary_part.done", { ...at, part: { type: "summary_text", text: part.reasoning } }),
      done({ type: "reasoning", id, summary: [{ type: "summary_text", text: part.reasoning }], encrypted_content }),
    ];
  }
  if ("text" in part) {
    const id = `msg_${n}_${output_index}`;
    const at = { item_id: id, output_index, content_index: 0 };
    const content = [{ type: "output_text", text: part.text, annotations: [] }];
    return [
      added({ type: "message", id, role: "assistant", status: "in_progress", content: [] }),
      event("response.content_part.added", { ...at, part: { type: "output_text", text: "", annotations: [] } }),
      ...pieces(part.text).map((delta) => event("response.output_text.delta", { ...at, delta, logprobs: [] }, true)),
      event("response.output_text.done", { ...at, text: part.text }),
      done({ type: "message", id, role: "assistant", status: "completed", content }),
    ];
  }
  const id = `fc_${n}_${output_index}`;
  const call = { type: "function_call", id, call_id: part.id ?? `call_${n}_${output_index}`, name: part.call };
  return [
    added({ ...call, arguments: "", status: "in_progress" }),
    ...pieces(written(part)).map((delta) =>
      event("response.function_call_arguments.delta", { item_id: id, output_index, delta }, true),
    ),
    event("response.function_call_arguments.done", { item_id: id, output_index, arguments: written(part) }),
    done({ ...call, arguments: written(part), status: "completed" }),
  ];
}

const usageOf = ({ usage }: WireAnswer) => {
  if (usage === null) return null;
  const { input, output, cacheRead = 0, cacheWrite, reasoning = 0 } = usage ?? USAGE;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheRead,
      ...(cacheWrite === undefined ? {} : { cache_write_tokens: cacheWrite }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
};

const INCOMPLETE = { length: "max_output_tokens", refused: "content_filter" } as const;

export const responses: Dialect = {
  path: /^\/v1\/responses$/,
  events(answer, n) {
    const response = { id: `resp_${n}`, object: "response", created_at: 1_790_000_000, model: "gpt-wire", output: [] };
    const { because, stop } = answer;
    const reason = because === undefined && stop !== undefined ? INCOMPLETE[stop] : because;
    const end = reason === undefined ? "completed" : "incomplete";
    const events = [
      event("response.created", { response: { ...response, status: "in_progress" } }),
      event("response.in_progress", { response: { ...response, status: "in_progress" } }),
      ...answer.parts.flatMap((part, index) => item(part, index, n)),
      event(`response.${end}`, {
        response: {
          ...response,
          status: end,
          incomplete_details: (reason ?? null) === null ? null : { reason },
          ...(answer.usage === null ? {} : { usage: usageOf(answer) }),
        },
      }),
    ];
    return events.map((one, sequence_number) => ({ ...one, data: { ...(one.data as object), sequence_number } }));
  },
  overloaded: () =>
    event("error", {
      sequence_number: 9,
      error: {
        type: "server_error",
        code: "server_is_overloaded",
        message: "Our servers are currently overloaded.",
        param: null,
      },
    }),
  failure: openaiFailure,
  said(body, headers) {
    const { model, input, tools = [], max_output_tokens } = body as Sent;
    return {
      model,
      system: input.map(({ role, content }) => (isSystem(role) ? textOf(content) : "")).join(""),
      texts: input.flatMap(({ role, content }) =>
        role === "user" || role === "assistant" ? [{ role, text: textOf(content) }] : [],
      ),
      tools: tools.map(({ name, description, parameters: schema }) => ({ name, description, schema })),
      calls: input.flatMap((one) =>
        one.type === "function_call"
          ? [{ name: one.name ?? "", input: JSON.parse(one.arguments ?? "") as unknown }]
          : [],
      ),
      results: input.flatMap(({ type, output }) => (type === "function_call_output" ? [resultOf(textOf(output))] : [])),
      maxOutputTokens: max_output_tokens,
      key: headers["authorization"]?.replace("Bearer ", ""),
    };
  },
};

const isSystem = (role: string | undefined) => role === "system" || role === "developer";

interface Sent {
  readonly model: string;
  readonly max_output_tokens?: number;
  readonly input: readonly {
    readonly type?: string;
    readonly role?: string;
    readonly content?: Content;
    readonly name?: string;
    readonly arguments?: string;
    readonly output?: Content;
  }[];
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[];
}
