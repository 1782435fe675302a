// The providers' packages. Each is imported when a model of its provider is first used.
//
// They would read keys and addresses from the process where they are given none, so they are always given both.
import type { Endpoint } from "./endpoint.ts";
import type { Wire } from "./providers.ts";
import type { FetchFunction, LanguageModel } from "./sdk.ts";

export type MakeLanguageModel = (fetch: FetchFunction) => LanguageModel;

export interface LanguageModelWish {
  readonly provider: string;
  readonly wire: Wire;
  readonly model: string;
  readonly endpoint: Endpoint;
}

export async function loadLanguageModel(wish: LanguageModelWish): Promise<MakeLanguageModel> {
  const { model, endpoint } = wish;
  const baseURL = endpoint.baseUrl;
  const apiKey = endpoint.key?.value ?? "";
  switch (wish.wire) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const auth = endpoint.key?.variable === "ANTHROPIC_AUTH_TOKEN" ? { authToken: apiKey } : { apiKey };
      return (fetch) => createAnthropic({ baseURL, ...auth, fetch }).languageModel(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return (fetch) => createOpenAI({ baseURL, apiKey, fetch }).responses(model);
    }
    case "openai-chat": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return (fetch) => createOpenAI({ baseURL, apiKey, fetch }).chat(model);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return (fetch) => createGoogle({ baseURL, apiKey, fetch }).languageModel(model);
    }
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const auth = endpoint.key === undefined ? {} : { apiKey };
      return (fetch) =>
        createOpenAICompatible({ name: wish.provider, baseURL, ...auth, includeUsage: true, fetch }).chatModel(model);
    }
  }
}
