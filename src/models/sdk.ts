// The language models of the AI SDK's provider packages, by the types that those packages export.
import type { AnthropicProvider } from "@ai-sdk/anthropic";

export type LanguageModel = ReturnType<AnthropicProvider["languageModel"]>;
export type CallOptions = Parameters<LanguageModel["doStream"]>[0];
export type ProviderOptions = NonNullable<CallOptions["providerOptions"]>;
export type StreamPart =
  Awaited<ReturnType<LanguageModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;
export type Warning = Extract<StreamPart, { type: "stream-start" }>["warnings"][number];
export type PromptMessage = CallOptions["prompt"][number];
export type AssistantPart = Extract<PromptMessage, { role: "assistant" }>["content"][number];
export type FunctionTool = Extract<NonNullable<CallOptions["tools"]>[number], { type: "function" }>;
export type FetchFunction = typeof fetch;
