// Google's streamGenerateContent with alt=sse.
import type { Dialect, WireEvent } from "./dialect.ts";
import { textOf } from "./dialect.ts";
import { pieces, USAGE, type WireAnswer, type WireFailure, type WirePart } from "./reply.ts";

const chunk = (n: number, candidate: object, rest: object = {}) => ({
  candidates: [{ index: 0, ...candidate }],
  modelVersion: "gemini-wire",
  responseId: `resp-${n}`,
  ...rest,
});

const content = (part: object) => ({ content: { role: "model", parts: [part] } });

/** A thought's signature comes with whatever follows the thought. */
function signed(parts: readonly WirePart[], index: number): object {
  const before = parts[index - 1];
  return before !== undefined && "reasoning" in before && before.signature !== undefined
    ? { thoughtSignature: before.signature }
    : {};
}

function chunks(parts: readonly WirePart[], n: number): WireEvent[] {
  return parts.flatMap((part, index): WireEvent[] => {
    const say = (value: object): WireEvent => ({ data: chunk(n, content(value)), spoken: true });
    if ("reasoning" in part) return pieces(part.reasoning).map((text) => say({ text, thought: true }));
    const signature = signed(parts, index);
    if ("text" in part) {
      const texts = pieces(part.text);
      return texts.map((text, at) => say({ text, ...(at === texts.length - 1 ? signature : {}) }));
    }
    const id = part.id === undefined ? {} : { id: part.id };
    const args = part.raw ?? part.input ?? {};
    return [say({ functionCall: { ...id, name: part.call, args }, ...signature })];
  });
}

const usageOf = ({ usage }: WireAnswer) => {
  if (usage === null) return {};
  const { input, output, cacheRead, reasoning = 0 } = usage ?? USAGE;
  return {
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output - reasoning,
      totalTokenCount: input + output,
      ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
      ...(cacheRead === undefined ? {} : { cachedContentTokenCount: cacheRead }),
    },
  };
};

const FINISH = { length: "MAX_TOKENS", refused: "SAFETY" } as const;

const FAILURES: Readonly<Record<WireFailure, readonly [number, string, string]>> = {
  auth: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  forbidden: [403, "PERMISSION_DENIED", "The caller does not have permission"],
  "not-found": [404, "NOT_FOUND", "models/gemini-none is not found for API version v1beta"],
  "rate-limited": [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."],
  "server-error": [500, "INTERNAL", "An internal error has occurred."],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  overflow: [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  "bad-request": [400, "INVALID_ARGUMENT", "Please use a valid role: user, model."],
};

const INVALID_KEY = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];

export const google: Dialect = {
  path: /^\/v1beta\/models\/[^/]+:streamGenerateContent\?alt=sse$/,
  events(answer, n) {
    const { stop, because } = answer;
    const finishReason = because === undefined ? (stop === undefined ? "STOP" : FINISH[stop]) : because;
    return [
      ...chunks(answer.parts, n),
      { data: chunk(n, { ...content({ text: "" }), finishReason }, usageOf(answer)) },
    ];
  },
  overloaded: () => ({ data: { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } } }),
  failure(kind, said) {
    const [status, name, message] = FAILURES[kind];
    const details = kind === "auth" ? { details: INVALID_KEY } : {};
    return { status, body: { error: { code: status, message: said ?? message, status: name, ...details } } };
  },
  said(body, headers, path) {
    const { contents, systemInstruction, tools = [], generationConfig } = body as Sent;
    const parts = contents.flatMap((turn) => turn.parts.map((part) => ({ ...part, role: turn.role })));
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? "",
      system: textOf(systemInstruction?.parts),
      texts: parts.flatMap(({ role, text, thought }) =>
        text === undefined || thought === true ? [] : [{ role: role === "model" ? "assistant" : "user", text }],
      ),
      tools: tools
        .flatMap(({ functionDeclarations }) => functionDeclarations)
        .map(({ name, description, parameters, parametersJsonSchema }) => ({
          name,
          description,
          schema: parametersJsonSchema ?? parameters,
        })),
      calls: parts.flatMap(({ functionCall: call }) =>
        call === undefined ? [] : [{ name: call.name, input: call.args }],
      ),
      results: parts.flatMap(({ functionResponse: result }) =>
        result === undefined
          ? []
          : [
              {
                text: result.response.content ?? result.response.error ?? "",
                isError: result.response.error !== undefined,
              },
            ],
      ),
      maxOutputTokens: generationConfig?.maxOutputTokens,
      key: headers["x-goog-api-key"],
    };
  },
};

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly name: string; readonly args: unknown };
  readonly functionResponse?: { readonly response: { readonly content?: string; readonly error?: string } };
}

interface Declaration {
  readonly name: string;
  readonly description: string;
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
}

interface Sent {
  readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly tools?: readonly { readonly functionDeclarations: readonly Declaration[] }[];
  readonly generationConfig?: { readonly maxOutputTokens?: number };
}
