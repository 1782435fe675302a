// Which providers there are, and what each needs from the environment. Data only: nothing is imported for it.
import type { ModelSettings } from "./model-settings.ts";

/** How an endpoint is spoken to. */
export type Wire = "anthropic" | "openai" | "openai-chat" | "google" | "compatible";

export interface Provider {
  readonly name: string;
  readonly wire: Wire;
  /** Any one of these is enough, the first that is set is used. None: no key is needed. */
  readonly keys: readonly string[];
  /** The variable that points it elsewhere. */
  readonly baseUrlVariable: string | undefined;
  readonly baseUrl: string;
}

const openai = {
  keys: ["OPENAI_API_KEY"],
  baseUrlVariable: "OPENAI_BASE_URL",
  baseUrl: "https://api.openai.com/v1",
} as const;

const BUILT_IN: readonly Provider[] = [
  {
    name: "anthropic",
    wire: "anthropic",
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
  },
  { name: "openai", wire: "openai", ...openai },
  { name: "openai-chat", wire: "openai-chat", ...openai },
  {
    name: "google",
    wire: "google",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  },
];

/** Another name of a provider. */
export const PROVIDER_ALIASES: ReadonlyMap<string, string> = new Map([["gemini", "google"]]);

/** Names that the user's own providers cannot have: they mean something already. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...BUILT_IN.map(({ name }) => name),
  ...PROVIDER_ALIASES.keys(),
  "tape",
  "inherit",
]);

export function providersOf(settings: ModelSettings): ReadonlyMap<string, Provider> {
  const declared = Object.entries(settings.providers).map(([name, { base_url, key }]): Provider => ({
    name,
    wire: "compatible",
    keys: key === undefined ? [] : [key],
    baseUrlVariable: undefined,
    baseUrl: base_url,
  }));
  return new Map([...BUILT_IN, ...declared].map((provider) => [provider.name, provider]));
}
