// Short names for models. Each stands for the newest model of its kind whose price is known, so that a budget in
// money works with every one of them; a test holds that.
export const ALIASES: Readonly<Record<string, string>> = {
  sonnet: "anthropic/claude-sonnet-5",
  opus: "anthropic/claude-opus-5-5",
  haiku: "anthropic/claude-haiku-4-5",
  fable: "anthropic/claude-fable-5-1",
  gpt: "openai/gpt-6-sol",
  "gpt-mini": "openai/gpt-5.4-mini",
  pro: "google/gemini-3.1-pro-preview",
  flash: "google/gemini-3.8-flash",
  "flash-lite": "google/gemini-3.5-flash-lite",
};

/** Whose a model is that is named without its provider. Only beginnings that belong to one provider. */
export const PREFIXES: readonly { readonly begins: RegExp; readonly provider: string }[] = [
  { begins: /^claude-/, provider: "anthropic" },
  { begins: /^(?:gpt-|chatgpt-|codex-|o\d)/, provider: "openai" },
  { begins: /^(?:gemini-|gemma-)/, provider: "google" },
];
